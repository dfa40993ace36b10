"""Looking at a registered cluster: what it is, what can be measured and switched, and why not."""

from __future__ import annotations

import logging
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podmeter.db.repositories.locks import try_lock
from podmeter.db.session import is_away
from podmeter.domain import labels
from podmeter.domain.axes import MODE_AXES
from podmeter.domain.by_hand import can_be_switched
from podmeter.domain.cluster_report import (
    AxisReport,
    CapabilityReport,
    ClusterReport,
    MissingRights,
    NodeReport,
    RefusalReport,
    RoomReport,
)
from podmeter.domain.errors import (
    ConvergenceError,
    LabError,
    PodmeterError,
    RunCancelledError,
)
from podmeter.domain.messages import Message, say
from podmeter.domain.ports import Access
from podmeter.logs import bound
from podmeter.rbac.capabilities import Capability, needed
from podmeter.services.execution import preflights
from podmeter.stack.counts import Count
from podmeter_worker import shutdown
from podmeter_worker.counting import tally
from podmeter_worker.kube.errors import ClusterBusyError
from podmeter_worker.kube.facts.fingerprint import take_fingerprint
from podmeter_worker.kube.facts.identity import Identity, kubernetes_version, real_cluster
from podmeter_worker.kube.facts.nodes import read_node, why_unfit, zone_of
from podmeter_worker.kube.facts.refusals import pod_refusals
from podmeter_worker.kube.facts.rights import is_partly_allowed, missing_rights
from podmeter_worker.kube.facts.service_room import service_ports, service_room
from podmeter_worker.kube.image_faults import ImageError
from podmeter_worker.kube.lease import ClusterLease, Holder
from podmeter_worker.kube.leftovers import run_labels
from podmeter_worker.kube.node_shells import NodeShells
from podmeter_worker.kube.reading import reading
from podmeter_worker.kube.resources import NODES
from podmeter_worker.kube.shells import Shells
from podmeter_worker.kube.sweep import sweep_objects
from podmeter_worker.modes import evidence, switch_record
from podmeter_worker.modes.registry import configurations, switcher_for
from podmeter_worker.modes.switcher import SwitchContext
from podmeter_worker.runner.lease_keeper import LeaseKeeper

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable

    from podmeter.domain.bench_image import BenchImage
    from podmeter.domain.fingerprint import Fingerprint
    from podmeter.domain.real_cluster import RealCluster
    from podmeter.services.execution.preflights import PreflightRequest
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.facts.rights import MissingRight
    from podmeter_worker.state import WorkerState

logger = logging.getLogger(__name__)

#: A cluster that gives no answer for so long is not looked at any further.
ANSWER_SECONDS = 15.0
#: Nor is one for longer than that, whatever it answers: its pods may take two minutes to start.
WHOLE_SECONDS = 240.0
#: Removing those pods comes on top.
_SWEEP_SECONDS = 45.0
#: A look whose worker was killed leaves its Lease for so long at most.
_LOOK_SECONDS = 75.0
_PAUSE_SECONDS = 1.0


def look_at_cluster(here: WorkerState, organization_id: uuid.UUID, cluster_id: uuid.UUID) -> None:
    """Look at a cluster and keep what was found, or why it could not be looked at.

    Does nothing where another worker is looking at it.
    """
    with bound(cluster=cluster_id), try_lock(here.sessions, lock_name(cluster_id)) as got:
        if got:
            _look_and_keep(here, organization_id, cluster_id)


def lock_name(cluster_id: uuid.UUID) -> str:
    """What a worker holds while it looks at a cluster."""
    return f"preflight {cluster_id}"


def _look_and_keep(here: WorkerState, organization_id: uuid.UUID, cluster_id: uuid.UUID) -> None:
    asked = here.database.write(lambda work: preflights.begin(work, organization_id, cluster_id))
    if asked is None:
        return
    try:
        real, report, fingerprint = _look(here, organization_id, asked)
    except RunCancelledError:
        return  # this worker ends; the reaper has another one look
    except PodmeterError as error:
        _fail(here, organization_id, asked, error.said)
        return
    except Exception as error:
        if is_away(error):
            logger.warning("the database did not answer: %s", error)
            _fail(here, organization_id, asked, say("look_database_away"))
            return
        _fail(here, organization_id, asked, say("look_failed", type=type(error).__name__))
        raise
    found = None if fingerprint is None else fingerprint.model_dump(mode="json")
    here.database.write(
        lambda work: preflights.succeed(work, organization_id, asked, real, report, found)
    )
    tally.note(Count.PREFLIGHTS, "succeeded")


def _fail(
    here: WorkerState, organization_id: uuid.UUID, asked: PreflightRequest, reason: Message
) -> None:
    here.database.write(lambda work: preflights.fail(work, organization_id, asked, reason))
    tally.note(Count.PREFLIGHTS, "failed")


def _look(
    here: WorkerState, organization_id: uuid.UUID, asked: PreflightRequest
) -> tuple[RealCluster, ClusterReport, Fingerprint | None]:
    identity = Identity(asked.must_be)
    opened = here.connector.client(organization_id, asked.cluster_id, identity)
    with opened as client, reading():
        # Reading its credentials may wait for the database, which is no fault of the cluster.
        limit = _Limit(WHOLE_SECONDS, time.monotonic())
        client.set_timeouts(ANSWER_SECONDS, WHOLE_SECONDS)
        client.awaits_port = False
        real = real_cluster(client, identity)
        client.awaits_port = True
        missing = {capability: missing_rights(client, capability) for capability in Capability}
        report = ClusterReport(
            kubernetes_version=kubernetes_version(client),
            nodes=_nodes(client),
            rights={
                capability.value: CapabilityReport(
                    allowed=not any(missing[one] for one in needed(capability)),
                    missing=_by_purpose(missing[capability]),
                    partly=is_partly_allowed(capability, missing[capability]),
                )
                for capability in Capability
            },
        )
        if missing[Capability.MEASURE]:
            return real, _unseen(report, say("rights_missing")), None
        room = service_room(client, "preflight")
        seen = RoomReport(
            services=room.total,
            free_cluster_ips=room.free_cluster_ips,
            free_node_ports=room.free_node_ports,
        )
        noted = switch_record.read_all(client, configurations(client))
        report = report.model_copy(update={"room": seen, "stood_before": noted})
        if asked.measured is not None:
            return real, _unseen(report, asked.measured), None
        image = asked.image.or_else(here.connector.image)
        if image is None:
            return real, _unseen(report, say("no_image")), None
        host = not missing[Capability.HOST_ACCESS]
        accesses = set(Access) if host else {Access.POD}
        refusals = pod_refusals(client, accesses, image)
        report = report.model_copy(update={"refusals": refusals})
        # What a dry run cannot tell, pods tell.
        if not all(one.uncertain for one in refusals):
            return real, _unseen(report, say("pods_refused")), None
        label = f"{labels.LOOK}{secrets.token_hex(4)}"
        look = _PodChecks(client, label, limit, ClusterLease(client, Holder(label)))
        try:
            look.begin()
        except ClusterBusyError as error:
            return real, _unseen(report, say("busy_now", why=error.said)), None
        try:
            fingerprint, modes = look.inside(image, host=host)
        except ImageError as error:
            refusal = RefusalReport(what=error.what, mend=error.mend)
            report = report.model_copy(update={"refusals": [*refusals, refusal]})
            return real, _unseen(report, say("pods_not_started")), None
        finally:
            look.end()
        found = {
            "modes": modes,
            "cni": fingerprint.cni,
            "kube_proxy": fingerprint.kube_proxy,
            "shared_host": fingerprint.shared_host,
        }
        return real, report.model_copy(update=found), fingerprint


def _unseen(report: ClusterReport, why: Message) -> ClusterReport:
    return report.model_copy(update={"not_looked_at": why})


def _by_purpose(missing: Iterable[MissingRight]) -> list[MissingRights]:
    """Verbs on one thing for one purpose, together."""
    found: dict[MissingRight, list[str]] = {}
    for right in missing:
        found.setdefault(replace(right, verb=""), []).append(right.verb)
    return [
        MissingRights(
            verbs=verbs,
            resource=right.resource,
            group=right.group,
            namespace=right.namespace,
            name=right.name,
            why=right.why,
        )
        for right, verbs in found.items()
    ]


@dataclass(frozen=True)
class _Limit:
    """When a look must be over, asked in every wait."""

    seconds: float
    begun: float

    def check(self) -> None:
        if shutdown.begun():
            raise RunCancelledError(say("worker_shut_down"))
        if time.monotonic() > self.begun + self.seconds:
            raise LabError(say("look_too_long", seconds=self.seconds))


@dataclass(frozen=True)
class _PodChecks:
    """What only pods can tell. They have the cluster to themselves, and are gone afterwards."""

    client: KubeClient
    label: str
    limit: _Limit
    lease: ClusterLease

    def begin(self) -> None:
        """Take the cluster, and remove what dead workers left in it; the holder may do so.

        A look before this one is waited for. Raises ClusterBusyError where a run has the cluster.
        """
        until = time.monotonic() + _LOOK_SECONDS
        while True:
            try:
                self.lease.acquire()
                break
            except ClusterBusyError as error:
                looking = error.label.startswith(labels.LOOK)
                if not looking or time.monotonic() > until:
                    raise
            self.limit.check()
            time.sleep(_PAUSE_SECONDS)
        self.client.guard = self.lease.require
        for stale in run_labels(self.client) - {self.label}:
            logger.warning("removing what %s left", stale)
            # Where a pod of it cannot go, it can as little disturb the look.
            with suppress(ConvergenceError):
                sweep_objects(self.client, stale, seconds=_SWEEP_SECONDS)

    def inside(self, image: BenchImage, *, host: bool) -> tuple[Fingerprint, dict[str, AxisReport]]:
        """The fingerprint, and what can be said of each axis."""
        client, check = self.client, self.limit.check
        with (
            LeaseKeeper(self.lease.renew, self.label),
            Shells(client.access, self.lease.require) as shells,
        ):
            nodes = (
                NodeShells(client, shells, image=image, run_label=self.label, check=check)
                if host
                else None
            )
            fingerprint = take_fingerprint(
                client, image=image, run_label=self.label, node_shells=nodes, check=check
            )
            if nodes is None:
                unseen = AxisReport(why_not=say("hosts_unseen"))
                return fingerprint, dict.fromkeys(MODE_AXES, unseen)
            context = SwitchContext(
                client,
                nodes.everywhere(),
                check=check,
                progress=lambda step: None,
                service_ports=service_ports(client),
            )
            return fingerprint, {axis: _axis(context, axis) for axis in MODE_AXES}

    def end(self) -> None:
        """Remove all that it made, though its time may be over."""
        # What carries its label is nobody else's.
        self.client.guard = lambda: None
        self.client.set_timeouts(ANSWER_SECONDS, 2 * _SWEEP_SECONDS)
        sweep_objects(self.client, self.label, seconds=_SWEEP_SECONDS)
        self.lease.release()


def _axis(context: SwitchContext, axis: str) -> AxisReport:
    """The value in effect, and every value with why it cannot be switched to (None: it can)."""
    try:
        switcher = switcher_for(context, axis)
        values = {
            value: None if why is None else Message.of(why)
            for value, why in switcher.values(context).items()
        }
    except RunCancelledError:
        raise
    except PodmeterError as error:
        return _fixed(context, axis, error.said)
    report = AxisReport(component=switcher.component, values=values)
    if switcher.supports_per_node:
        why = switcher.why_not_per_node(context.client)
        report = report.model_copy(update={"on_nodes": why is None, "why_everywhere": why})
    try:
        observed = switcher.observe(context)
    except RunCancelledError:
        raise
    except PodmeterError as error:
        return report.model_copy(update={"unclear": error.said})
    return report.model_copy(update={"observed": observed})


def _fixed(context: SwitchContext, axis: str, why_not: Message) -> AxisReport:
    """An axis that no switcher can act on: what is seen of it, and what somebody could set."""
    if not can_be_switched(why_not):
        return AxisReport(why_not=why_not)
    observed, values = None, {}
    try:
        values = evidence.values(context, axis)
        observed = evidence.observe(context, axis)
    except RunCancelledError:
        raise
    except PodmeterError as error:
        logger.info("the nodes do not show %s: %s", axis, error)
    if not can_be_switched(why_not, seen=observed is not None):
        return AxisReport(why_not=why_not)
    told = {value: None if why is None else Message.of(why) for value, why in values.items()}
    return AxisReport(why_not=why_not, values=told, observed=observed)


def _nodes(client: KubeClient) -> list[NodeReport]:
    found = []
    for item in client.list_all(NODES.path()).items:
        node, info = read_node(item), item["status"]["nodeInfo"]
        found.append(
            NodeReport(
                name=node.name,
                address=node.address or None,
                architecture=node.architecture,
                kernel=info["kernelVersion"],
                os=info["osImage"],
                cpus=item["status"]["capacity"]["cpu"],
                why_unfit=why_unfit(item),
                zone=zone_of(item),
            )
        )
    return found
