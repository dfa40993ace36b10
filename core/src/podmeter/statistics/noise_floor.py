"""How far a cluster differs from itself: within a block, between blocks, between runs.

From runs of one thing under conditions that nothing tells apart. Of each level the standard
deviation is pooled over the groups that share what is above it, with the sum of their degrees of
freedom: the trials of a block about its mean, the blocks of a round (or, where a round has one,
of a run) about theirs, the runs of a condition about theirs. A block's figure is the median of
its trials, a run's the mean of its blocks'. Intervals are those of a normal distribution's
variance, by chi-square: NIST/SEMATECH, e-Handbook of Statistical Methods, 7.2.3; blocks and runs
as levels of their own: T. Kalibera and R. Jones, Rigorous benchmarking in reasonable time (2013).
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from podmeter.statistics.interval import Interval
from podmeter.statistics.sample import Sample
from podmeter.statistics.scipy_typed import chi_square_quantile
from podmeter.statistics.summary import middle

CONFIDENCE = 0.95
#: The least runs that verdicts between two others may rest on. With fewer the prediction interval
#: is there, but no longer holds where single runs lie far out; by simulation, docs/measuring.md.
RUNS_NEEDED = 4


@dataclass(frozen=True, slots=True)
class FloorRun:
    """One run under one condition: its blocks' trials by arm, each arm's by round.

    `arms` are set up alike, so they differ by what blocks differ by; a run without has one.
    """

    name: Hashable
    arms: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """A standard deviation, its degrees of freedom, its interval, how many figures it is of."""

    deviation: float
    freedom: int
    interval: Interval
    n: int


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """The three levels, in shares of the figure (`relative`) or in its unit; None is not known.

    `blocks_of_run` is of blocks about their run's mean, which holds the rounds' moods too;
    `rounds` is how many blocks a run's figure is the mean of at most.
    """

    relative: bool
    within: Spread | None
    blocks: Spread | None
    blocks_of_run: Spread | None
    runs: Spread | None
    rounds: int


@dataclass(frozen=True, slots=True)
class Floors:
    """The noise floor of one figure in both scales, `relative` where all values are above zero.

    `covers` is whether its runs lie as far apart in time as those that it is to judge.
    """

    relative: NoiseFloor | None
    absolute: NoiseFloor
    covers: bool = True


def noise_floor(conditions: Iterable[Sequence[FloorRun]], *, relative: bool) -> NoiseFloor | None:
    """The noise floor from runs by condition; None where none has a value, or a share no meaning.

    Conditions may differ in their level and are taken to differ from themselves alike. A run that
    is in several of them tells of its day once.
    """
    kept = [list(runs) for runs in conditions]
    samples = [arm for runs in kept for one in runs for arm in one.arms]
    values = [value for sample in samples for value in sample.values]
    if not values or (relative and min(values) <= 0):
        return None
    scale: Callable[[float], float] = log if relative else float
    trials, rounds, of_runs, runs = _Pool(), _Pool(), _Pool(), _Pool()
    for condition in kept:
        centres: dict[int, list[float]] = {}
        for one in condition:
            arms = [
                {place: block for place, block in enumerate(sample.rounds) if block}
                for sample in one.arms
            ]
            for arm in arms:
                trials.add_all([scale(value) for value in block] for block in arm.values())
            blocks = [
                {place: scale(middle(sorted(block))) for place, block in arm.items()}
                for arm in arms
            ]
            rounds.add_all(_exchangeable(blocks))
            of_runs.add_all(list(arm.values()) for arm in blocks)
            for number, arm_blocks in enumerate(blocks):
                if arm_blocks:
                    centre = float(np.mean(list(arm_blocks.values())))
                    centres.setdefault(number, []).append(centre)
        runs.add_all(centres.values())
    names = {one.name for condition in kept for one in condition if any(s.n for s in one.arms)}
    return NoiseFloor(
        relative=relative,
        within=trials.spread(),
        blocks=rounds.spread(),
        blocks_of_run=of_runs.spread(),
        runs=runs.spread(most=len(names) - 1, n=len(names)),
        rounds=max(len(sample.filled_rounds) for sample in samples),
    )


class _Pool:
    """Sums of squares of groups about their means."""

    def __init__(self) -> None:
        self.squares, self.freedom, self.n = 0.0, 0, 0

    def add_all(self, groups: Iterable[Iterable[float]]) -> None:
        for group in groups:
            values = np.asarray(list(group), float)
            if values.size > 1:
                self.squares += float(((values - values.mean()) ** 2).sum())
                self.freedom += values.size - 1
                self.n += values.size

    def spread(self, most: int | None = None, n: int | None = None) -> Spread | None:
        """None without two figures to compare; `most` degrees of freedom count, of `n` figures."""
        if self.freedom == 0:
            return None
        variance = self.squares / self.freedom
        freedom = self.freedom if most is None else min(self.freedom, most)
        low, high = (
            sqrt(variance * freedom / chi_square_quantile(share, freedom))
            for share in ((1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2)
        )
        found = Interval(low, high, CONFIDENCE)
        return Spread(sqrt(variance), freedom, found, self.n if n is None else n)


def _exchangeable(arms: Sequence[Mapping[int, float]]) -> list[list[float]]:
    """Blocks that nothing tells apart: those of a round, or all of one arm where it is alone."""
    if len(arms) == 1:
        return [list(arms[0].values())]
    places = sorted({place for arm in arms for place in arm})
    return [[arm[place] for arm in arms if place in arm] for place in places]
