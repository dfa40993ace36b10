"""A link to a FakeCluster; `steps` tells each step as it is taken, and may block, raise, or change
things.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from podmeter.domain.cluster_report import UnrestoredSwitch
from podmeter.domain.errors import PreconditionError, RunCancelledError
from podmeter.domain.fingerprint import CniFacts, Fingerprint, KubeProxyFacts, NodeFacts
from podmeter.domain.messages import Message, say
from podmeter.domain.planning import nodes_of_seat
from podmeter.domain.ports import Access, ExecTarget
from podmeter.domain.safety import NodeCondition
from podmeter_worker.kube.errors import (
    AnotherClusterError,
    ApiUnavailableError,
    ClusterBusyError,
    LeaseLostError,
)
from podmeter_worker.kube.facts.nodes import NodeReadiness
from podmeter_worker.kube.lease import Holder
from podmeter_worker.lab.outside_access import OutsideAccess

from .fake_cluster import FakeCluster, Steps, nothing
from .fake_lab import FakeLab
from .fake_modes import FakeModes


@dataclass
class FakeLink:
    """Implements runner.ports.ClusterLink on a FakeCluster, which must have the UID `must_be`.

    `leads_to` has the cluster that the registered address leads to at the moment, by that UID.
    """

    leads_to: dict[str, FakeCluster]
    must_be: str
    run_label: str
    stop: threading.Event
    steps: Steps = nothing
    token: int = 0
    guard: Callable[[], None] = lambda: None

    @property
    def holder(self) -> str:
        return str(Holder(self.run_label, self.token))

    @property
    def cluster(self) -> FakeCluster:
        found = self.leads_to[self.must_be]
        if found.uid != self.must_be:
            raise AnotherClusterError(say("another_cluster", uid=found.uid))
        return found

    def _reach(self) -> None:
        if self.cluster.now()["away"]:
            raise ApiUnavailableError("the API server could not be reached")

    def problems(self) -> list[str]:
        self._reach()
        self.steps("looking")
        return [] if self.node_standing().taking else [say("no_measuring_node")]

    def outside(self) -> OutsideAccess:
        """There is none unless the cluster's state says how it stands."""
        standing = self.cluster.now().get("outside")
        if standing is None:
            raise PreconditionError(say("no_outside_client"))
        return OutsideAccess(*standing)

    def node_standing(self) -> NodeReadiness:
        self._reach()
        tainted = self.cluster.now().get("tainted", ())
        why = say("tainted", taint="node.kubernetes.io/unreachable")
        recovering = tuple(say("on_node", node=name, what=why) for name in tainted)
        return NodeReadiness(2 - len(tainted), recovering)

    def node_conditions(self) -> tuple[NodeCondition, ...]:
        """Both nodes are well, unless the cluster's state says otherwise."""
        self._reach()
        self.steps("guarding")
        state = self.cluster.now()
        lost, pressures = state.get("not_ready", ()), state.get("pressures", {})
        return tuple(
            NodeCondition(name, name not in lost, tuple(pressures.get(name, ())))
            for name in self.cluster.now().get("nodes", ("n1", "n2"))
        )

    def fingerprint(self, seat: int | None = None) -> Fingerprint:
        self._reach()
        state = self.cluster.now()
        modes = dict(state["modes"])
        if seat is not None:
            client, _ = nodes_of_seat(sorted(state["assigned"]), seat)
            modes["kube_proxy_mode"] = state["assigned"][client]
        nodes = tuple(
            NodeFacts(
                name=name,
                kernel="6.12",
                os="Debian 13",
                architecture="amd64",
                cpu_count=2,
                memory_bytes=1,
            )
            for name in state.get("nodes", ("n1", "n2"))
        )
        return Fingerprint(
            cluster_uid=self.cluster.uid,
            kubernetes_version="v1.34.4",
            nodes=nodes,
            shared_host=False,
            cni=CniFacts(name="flannel", encapsulation=modes["encapsulation"]),
            kube_proxy=KubeProxyFacts(mode=modes["kube_proxy_mode"]),
        )

    def why_busy(self) -> Message | None:
        self._reach()
        lease = self.cluster.now()["lease"]
        theirs = Holder.read(lease or "")
        if lease is None or theirs.label == self.run_label:
            return None
        return say("lease_held", holder=theirs.said, since="2026-11-22 00:00:00 UTC")

    def unrestored_switches(self) -> list[UnrestoredSwitch]:
        return [
            UnrestoredSwitch.model_validate(one) for one in self.cluster.now()["notes"].values()
        ]

    def take_lease(self) -> None:
        self._reach()
        self.guard()
        with self.cluster.change() as state:
            theirs = Holder.read(state["lease"] or self.holder)
            if theirs.label != self.run_label:
                raise ClusterBusyError(say("lease_held", holder=theirs.said, since="then"))
            if theirs.token > self.token:
                raise LeaseLostError("a later worker holds the Lease")
            state["lease"] = self.holder

    def prolong(self) -> None:
        self._reach()
        with self.cluster.change() as state:
            if state["lease"] != self.holder:
                raise LeaseLostError(f"{state['lease']} holds the Lease")

    def release_lease(self) -> None:
        with suppress(AnotherClusterError), self.cluster.change() as state:
            if state["lease"] == self.holder:
                state["lease"] = None

    def lab(self, write: Any) -> FakeLab:
        return FakeLab(self, write)

    def unready(self) -> tuple[str, ...]:
        self._reach()
        return tuple(self.cluster.now().get("dead", ()))

    def modes(
        self, progress: Any, unready: Any = (), guard: Any = lambda places: None
    ) -> FakeModes:
        self._reach()
        places = [ExecTarget(f"shell-{n}", "192.0.2.1", n, Access.HOST_ADMIN) for n in ("n1", "n2")]
        return FakeModes(self, progress, lambda: guard(places))

    def sweep_services(self, run_label: str, progress: Any = None) -> int:
        self._reach()
        self.guard()
        with self.cluster.change() as state:
            count = int(state.get("services", {}).pop(run_label, 0))
        if progress is not None and count:
            progress(count // 2, count)
        return count

    def sweep(self, run_label: str, unready: Any = ()) -> None:
        self.steps("sweeping")
        self._reach()
        self.guard()
        with self.cluster.change() as state:
            objects = state["objects"]
            state["objects"] = {name: run for name, run in objects.items() if run != run_label}
        self.steps("swept")

    def run_labels(self) -> set[str]:
        return set(self.cluster.now()["objects"].values())

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Change it as a real client does: only while that is ours to do."""
        self._reach()
        self.guard()
        with self.cluster.change() as state:
            yield state

    def check(self) -> None:
        if self.stop.is_set():
            raise RunCancelledError("stopped")


@contextmanager
def link_to(
    clusters: dict[str, FakeCluster], handle: Any, steps: Steps = nothing
) -> Iterator[FakeLink]:
    """A link to the cluster that a handle means."""
    uid = handle.identity.cluster_uid
    if uid not in clusters:
        raise PreconditionError("the registered kubeconfig cannot be used")
    yield FakeLink(clusters, uid, handle.run_label, handle.stop, steps, handle.token, handle.guard)
