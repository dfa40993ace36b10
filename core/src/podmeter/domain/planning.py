"""From an experiment to blocks of cases and the order of their trials. Pure and seeded."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from podmeter.domain.modes import BLOCK_AXES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from podmeter.domain.axes import AxisValue, ResolvedAxis
    from podmeter.domain.experiment import Repetition


@dataclass(frozen=True)
class Case:
    """One point of the matrix: axis -> value, kept sorted by axis.

    `once` marks a case with a single trial in each round, without warm-up, at the head of its
    rung: something that happens once, such as climbing to the rung.
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


@dataclass(frozen=True, slots=True)
class Block:
    """Cases that share one set of cluster modes, in one round; the unit of a worker task."""

    index: int
    round: int
    modes: tuple[tuple[str, AxisValue], ...]
    cases: tuple[Case, ...]
    trials: tuple[PlannedTrial, ...]

    @property
    def key(self) -> str:
        """A stable name inside a run."""
        modes = ",".join(f"{axis}={quote(str(value), safe='')}" for axis, value in self.modes)
        return f"r{self.round}:{modes or 'as-is'}"


def points(matrix: Mapping[str, Sequence[AxisValue]]) -> list[dict[str, AxisValue]]:
    """All combinations of the matrix's values, the last axis changing fastest."""
    return [
        dict(zip(matrix, values, strict=True)) for values in itertools.product(*matrix.values())
    ]


def plan_blocks(
    cases: Iterable[Case], axes: Sequence[ResolvedAxis], repetition: Repetition
) -> tuple[Block, ...]:
    """The blocks in the order they run.

    Every round goes through all sets of modes (A B A B), so that a drift of the machines is not
    taken for a mode's effect. Inside a block the trials are interleaved: one of each case in a
    random order, then again; on a ladder this happens inside each rung, lowest rung first, one
    stage after another. The order depends on the seed, the round and the block only. Raises
    ValueError for two cases with one key.
    """
    by_modes: dict[tuple[tuple[str, AxisValue], ...], list[Case]] = {}
    seen: set[str] = set()
    for case in cases:
        if case.key in seen:
            raise ValueError(f"two cases share the key {case.key}")
        seen.add(case.key)
        by_modes.setdefault(case.modes, []).append(case)
    blocks: list[Block] = []
    for round_ in range(1, repetition.rounds + 1):
        for modes, members in by_modes.items():
            order = random.Random(f"{repetition.seed}/{round_}/{len(blocks)}")  # noqa: S311
            trials: list[PlannedTrial] = []
            for rung in _rungs(members, axes):
                trials += _interleaved(rung, round_, repetition, order)
            blocks.append(Block(len(blocks), round_, modes, tuple(members), tuple(trials)))
    return tuple(blocks)


def _rungs(cases: Sequence[Case], axes: Sequence[ResolvedAxis]) -> list[list[Case]]:
    """The groups that trials are interleaved in: by stage as given, then up the ladder."""
    stages = [axis.name for axis in axes if axis.staged]
    ladders = [axis.name for axis in axes if axis.ladder]
    groups: dict[tuple[AxisValue | None, ...], dict[tuple[int, ...], list[Case]]] = {}
    for case in cases:
        stage = groups.setdefault(tuple(case.get(name) for name in stages), {})
        stage.setdefault(tuple(case.number(name) for name in ladders), []).append(case)
    return [rungs[height] for rungs in groups.values() for height in sorted(rungs)]


def _interleaved(
    cases: Sequence[Case], round_: int, repetition: Repetition, order: random.Random
) -> list[PlannedTrial]:
    trials = [PlannedTrial(case, round_, 1) for case in cases if case.once]
    repeated = [case for case in cases if not case.once]
    for warmup, count in ((True, repetition.warmup), (False, repetition.trials)):
        for number in range(1, count + 1):
            shuffled = order.sample(repeated, len(repeated))
            trials += [PlannedTrial(case, round_, number, warmup) for case in shuffled]
    return trials
