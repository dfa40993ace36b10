"""Stops a run before it harms a cluster: checks the nodes between trials and in long waits."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from podmeter.domain.errors import PodmeterError, RunCancelledError, UnsafeClusterError
from podmeter.domain.ports import Access
from podmeter.domain.safety import NOT_READY, why_stop_at, why_stop_by, why_stop_without
from podmeter.drivers import node_room

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from podmeter.domain.messages import Message
    from podmeter.domain.ports import ExecTarget, Lab
    from podmeter.domain.safety import NodeCondition

#: How often nodes are checked; again while something is wrong; and for how long it is wrong before
#: the run stops: tables drain.
LOOK_SECONDS, AGAIN_SECONDS, STEADY_SECONDS = 10.0, 2.0, 20.0
#: A switch itself may make a node unready, while its network is set up again: only one that stays
#: so for longer counts until the switch has ended.
SWITCHING_SECONDS = 120.0
#: Of more nodes the list is long: one second more for each so many.
NODES_A_SECOND = 50
_ASK_SECONDS, _AT_ONCE = 20.0, 16
#: The nearest to a node tells most.
_NEAREST = (Access.HOST_ADMIN, Access.HOST, Access.POD)


class _Fault(NamedTuple):
    """What is wrong with a node: its figures may change while it stays wrong.

    `of_switch`: perhaps by a switch of modes. Once that is over it is another fault.
    """

    node: str
    code: str
    of_switch: bool


class ClusterGuard:
    """Of one cluster in one attempt; `why` is why the run stops, None while it continues."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.why: Message | None = None
        self._clock = clock
        self._ready: frozenset[str] | None = None
        self._since: dict[_Fault, float] = {}
        self._next = 0.0
        self._lock = threading.Lock()

    def stop(self, why: Message) -> None:
        """Stop the run for what a trial itself ran into; the first reason counts."""
        self.why = self.why or why

    def check(
        self,
        conditions: Callable[[], Iterable[NodeCondition]],
        lab: Lab | None = None,
        places: Iterable[ExecTarget] = (),
        *,
        switching: bool = False,
    ) -> None:
        """Check the nodes, if that is due. Raises UnsafeClusterError once something stays wrong.

        Nodes that are ready at the first check have to stay so, but for a while during a switch of
        modes (`switching`). `places` are running pods.
        """
        self._raise()
        if self._clock() < self._next or not self._lock.acquire(blocking=False):
            return
        try:
            found = {
                _Fault(str(why.params["node"]), why.code, switching and why.code == NOT_READY): why
                for why in self._found(conditions, lab, places)
            }
            now = self._clock()
            self._since = {fault: self._since.get(fault, now) for fault in found}
            steady = [
                fault
                for fault, since in self._since.items()
                if now - since >= (SWITCHING_SECONDS if fault.of_switch else STEADY_SECONDS)
            ]
            if steady:
                self.stop(found[steady[0]])
            if found or lab is not None:
                self._next = now + (AGAIN_SECONDS if found else self._interval)
        finally:
            self._lock.release()
        self._raise()

    def settle(
        self,
        conditions: Callable[[], Iterable[NodeCondition]],
        lab: Lab | None,
        places: Iterable[ExecTarget],
        wait: Callable[[float], object],
    ) -> None:
        """As `check`; what is wrong is waited for until it passes or the run stops."""
        places = tuple(places)
        self.check(conditions, lab, places)
        while self._since:
            wait(max(0.0, self._next - self._clock()))
            self.check(conditions, lab, places)

    @property
    def _interval(self) -> float:
        return LOOK_SECONDS + len(self._ready or ()) / NODES_A_SECOND

    def _raise(self) -> None:
        if self.why is not None:
            raise UnsafeClusterError(self.why)

    def _found(
        self,
        conditions: Callable[[], Iterable[NodeCondition]],
        lab: Lab | None,
        places: Iterable[ExecTarget],
    ) -> list[Message]:
        """What is wrong now."""
        places = _one_a_node(places)
        gone: set[str] = set()
        try:
            nodes = tuple(conditions())
        except RunCancelledError:
            raise
        except PodmeterError:
            # An API server that is away says nothing of the nodes.
            nodes = ()
        else:
            if self._ready is None:
                self._ready = frozenset(node.name for node in nodes if node.ready)
            # Others may go: an idle node that is scaled in harms nothing.
            gone = {str(one.node) for one in places} - {node.name for node in nodes}
        ready = self._ready or frozenset()
        reasons = [why for node in nodes for why in why_stop_by(node, was_ready=node.name in ready)]
        reasons += [why_stop_without(node) for node in sorted(gone)]
        if lab is not None:
            silent = gone | {node.name for node in nodes if not node.ready}
            reasons += _at(lab, [one for one in places if one.node not in silent])
        return reasons


def _one_a_node(places: Iterable[ExecTarget]) -> list[ExecTarget]:
    nearest: dict[str, ExecTarget] = {}
    for place in sorted(
        (one for one in places if one.access in _NEAREST),
        key=lambda one: _NEAREST.index(one.access),
    ):
        if place.node is not None:
            nearest.setdefault(place.node, place)
    return list(nearest.values())


def _at(lab: Lab, places: Sequence[ExecTarget]) -> list[Message]:
    """What is wrong with the nodes of these places; nothing of those that do not tell."""

    def ask(place: ExecTarget) -> list[Message]:
        try:
            output = lab.execute(place, node_room.ARGV, timeout_seconds=_ASK_SECONDS)
            return list(why_stop_at(str(place.node), node_room.parse(output, place.access)))
        except RunCancelledError:
            raise
        except PodmeterError:
            # A pod that is gone is the next trial's to say.
            return []

    if not places:
        return []
    with ThreadPoolExecutor(min(len(places), _AT_ONCE)) as pool:
        return [why for found in pool.map(ask, places) for why in found]
