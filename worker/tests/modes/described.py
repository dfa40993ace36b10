"""What the conformance suite has to know of a switcher on a cluster of objects.

Each switcher has its own in `<switcher>/conformance.py`, as `DESCRIBED`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from podmeter_worker.kube.client import KubeClient
from podmeter_worker.modes.switcher import Saved, SwitchContext, Switcher

from .cluster_of_objects import NODES_OF, ClusterOfObjects, site_of


@dataclass(frozen=True)
class Described:
    """A switcher, and a cluster in one state in which it can act.

    `set_up` brings an empty cluster into that state, where `stood` is in effect. `tour` are the
    values that are switched to in turn; all that can be had are among them. `in_effect` asserts
    that the nodes show a value, and that nothing of another one is left on them. With `nodes` it is
    switched on these alone.

    `lacking` are modules of the kernel with a value that takes them. `beside` has somebody else
    write a number into an object that is switched, where it says nothing of the mode, `kept` reads
    it. `touches` are what somebody else may do so that a mode is no longer the switched mode, or
    was not all the time. `unusable` is what could have been saved by nobody. `as_written` is what
    else an owner may have written, with the code by which that is refused, or None.
    `impatient` are seconds that a real cluster takes, by where they are written. With `hides_stuck`
    a node that keeps the mode of before cannot be told by what the nodes do.
    """

    name: str
    switcher: Switcher
    cluster: type[Any]
    set_up: Callable[[Any], object]
    stood: str
    tour: tuple[str, ...]
    in_effect: Callable[[Any, str], None]
    lacking: Mapping[str, str]
    beside: Callable[[KubeClient, int], object]
    kept: Callable[[Any], object]
    touches: Mapping[str, Callable[[KubeClient], object]]
    impatient: Mapping[str, object]
    unusable: tuple[Saved, ...] = ()
    as_written: Mapping[str, tuple[Callable[[Any], object], str | None]] = field(
        default_factory=dict
    )
    nodes: tuple[str, ...] | None = None
    hides_stuck: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def axis(self) -> str:
        return self.switcher.axis

    @property
    def switched_nodes(self) -> tuple[str, ...]:
        return tuple(NODES_OF) if self.nodes is None else self.nodes

    @contextmanager
    def context(self, cluster: ClusterOfObjects, *of: Any) -> Iterator[SwitchContext]:
        """A worker's view of it, as it switches."""
        with site_of(cluster, *of) as context:
            yield context if self.nodes is None else replace(context, nodes=frozenset(self.nodes))
