"""What of an experiment can be measured on a cluster, and obstacles to the rest.

Plan, start of a run, UI and command line say what is found here and decide nothing themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from podmeter.domain.axes import AxisValue
from podmeter.domain.load import NO_LOAD, UNLIMITED, Load, LoadLimits
from podmeter.domain.messages import Message, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from podmeter.domain.cluster_report import ClusterReport, NodeReport, RefusalReport
    from podmeter.domain.planning import Case
    from podmeter.domain.ports import Access

#: How long a preflight tells what a cluster is like.
PREFLIGHT_HOLDS = timedelta(hours=24)


class Level(StrEnum):
    """refused: no run starts. uncertain: none starts unless it is forced. note: a run starts."""

    REFUSED = "refused"
    UNCERTAIN = "uncertain"
    NOTE = "note"


class Fix(StrEnum):
    """What removes an obstacle from within Podmeter."""

    PREFLIGHT = "preflight"
    ALLOW_MODE_SWITCH = "allow_mode_switch"
    ALLOW_SWITCH_BY_HAND = "allow_switch_by_hand"
    ALLOW_HOST_NAMES = "allow_host_names"
    MANIFEST = "manifest"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Obstacles to an experiment on a cluster.

    `code` is stable, `subject` what it is about: a node, an object of the cluster, a capability.
    Where `axis` is set it is of that axis alone, or of its one `value`. `fix` is what Podmeter
    itself can do about it.
    """

    cluster: str
    code: str
    cause: Message
    remedy: Message
    level: Level = Level.REFUSED
    subject: str | None = None
    axis: str | None = None
    value: AxisValue | None = None
    fix: Fix | None = None

    @property
    def said(self) -> Message:
        """Cause and remedy in one sentence."""
        return say("obstacle", cause=self.cause, remedy=self.remedy)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Cases that are not measured on a cluster, while others are: why, and what would help.

    `values` are those of `axis` that no case is left of.
    """

    obstacle: Obstacle
    cases: int
    axis: str | None
    values: tuple[AxisValue, ...]

    @property
    def said(self) -> Message:
        """That they are left out, and why."""
        return say(
            "left_out",
            cluster=self.obstacle.cluster,
            cases=self.cases,
            values=[str(value) for value in self.values] or say("left_out_cases"),
            cause=self.obstacle.cause,
            remedy=self.obstacle.remedy,
        )


@dataclass(frozen=True)
class Feasibility:
    """The judgement of an experiment on its clusters.

    `unavailable` has the modes that the experiment does not name and could not have either.
    `impossible` are the keys of the cases that are left out.
    """

    obstacles: tuple[Obstacle, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unavailable: tuple[Obstacle, ...] = ()
    impossible: frozenset[str] = frozenset()

    def blocking(self, *, force: bool) -> tuple[Obstacle, ...]:
        """What a run is refused for."""
        over = (Level.NOTE, Level.UNCERTAIN) if force else (Level.NOTE,)
        return tuple(one for one in self.obstacles if one.level not in over)

    @property
    def uncertain(self) -> tuple[Obstacle, ...]:
        """What `force` goes past."""
        return tuple(one for one in self.obstacles if one.level is Level.UNCERTAIN)

    def with_others(self, other: Feasibility) -> Feasibility:
        """Both this one and the judgement of another cluster of the same experiment."""
        return Feasibility(
            (*self.obstacles, *other.obstacles),
            (*self.left_out, *other.left_out),
            (*self.unavailable, *other.unavailable),
            self.impossible | other.impossible,
        )


#: What is judged of no cluster.
NOTHING_AGAINST = Feasibility()


@dataclass(frozen=True, slots=True)
class Demand:
    """What one case takes: how close to the nodes it comes, and on how many of them it sits, and
    the load of its trials.
    """

    case: Case
    access: frozenset[Access]
    nodes: int
    load: Load = NO_LOAD


@dataclass(frozen=True)
class Requirements:
    """What an experiment asks of a cluster.

    `modes` are the values that it switches each axis to, `known_modes` all that there are.
    `client` and `server` are the nodes that it names. `services` is the most Services that it
    adds, `node_ports` how many node ports these take. `takes_switching` names the parameters and
    values of axes that take a switch by Podmeter itself. `measured` are the nodes that its requests
    pass, None where they may pass any. Where modes are in effect `beside` each other, `seats` are
    the nodes that each have one of their own, none where there are too few. `rotates`: each round
    is on another pair of nodes. `set_up_load` is what setting up its modes puts on the cluster.
    """

    demands: Sequence[Demand]
    modes: Mapping[str, tuple[AxisValue, ...]]
    known_modes: Mapping[str, tuple[str, ...]]
    hosts: tuple[str, ...] = ()
    client: str | None = None
    server: str | None = None
    services: int = 0
    node_ports: int = 0
    takes_switching: tuple[str, ...] = ()
    measured: frozenset[str] | None = None
    beside: bool = False
    seats: tuple[str, ...] = ()
    rotates: bool = False
    set_up_load: Load = NO_LOAD


@dataclass(frozen=True)
class ClusterState:
    """A cluster as it is registered, with the latest preflight's report.

    `preflight_error` is what the latest preflight failed with, where it did. `outside` says
    whether a worker may be a client outside, None where nobody knows. `credential` is why the
    credentials do not last, None where they do. `by_hand_minutes` is how long a run may wait for
    somebody to switch a mode, None where nobody does. `limits` are those of the load of runs.
    """

    cluster: str
    preflighted_at: datetime | None
    report: ClusterReport | None
    preflight_error: Message | None = None
    needs_restore: Message | None = None
    restored_elsewhere: bool = False
    allow_mode_switch: bool = False
    by_hand_minutes: int | None = None
    allow_host_names: bool = False
    outside: bool | None = None
    credential: Message | None = None
    limits: LoadLimits = UNLIMITED
    measuring_nodes: tuple[NodeReport, ...] = field(init=False)

    def __post_init__(self) -> None:
        """The nodes that take measuring pods, by name."""
        nodes = () if self.report is None else self.report.nodes
        fit = sorted((one for one in nodes if one.why_unfit is None), key=lambda one: one.name)
        object.__setattr__(self, "measuring_nodes", tuple(fit))

    def is_by_hand(self, axis: str) -> bool:
        """Whether somebody switches an axis by hand, as far as the preflight saw."""
        if self.by_hand_minutes is None:
            return False
        if not self.allow_mode_switch:
            return True
        known = None if self.report is None else self.report.modes.get(axis)
        return known is not None and known.why_not is not None

    def refusals(self, access: Access | None) -> list[RefusalReport]:
        """Why pods of one access, or of all for None, are rejected."""
        found = [] if self.report is None else self.report.refusals
        return [one for one in found if one.access == access]


def grouped(whys: Iterable[tuple[str, Message]]) -> dict[Message, list[str]]:
    """The nodes by why they are unfit, each cause once."""
    found: dict[Message, list[str]] = {}
    for node, why in whys:
        found.setdefault(why, []).append(node)
    return found
