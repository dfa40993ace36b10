"""The runner's link to a real cluster, put together from kube, lab and modes."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from podmeter.domain.cluster_report import UnrestoredSwitch
from podmeter.domain.errors import PodmeterError, PreconditionError, RunCancelledError
from podmeter.domain.messages import Message, say
from podmeter.domain.planning import nodes_of_seat
from podmeter.domain.ports import Access
from podmeter.rbac.capabilities import Capability, needed
from podmeter.services.clusters import kubeconfigs
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import AnotherClusterError
from podmeter_worker.kube.facts.fingerprint import take_fingerprint
from podmeter_worker.kube.facts.identity import Identity
from podmeter_worker.kube.facts.nodes import (
    NodeReadiness,
    measuring_nodes,
    node_conditions,
    node_standing,
)
from podmeter_worker.kube.facts.refusals import pod_refusals
from podmeter_worker.kube.facts.rights import missing_rights
from podmeter_worker.kube.lease import ClusterLease, Holder
from podmeter_worker.kube.leftovers import run_labels
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.pool import CONNECT_SECONDS
from podmeter_worker.kube.reading import reader
from podmeter_worker.kube.requests import PATIENCE_SECONDS
from podmeter_worker.kube.shells import Shells
from podmeter_worker.kube.sweep import sweep_objects, sweep_rules, sweep_services
from podmeter_worker.lab import outside_access, outside_client
from podmeter_worker.lab.cluster_lab import ClusterLab
from podmeter_worker.lab.outside_client import OutsideClient
from podmeter_worker.modes import switch_record
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.registry import begun_per_node, configurations, supports_per_node
from podmeter_worker.modes.switcher import SwitchContext
from podmeter_worker.runner.lease_keeper import LeaseKeeper

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable, Collection, Iterator, Sequence

    from podmeter.credentials.address_policy import AddressPolicy
    from podmeter.credentials.key_ring import KeyRing
    from podmeter.domain.bench_image import BenchImage
    from podmeter.domain.fingerprint import Fingerprint
    from podmeter.domain.ports import ExecTarget, Lab, LogLevel
    from podmeter.domain.safety import NodeCondition
    from podmeter_worker.lab.outside_access import OutsideAccess
    from podmeter_worker.runner.database import Database
    from podmeter_worker.runner.ports import ClusterLink, Handle, ModeControl

logger = logging.getLogger(__name__)

#: How soon a link that is open takes up a token that was renewed.
_TOKEN_SECONDS = 20.0


def nodes_switched_alone(
    seats: Collection[str], measured: frozenset[str] | None, every: Collection[str]
) -> frozenset[str] | None:
    """Those of `every` node that a run switches by themselves, None for the whole cluster.

    Where modes are side by side, the ones that have modes of their own (`seats`), be they all;
    otherwise those that requests pass (`measured`), where that spares any other.
    """
    if seats:
        return frozenset(seats)
    return measured if measured and set(every) - measured else None


@dataclass(frozen=True)
class Connector:
    """Opens links with the credentials that the database keeps for a cluster.

    `image` is that of the measuring pods where a cluster has none of its own; `outside` says that
    this worker may be a client outside of what it measures.
    """

    database: Database
    keys: KeyRing
    policy: AddressPolicy
    image: str | None
    outside: bool = False

    @contextmanager
    def client(
        self,
        organization_id: uuid.UUID,
        cluster_id: uuid.UUID,
        identity: Identity,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> Iterator[KubeClient]:
        """A client of a registered cluster, each of whose connections is to that identity.

        A kubeconfig that waits until the same cluster is seen through it is tried first. Raises
        PreconditionError, NotFoundError.
        """
        read = partial(
            kubeconfigs.stored_kubeconfig,
            organization_id=organization_id,
            cluster_id=cluster_id,
            keys=self.keys,
        )
        kept = self.database.write(read)
        if kept.replacement is not None:
            self._look_through(organization_id, cluster_id, kept, kept.replacement)
            kept = self.database.write(read)
        with KubeClient(self._access(kept.fields, identity), patience_seconds) as client:
            if not kept.renewed:
                yield client
                return

            def refresh() -> None:
                try:
                    current = self.database.once(read)
                except SQLAlchemyError as error:
                    # The next one may succeed: a database that was away may be back.
                    logger.warning("the token of %s was not read: %s", cluster_id, error)
                else:
                    client.access.renew(current.fields["token"])

            # A command that outlives its token continues with the next one.
            with LeaseKeeper(refresh, f"token-{cluster_id}", seconds=_TOKEN_SECONDS):
                yield client

    def look(self, fields: dict[str, str], identity: Identity) -> None:
        """Connect with these credentials. Raises what a client would, AnotherClusterError too."""
        self._access(fields, identity).connect(CONNECT_SECONDS).close()

    @contextmanager
    def open(
        self,
        organization_id: uuid.UUID,
        handle: Handle,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> Iterator[ClusterLink]:
        """A link for a run; it waits so long for an API server that is away.

        Raises PreconditionError, NotFoundError. Whatever is done by the link raises
        AnotherClusterError where another cluster answers than the handle's.
        """
        image = handle.identity.image.or_else(self.image)
        if image is None:
            raise PreconditionError(say("no_image"))
        cluster_id, identity = handle.identity.cluster_id, Identity(handle.identity.cluster_uid)
        with self.client(organization_id, cluster_id, identity, patience_seconds) as client:
            lease = ClusterLease(client, Holder(handle.run_label, handle.token))

            def guard() -> None:
                handle.guard()
                lease.require()

            client.guard = guard
            with Shells(client.access, guard) as shells:
                outside = self.policy if self.outside else None
                yield RealLink(client, shells, lease, handle, image, outside)

    def _access(self, fields: dict[str, str], identity: Identity) -> ClusterAccess:
        try:
            return ClusterAccess(fields, self.policy, examine=identity.examine)
        except ValueError as error:
            why = error.args[0] if len(error.args) == 1 else str(error)
            raise PreconditionError(say("kubeconfig_unusable", error=why)) from error

    def _look_through(
        self,
        organization_id: uuid.UUID,
        cluster_id: uuid.UUID,
        kept: kubeconfigs.StoredKubeconfig,
        fields: dict[str, str],
    ) -> None:
        """See which cluster a kubeconfig leads to, and accept, refuse or leave it by that."""
        decide: Callable[..., None] = kubeconfigs.accept
        try:
            self.look(fields, Identity(kept.must_be))
        except AnotherClusterError as error:
            decide = partial(kubeconfigs.refuse, reason=error.said)
        except PodmeterError as error:
            decide = partial(kubeconfigs.postpone_retry, reason=error.said)
        self.database.write(lambda work: decide(work, organization_id, cluster_id, kept))


@reader
class RealLink:
    """Implements `runner.ports.ClusterLink`."""

    def __init__(
        self,
        client: KubeClient,
        shells: Shells,
        lease: ClusterLease,
        handle: Handle,
        image: BenchImage,
        outside: AddressPolicy | None = None,
    ) -> None:
        self._client, self._shells, self._handle, self._image = client, shells, handle, image
        self._outside = outside
        self._nodes = NodeShells(
            client, shells, image=image, run_label=handle.run_label, check=self._check
        )
        self._lease = lease

    def problems(self) -> list[str]:
        """Missing rights, verb by verb; then what the cluster would refuse of the pods."""
        if self._missing:
            return self._missing
        found = pod_refusals(self._client, self._handle.access, self._image)
        return [one.said for one in found if not one.uncertain]

    def node_standing(self) -> NodeReadiness:
        """How many nodes take measuring pods, and which will; where they may be read."""
        return NodeReadiness(0, ()) if self._missing else node_standing(self._client)

    def node_conditions(self) -> tuple[NodeCondition, ...]:
        """What the cluster says of each node."""
        return node_conditions(self._client)

    def fingerprint(self, seat: int | None = None) -> Fingerprint:
        """As far as the rights in the cluster let it be seen."""
        switched = self._switched
        beside: tuple[str, ...] = ()
        if seat is not None and switched is not None:
            beside = tuple(sorted(switched))
            switched = frozenset(nodes_of_seat(beside, seat))
        return take_fingerprint(
            self._client,
            image=self._image,
            run_label=self._handle.run_label,
            node_shells=self._nodes if self._sees_hosts else None,
            switched=switched,
            beside=beside,
            check=self._check,
        )

    def outside(self) -> OutsideAccess:
        """How the client outside stands to the cluster."""
        if self._outside is None:
            raise PreconditionError(say("no_outside_client"))
        shells = self._nodes.everywhere() if self._sees_hosts else {}
        return outside_access.check_outside_access(
            self._client, outside_client.run, shells, self._outside
        )

    def why_busy(self) -> Message | None:
        """Who else has the Lease in the cluster."""
        return self._lease.why_busy()

    def unrestored_switches(self) -> list[UnrestoredSwitch]:
        """The modes that the cluster's notes show as switched and not restored."""
        return switch_record.read_all(self._client, configurations(self._client))

    def take_lease(self) -> None:
        """Take the Lease in the cluster."""
        self._lease.acquire()

    def prolong(self) -> None:
        """Hold it for longer, asking once."""
        self._lease.renew()

    def release_lease(self) -> None:
        """Give the Lease back, asking once."""
        try:
            self._lease.release()
        except PodmeterError as error:
            logger.warning(
                "the Lease in %s runs out by itself: %s", self._handle.identity.name, error
            )

    def lab(self, write: Callable[[LogLevel, str], None]) -> Lab:
        """The Lab of a block."""
        return ClusterLab(
            self._client,
            self._shells,
            self._nodes,
            run_label=self._handle.run_label,
            image=self._image,
            cancelled=self._handle.stop,
            write=write,
            outside=None if self._outside is None else OutsideClient(self._outside),
            switched=self._switched,
        )

    def unready(self) -> tuple[str, ...]:
        """The nodes that cannot be looked at now."""
        return self._nodes.unready() if self._sees_hosts else ()

    def modes(
        self,
        progress: Callable[[str], None],
        unready: Collection[str] = (),
        guard: Callable[[Sequence[ExecTarget]], None] = lambda places: None,
    ) -> ModeControl:
        """The modes, seen and switched on every node but these."""
        shells = self._nodes.but(unready) if unready else self._nodes.everywhere()
        missing = frozenset(unready)
        holder = Holder(self._handle.run_label, self._handle.token)
        periods = self._handle.sync_periods
        context = SwitchContext(
            self._client,
            shells,
            self._check,
            progress,
            missing,
            holder,
            sync_periods=periods,
            nodes=self._switched,
        )
        places = [shell.place for shell in context.here.shells.values()]

        def check() -> None:
            self._check()
            guard(places)

        # A guard takes its time, which would be one of the watch's figures.
        return SwitcherModeControl(replace(context, check=check), check_watch=self._check)

    def sweep_services(
        self, run_label: str, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """With their slices."""
        return sweep_services(self._client, run_label, progress)[0]

    def sweep(self, run_label: str, unready: Collection[str] = ()) -> None:
        """Rules first: it takes pods to remove them, and those are swept with the rest."""
        if Access.HOST_ADMIN in self._handle.access and self._sees_hosts:
            shells = self._nodes.but(unready) if unready else self._nodes.everywhere()
            for shell in shells.values():
                sweep_rules(shell.run, run_label)
        sweep_objects(self._client, run_label, dead_nodes=unready)

    def run_labels(self) -> set[str]:
        """The labels of the runs that have objects in the cluster."""
        return run_labels(self._client)

    @cached_property
    def _missing(self) -> list[str]:
        return [
            right.said
            for capability in needed(self._capability())
            for right in missing_rights(self._client, capability, self._handle.features)
        ]

    @cached_property
    def _sees_hosts(self) -> bool:
        return not missing_rights(self._client, Capability.HOST_ACCESS)

    @cached_property
    def _switched(self) -> frozenset[str] | None:
        """The nodes that alone are switched, None for the whole cluster."""
        if not self._handle.switching or not supports_per_node(self._client):
            return None
        seats = self._handle.seats(measuring_nodes(self._client))
        if begun_per_node(self._client):
            # Also where the others have gone since: what was begun on nodes is restored on nodes.
            return frozenset(seats) or self._measured or None
        return nodes_switched_alone(seats, self._measured, self._nodes.names())

    @cached_property
    def _measured(self) -> frozenset[str] | None:
        """The nodes that requests pass; None where they may pass any."""
        return self._handle.measured(measuring_nodes(self._client))

    def _capability(self) -> Capability:
        if self._handle.switching:
            return Capability.SWITCH_MODES
        near = self._handle.access & {Access.HOST, Access.HOST_ADMIN}
        return Capability.HOST_ACCESS if near else Capability.MEASURE

    def _check(self) -> None:
        if self._handle.stop.is_set():
            raise RunCancelledError(say("run_to_stop"))
