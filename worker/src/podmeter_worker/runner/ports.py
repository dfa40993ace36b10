"""What the runner asks of a cluster. `podmeter_worker.connection` is the real one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from podmeter.domain.cluster_report import UnrestoredSwitch
    from podmeter.domain.fingerprint import Fingerprint
    from podmeter.domain.messages import Message
    from podmeter.domain.ports import Access, ExecTarget, Lab, LogLevel, Node
    from podmeter.domain.rights import Feature
    from podmeter.domain.safety import NodeCondition
    from podmeter.domain.switching import NodeWatch, Switched, SyncPeriods
    from podmeter.services.execution.environment import ClusterIdentity
    from podmeter_worker.kube.facts.nodes import NodeReadiness
    from podmeter_worker.lab.outside_access import OutsideAccess


class Watch(Protocol):
    """What watches Services while something changes."""

    def finish(self) -> tuple[NodeWatch, ...]:
        """End it once connections succeed for good: what was seen from each node."""


class ModeControl(Protocol):
    """A cluster's modes, looked at and changed on all of its nodes.

    Methods raise LabError for what may pass, PreconditionError for what cannot be done here,
    ConvergenceError where a mode does not take effect.
    """

    def why_fixed(self, axis: str) -> Message | None:
        """Why Podmeter itself can switch the axis to nothing here, or None."""

    def why_not(self, axis: str, value: str, *, by_hand: bool = False) -> str | None:
        """Why the axis cannot be switched to a value here, or None.

        `by_hand` asks of what somebody could switch that Podmeter cannot.
        """

    @property
    def seats(self) -> tuple[str, ...]:
        """The nodes that can each have modes of their own, by name; none without any such."""

    def observe(self, axis: str, on: str | None = None) -> str:
        """The value in effect on every node, or on one of the seats."""

    def component_state(self, axis: str) -> dict[str, Any]:
        """The current state of the mode's component: plain data for `why_touched`."""

    def why_touched(self, axis: str, before: dict[str, Any]) -> str | None:
        """What happened to it since `before`, though the mode be in effect, or None."""

    def save(self, axis: str) -> dict[str, Any]:
        """The current mode, as plain data for `restore`. Changes nothing.

        Raises PreconditionError where another Podmeter's note says that it is not the original.
        """

    def note(self, axis: str, saved: dict[str, Any]) -> None:
        """Write what `save` gave into the cluster itself, where any Podmeter finds it.

        It stays until `restore` has restored it.
        """

    def switch(self, axis: str, value: str, added: int = 0) -> Switched:
        """Switch, and wait until the value is in effect on every node; how that went.

        With so many Services added to the cluster's own it is waited for longer.
        """

    def assign(self, axis: str, values: Mapping[str, str]) -> bool:
        """Have each of these seats in a value of its own, in effect there; whether any was not.

        A node that is in its value already is left alone.
        """

    def restart(self, axis: str, value: str, node: str, added: int) -> Switched:
        """Restart the mode's component on one node that is in this value; how that went.

        Waits until the value is in effect there again, longer with so many Services added.
        """

    def watch(
        self, patience_seconds: float, services: Sequence[str] = ()
    ) -> AbstractContextManager[Watch]:
        """Watch from every node, until left, whether connections to Services succeed.

        They are `address:port`, one that every cluster has if none is given. Once it is to end they
        are given so long at most to do so for good.
        What cannot be watched is unknown, and no error.
        """

    def restore(self, axis: str, saved: dict[str, Any]) -> None:
        """Restore the original mode, and wait until it is in effect; may be repeated.

        With `confirmed` in it, it is what was noted in the cluster: nothing is done where that
        is no longer noted, because somebody else has restored it. What was switched by hand is
        only checked: LeftByHandError is raised if it is not restored.
        """


class ClusterLink(Protocol):
    """One real cluster while one run works on it.

    Everything may raise LabError, and AnotherClusterError where another cluster answers than the
    handle's; nothing is done there then.
    """

    def problems(self) -> list[str]:
        """What keeps the run from being carried out: rights, nodes. Changes nothing."""

    def node_standing(self) -> NodeReadiness:
        """How many nodes take measuring pods, and which will once they are well again."""

    def node_conditions(self) -> tuple[NodeCondition, ...]:
        """What the cluster says of each node now, by name."""

    def fingerprint(self, seat: int | None = None) -> Fingerprint:
        """What the cluster is like now; where modes are side by side, in those of one seat."""

    def outside(self) -> OutsideAccess:
        """How the client outside stands to the cluster, and which tools it has.

        Raises PreconditionError where there is none, or it is not outside of this cluster.
        """

    def why_busy(self) -> Message | None:
        """Who else has the cluster's Lease, and since when; None if it can be taken."""

    def unrestored_switches(self) -> list[UnrestoredSwitch]:
        """Modes that the cluster's notes show as switched and not restored, by any Podmeter.

        Raises PreconditionError for a note that cannot be read.
        """

    def take_lease(self) -> None:
        """Take the Lease in the cluster. Raises ClusterBusyError."""

    def prolong(self) -> None:
        """Hold the Lease for longer; tried once, not waiting for an API server that is away.

        Raises LeaseLostError if it is gone or held by another; it is not acquired again.
        """

    def release_lease(self) -> None:
        """Give the Lease back, if it is ours; where that fails it runs out by itself."""

    def lab(self, write: Callable[[LogLevel, str], None]) -> Lab:
        """The Lab of a block; `write` takes lines of the run's log."""

    def unready(self) -> tuple[str, ...]:
        """The names of the nodes that cannot be looked at now."""

    def modes(
        self,
        progress: Callable[[str], None],
        unready: Collection[str] = (),
        guard: Callable[[Sequence[ExecTarget]], None] = lambda places: None,
    ) -> ModeControl:
        """The modes; `progress` takes the name of each step of a switch as it is done.

        `guard` is called again and again while a switch waits, with a place on each node that it
        concerns, and may raise to end it.

        Raises PreconditionError where a node cannot be looked at, unless it is one of `unready`:
        there modes can neither be detected nor restored.
        """

    def sweep_services(
        self, run_label: str, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """Remove the Services of a run; how many there were.

        `progress` is called now and then with how many are left, and how many there were.
        """

    def sweep(self, run_label: str, unready: Collection[str] = ()) -> None:
        """Remove every object and kernel rule of a run, and see them gone, but for these nodes."""

    def run_labels(self) -> set[str]:
        """The labels of the runs that have objects in the cluster."""


@dataclass(frozen=True)
class Handle:
    """What a link is opened for: a cluster, the run that works on it, and what ends its waits.

    `access` is how close to the nodes the run comes, `switching` whether it switches modes.
    `token` tells two workers of one run apart, the later by the higher one; `guard` is called
    right before anything is changed, and raises where it may not be any more. `sync_periods` are
    those that kube-proxy is measured with, None where they stay as they are. `features` take
    rights of their own. `measured` gives, of the nodes that take measuring pods, those that its
    requests pass: None where they may pass any node. `seats` gives those that have modes of their
    own, where these are side by side.
    """

    identity: ClusterIdentity
    run_label: str
    access: frozenset[Access]
    switching: bool
    stop: threading.Event
    token: int = 0
    guard: Callable[[], None] = lambda: None
    sync_periods: SyncPeriods | None = None
    features: frozenset[Feature] = frozenset()
    measured: Callable[[Sequence[Node]], frozenset[str] | None] = lambda nodes: None
    seats: Callable[[Sequence[Node]], tuple[str, ...]] = lambda nodes: ()


class Connect(Protocol):
    """Opens links; closed on leaving. Raises PreconditionError for unusable credentials."""

    def __call__(self, handle: Handle) -> AbstractContextManager[ClusterLink]:
        """Open a link."""
