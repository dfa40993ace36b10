"""From an experiment to blocks of cases and the order of their trials. Pure and seeded."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from podmeter.domain.axes import BLOCK_AXES, MODE_AXES
from podmeter.domain.modes import CLUSTER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from podmeter.domain.axes import AxisValue, ResolvedAxis
    from podmeter.domain.experiment import Repetition

_Node = TypeVar("_Node")


@dataclass(frozen=True)
class Case:
    """One point of the matrix: axis -> value, kept sorted by axis.

    `once` marks a case with a single trial in each round, without warm-up, before what its rung
    measures: something that happens once, such as climbing to the rung. One that lies on no axis
    but its block's is about setting up the block itself (`sets_up`).
    """

    point: tuple[tuple[str, AxisValue], ...]
    once: bool = False

    @classmethod
    def at(cls, point: Mapping[str, AxisValue], *, once: bool = False) -> Case:
        """The case at `point`."""
        return cls(tuple(sorted(point.items())), once)

    @property
    def key(self) -> str:
        """A stable name: the same point has the same key in every run and version."""
        return ",".join(f"{axis}={quote(str(value), safe='')}" for axis, value in self.point)

    def get(self, axis: str) -> AxisValue | None:
        """The value on `axis`, None where the case does not lie on it."""
        return dict(self.point).get(axis)

    def text(self, axis: str) -> str:
        """The word on `axis`; KeyError where the case has none."""
        return str(dict(self.point)[axis])

    def number(self, axis: str) -> int:
        """The whole number on `axis`; KeyError where the case has none."""
        return int(dict(self.point)[axis])

    @property
    def modes(self) -> tuple[tuple[str, AxisValue], ...]:
        """The part of the point that belongs to the block."""
        return tuple(item for item in self.point if item[0] in BLOCK_AXES)

    @property
    def sets_up(self) -> bool:
        """Whether it is measured by setting up its block, before anything of a kind is there."""
        return self.once and bool(self.point) and self.modes == self.point


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One trial to come. `number` counts from 1, warm-up and counted trials apart."""

    case: Case
    round: int
    number: int
    warmup: bool = False

    @property
    def key(self) -> str:
        """A stable name inside a run."""
        return f"{self.case.key}#r{self.round}{'w' if self.warmup else 't'}{self.number}"


#: A set of modes, each by its axis; where a ladder is climbed once, with the rung's height.
Modes = tuple[tuple[str, "AxisValue"], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """Cases that share one set of cluster modes, in one round; the unit of a worker task.

    Where a ladder is walked rung by rung, `modes` has its height besides: it is set up as they are.
    Where modes are in effect side by side, `seating` has the sets of modes of the round by the
    number of the node that has them, the block's own among them; else it is empty. `node_pair` is
    the round's pair of nodes where pairs change by round.
    `followed` is known to who runs it alone: another block of the run comes after it on the same
    cluster, which may find what this one leaves there.
    """

    index: int
    round: int
    modes: Modes
    cases: tuple[Case, ...]
    trials: tuple[PlannedTrial, ...]
    followed: bool = False
    seating: tuple[Modes, ...] = ()
    node_pair: str | None = None

    @property
    def key(self) -> str:
        """A stable name inside a run."""
        modes = ",".join(f"{axis}={quote(str(value), safe='')}" for axis, value in self.modes)
        return f"r{self.round}:{modes or 'as-is'}"

    @property
    def seat(self) -> int:
        """The number of the node that has its modes; ValueError where none is meant."""
        return self.seating.index(self.modes)

    @property
    def modes_by_seat(self) -> tuple[Modes, ...]:
        """`seating` with what a switcher brings about alone."""
        return tuple(
            tuple(item for item in modes if item[0] in MODE_AXES) for modes in self.seating
        )

    @property
    def of_kind(self) -> Block:
        """The block without what is measured by setting it up: what its kind has to do with."""
        return replace(
            self,
            cases=tuple(case for case in self.cases if not case.sets_up),
            trials=tuple(trial for trial in self.trials if not trial.case.sets_up),
        )


def points(matrix: Mapping[str, Sequence[AxisValue]]) -> list[dict[str, AxisValue]]:
    """All combinations of the matrix's values, the last axis changing fastest."""
    return [
        dict(zip(matrix, values, strict=True)) for values in itertools.product(*matrix.values())
    ]


def in_written_order(cases: Iterable[Case], axes: Sequence[ResolvedAxis]) -> list[Case]:
    """The cases in the order of the axes and of their values; the set-up of modes comes first."""
    places = {axis.name: {one: at for at, one in enumerate(axis.values)} for axis in axes}

    def place(case: Case) -> list[int]:
        point = dict(case.point)
        return [at[point[name]] if name in point else -1 for name, at in places.items()]

    return sorted(cases, key=place)


class LadderOrder(StrEnum):
    """The order in which blocks take the rungs of a ladder.

    RESTART: each block climbs the whole ladder. STEP_BY_STEP: each block has one rung; all sets of
    modes have all their rounds on it before the next rung, so the ladder is climbed once.
    SIDE_BY_SIDE: the same, with all sets of modes in effect at the same time, each on a node of its
    own.
    """

    RESTART = "anew"
    STEP_BY_STEP = "by_rung"
    SIDE_BY_SIDE = "side_by_side"

    @property
    def climbs_once(self) -> bool:
        """Whether all rounds of a rung are measured before the next rung."""
        return self in (LadderOrder.STEP_BY_STEP, LadderOrder.SIDE_BY_SIDE)


#: A set of modes, and the round it is measured in.
RoundModes = tuple[int, Modes]


def plan_blocks(
    cases: Iterable[Case],
    axes: Sequence[ResolvedAxis],
    repetition: Repetition,
    turns: Sequence[RoundModes] | None = None,
    walk: LadderOrder = LadderOrder.RESTART,
    rounds_in_place: Callable[[Mapping[str, AxisValue]], int | None] = lambda point: None,
    pair_of_round: Callable[[int], str | None] = lambda round_: None,
) -> tuple[Block, ...]:
    """The blocks in the order they run: that of `turns`, or a new one.

    Each round has the modes in a random order that the seed decides, balanced so that what drifts
    with time is taken for no mode's effect, and drawn round by round so that nothing that comes and
    goes with the rounds is (`_balanced`). A ladder is climbed in one round, and measured on the way
    down in the next. Inside a block the trials are
    interleaved: one of each case in a random order, then again; on a ladder this happens inside
    each rung, one stage after another. What is measured by setting up the block comes first. The
    order depends on the seed, the round and the block
    only. Raises ValueError for two cases with one key.

    Where the ladder is climbed once, each rung has rounds of its own. `rounds_in_place` is for how
    many rounds nodes keep their modes on a rung where these are side by side (`seats`).
    `pair_of_round` is the pair of nodes of a round where pairs change by round: all blocks of a
    round have the same, so that modes are compared on it.
    """
    rungs_of = [axis.name for axis in axes if axis.ladder] if walk.climbs_once else []
    shared = {*BLOCK_AXES, *rungs_of}
    by_modes: dict[Modes, list[Case]] = {}
    seen: set[str] = set()
    for case in cases:
        if case.key in seen:
            raise ValueError(f"two cases share the key {case.key}")
        seen.add(case.key)
        modes = tuple(item for item in case.point if item[0] in shared)
        by_modes.setdefault(modes, []).append(case)
    blocks: list[Block] = []
    if turns is None:
        turns = list(
            _turns_of_rungs(by_modes, repetition, rungs_of)
            if walk.climbs_once
            else _turns(by_modes, repetition)
        )
    for round_, modes in turns:
        members = by_modes[modes]
        order = random.Random(f"{repetition.seed}/{round_}/{len(blocks)}")  # noqa: S311
        trials = [PlannedTrial(case, round_, 1) for case in members if case.sets_up]
        stages = _stages([case for case in members if not case.sets_up], axes)
        down = _mirrors(round_)
        for stage in reversed(stages) if down else stages:
            rungs = [_rung(rung, round_, repetition, order) for rung in stage]
            trials += _climbed(rungs, down=down)
        seating: tuple[Modes, ...] = ()
        if walk is LadderOrder.SIDE_BY_SIDE:
            apart = (CLUSTER, *rungs_of)
            beside = [one for one in by_modes if _alike_on(one, modes, apart)]
            slot = slot_of(round_, rounds_in_place(dict(modes)))
            seating = seats(beside, slot, repetition.seed)
        blocks.append(
            Block(
                len(blocks),
                round_,
                modes,
                tuple(members),
                tuple(trials),
                seating=seating,
                node_pair=pair_of_round(round_),
            )
        )
    return tuple(blocks)


def slot_of(round_: int, rounds_in_place: int | None) -> int:
    """Which of the stretches a round is in during which nodes keep their modes, from 0.

    Each is of so many rounds; without any number it is the only one.
    """
    return (round_ - 1) // rounds_in_place if rounds_in_place else 0


def nodes_of_seat(nodes: Sequence[_Node], seat: int) -> tuple[_Node, _Node]:
    """The client's and the server's node of a seat, of all nodes that are in modes side by side.

    The first half of `nodes` are the clients', the second half the servers'.
    """
    return nodes[seat], nodes[seat + len(nodes) // 2]


def seats(sets: Sequence[Modes], slot: int, seed: int) -> tuple[Modes, ...]:
    """The sets of modes by the number of the node that has them during a slot.

    In as many slots as there are sets each node has each of them once, in an order that the seed
    decides: what a node is by itself then counts for no mode.
    """
    count = len(sets)
    turn, place = divmod(slot, count)
    order = random.Random(f"{seed}/seats/{turn}").sample(range(count), count)  # noqa: S311
    return tuple(sets[(seat + order[place]) % count] for seat in range(count))


def _alike_on(one: Modes, other: Modes, axes: Iterable[str]) -> bool:
    mine, theirs = dict(one), dict(other)
    return all(mine.get(axis) == theirs.get(axis) for axis in axes)


#: So many rounds have a balanced order together.
_BALANCED = 6
#: How many more of them may have one of two modes before the other than after it.
_MOST_AHEAD = 2
#: Pairs of modes that are checked before the most balanced draw is taken.
_MOST_LOOKS = 20_000


def _turns(sets: Iterable[Modes], repetition: Repetition) -> Iterable[RoundModes]:
    """Every set of modes once a round, each six rounds in a balanced random order."""
    modes = list(sets)
    draw = random.Random(f"{repetition.seed}/modes")  # noqa: S311
    for number, order in enumerate(balanced_orders(len(modes), repetition.rounds, draw), 1):
        yield from ((number, modes[place]) for place in order)


def balanced_orders(count: int, rounds: int, draw: random.Random) -> list[list[int]]:
    """An order of so many things for each round, each drawn by itself.

    Six of them are drawn again until of any two things one is before the other in two to four of
    the six. So a steady drift is for nobody, and yet hardly any order of the rounds is left out
    that a disturbance of some period could fall in with. Of many things the most balanced of
    several draws is taken.
    """
    pairs = list(itertools.combinations(range(count), 2))
    found: list[list[int]] = []
    while len(found) < rounds:
        best: tuple[int, list[list[int]]] | None = None
        for _ in range(max(1, _MOST_LOOKS // max(1, len(pairs)))):
            orders = [draw.sample(range(count), count) for _ in range(_BALANCED)]
            places = [{thing: place for place, thing in enumerate(order)} for order in orders]
            ahead = (
                abs(sum(1 if at[one] < at[two] else -1 for at in places)) for one, two in pairs
            )
            worst = max(ahead, default=0)
            if best is None or worst < best[0]:
                best = worst, orders
            if worst <= _MOST_AHEAD:
                break
        found += [] if best is None else best[1]
    return found[:rounds]


def _turns_of_rungs(
    sets: Iterable[Modes],
    repetition: Repetition,
    ladders: Sequence[str],
) -> Iterable[RoundModes]:
    """All rounds of the lowest rung, each in a balanced random order; then those of the next."""
    by_rung: dict[tuple[AxisValue, ...], list[Modes]] = {}
    for modes in sets:
        rung = tuple(dict(modes)[name] for name in ladders)
        by_rung.setdefault(rung, []).append(modes)
    for rung in sorted(by_rung):
        there = by_rung[rung]
        draw = random.Random(f"{repetition.seed}/modes/{rung}")  # noqa: S311
        orders = balanced_orders(len(there), repetition.rounds, draw)
        for number, order in enumerate(orders, 1):
            yield from ((number, there[place]) for place in order)


def _mirrors(round_: int) -> bool:
    return round_ % 2 == 0


def _stages(cases: Sequence[Case], axes: Sequence[ResolvedAxis]) -> list[list[list[Case]]]:
    """The groups that trials are interleaved in: stages as given, of each its rungs upwards."""
    stages = [axis.name for axis in axes if axis.staged]
    ladders = [axis.name for axis in axes if axis.ladder]
    groups: dict[tuple[AxisValue | None, ...], dict[tuple[int, ...], list[Case]]] = {}
    for case in cases:
        stage = groups.setdefault(tuple(case.get(name) for name in stages), {})
        stage.setdefault(tuple(case.number(name) for name in ladders), []).append(case)
    return [[rungs[height] for height in sorted(rungs)] for rungs in groups.values()]


#: What happens once on a rung, and the trials that are repeated there.
_Rung = tuple[list[PlannedTrial], list[PlannedTrial]]


def _rung(
    cases: Sequence[Case], round_: int, repetition: Repetition, order: random.Random
) -> _Rung:
    once = [PlannedTrial(case, round_, 1) for case in cases if case.once]
    return once, _interleaved(cases, round_, repetition, order)


def _climbed(rungs: Sequence[_Rung], *, down: bool) -> list[PlannedTrial]:
    """From the ground. What happens once is the way up, whichever way is measured."""
    if down:
        ups = [trial for once, _ in rungs for trial in once]
        return ups + [trial for _, repeated in reversed(rungs) for trial in repeated]
    return [trial for once, repeated in rungs for trial in (*once, *repeated)]


def _interleaved(
    cases: Sequence[Case], round_: int, repetition: Repetition, order: random.Random
) -> list[PlannedTrial]:
    repeated = [case for case in cases if not case.once]
    trials = []
    for warmup, count in ((True, repetition.warmup), (False, repetition.trials)):
        for number in range(1, count + 1):
            shuffled = order.sample(repeated, len(repeated))
            trials += [PlannedTrial(case, round_, number, warmup) for case in shuffled]
    return trials
