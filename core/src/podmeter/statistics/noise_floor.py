"""How far a cluster differs from itself: within a block, between blocks, between runs.

From repeated runs under the same conditions. Of each level the standard
deviation is pooled over the groups that share what is above it, with the sum of their degrees of
freedom: the trials of a block about its mean, the blocks of a round (or, where a round has one,
of a run) about theirs, the runs of a condition about theirs. A block's figure is the median of
its trials, a run's the mean of its blocks'. Intervals are those of a normal distribution's
variance, by chi-square: NIST/SEMATECH, e-Handbook of Statistical Methods, 7.2.3; blocks and runs
as levels of their own: T. Kalibera and R. Jones, Rigorous benchmarking in reasonable time (2013).
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest
from math import fsum, log, sqrt
from operator import attrgetter

from podmeter.statistics.interval import Interval
from podmeter.statistics.sample import Sample
from podmeter.statistics.scipy_typed import chi_square_quantile

CONFIDENCE = 0.95
#: The least runs that verdicts between two others may rest on. With fewer the prediction interval
#: is there, but no longer holds where single runs lie far out; by simulation,
#: docs/explanation/verdicts.md.
RUNS_NEEDED = 4


@dataclass(frozen=True, slots=True)
class Squares:
    """Sums of squares of groups about their means: of groups of two and more, `n` figures."""

    sum: float
    freedom: int
    n: int

    @classmethod
    def of(cls, groups: Iterable[Sequence[float]]) -> "Squares":
        """Of all groups together."""
        total, freedom, n = 0.0, 0, 0
        for group in groups:
            size = len(group)
            if size > 1:
                mean = fsum(group) / size
                total += fsum((value - mean) ** 2 for value in group)
                freedom += size - 1
                n += size
        return cls(total, freedom, n)


@dataclass(frozen=True, slots=True)
class FloorArm:
    """What a floor takes of one arm of a run: its blocks' medians, by round, and their trials.

    A round without trials has None. `trials` are of each block about its mean, `logarithms` the
    same of their logarithms: None where one has none.
    """

    medians: tuple[float | None, ...]
    trials: Squares
    logarithms: Squares | None

    @classmethod
    def of(cls, sample: Sample) -> "FloorArm":
        """Of the arm's trials by round."""
        logarithms = None
        if all(value > 0 for block in sample.rounds for value in block):
            logarithms = Squares.of([log(value) for value in block] for block in sample.rounds)
        filled = iter(sample.medians)
        medians = (next(filled) if block else None for block in sample.rounds)
        return cls(tuple(medians), Squares.of(sample.rounds), logarithms)


@dataclass(frozen=True, slots=True)
class _RunSpread:
    """What one run says in one scale; `centres` are its arms', None of one without trials."""

    trials: Squares
    rounds: Squares
    of_run: Squares
    centres: tuple[float | None, ...]


@dataclass(frozen=True)
class FloorRun:
    """One run under one condition: what a floor takes of each arm.

    `arms` are set up alike, so they differ by what blocks differ by; a run without has one.
    """

    name: Hashable
    arms: tuple[FloorArm, ...]

    @classmethod
    def of(cls, name: Hashable, *arms: Sample) -> "FloorRun":
        """Of each arm's trials."""
        return cls(name, tuple(map(FloorArm.of, arms)))

    # Kept, since a run is held against many others.
    @cached_property
    def rounds(self) -> int:
        """How many rounds of an arm have trials, at most; 0 where nothing was counted."""
        return max((len(_by_place(arm.medians)) for arm in self.arms), default=0)

    @cached_property
    def absolute(self) -> _RunSpread:
        """In the metric's unit."""
        blocks = [_by_place(arm.medians) for arm in self.arms]
        return _said([arm.trials for arm in self.arms], blocks)

    @cached_property
    def relative(self) -> _RunSpread | None:
        """In logarithms; None where a value has none."""
        trials = [arm.logarithms for arm in self.arms if arm.logarithms is not None]
        if len(trials) < len(self.arms):
            return None
        blocks = [
            {place: log(median) for place, median in _by_place(arm.medians).items()}
            for arm in self.arms
        ]
        return _said(trials, blocks)


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
    kept = [[one for one in runs if one.rounds] for runs in conditions]
    told = [[one.relative if relative else one.absolute for one in runs] for runs in kept]
    every = [said for condition in told for said in condition]
    names = {one.name for condition in kept for one in condition}
    if not every or None in every:
        return None
    between: list[list[float]] = []
    for condition in told:
        # An arm's place by itself, as a run may lack it.
        arms = zip_longest(*(said.centres for said in condition if said is not None))
        between += [[one for one in centres if one is not None] for centres in arms]
    trials, rounds, of_run = (
        _pooled(level(said) for said in every if said is not None) for level in _LEVELS
    )
    return NoiseFloor(
        relative=relative,
        within=_spread(trials),
        blocks=_spread(rounds),
        blocks_of_run=_spread(of_run),
        runs=_spread(Squares.of(between), most=len(names) - 1, n=len(names)),
        rounds=max(one.rounds for condition in kept for one in condition),
    )


def _pooled(found: Iterable[Squares]) -> Squares:
    """All groups of all together."""
    sums, freedom, n = zip(*map(_PARTS, found), strict=True)
    return Squares(sum(sums), sum(freedom), sum(n))


def _spread(pooled: Squares, most: int | None = None, n: int | None = None) -> Spread | None:
    """None without two figures to compare; `most` degrees of freedom count, of `n` figures."""
    if pooled.freedom == 0:
        return None
    variance = pooled.sum / pooled.freedom
    freedom = pooled.freedom if most is None else min(pooled.freedom, most)
    low, high = (
        sqrt(variance * freedom / _chi_square(share, freedom))
        for share in ((1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2)
    )
    found = Interval(low, high, CONFIDENCE)
    return Spread(sqrt(variance), freedom, found, pooled.n if n is None else n)


_LEVELS = tuple(map(attrgetter, ("trials", "rounds", "of_run")))
_PARTS = attrgetter("sum", "freedom", "n")
_chi_square = lru_cache(maxsize=1024)(chi_square_quantile)


def _by_place(medians: Sequence[float | None]) -> dict[int, float]:
    return {place: median for place, median in enumerate(medians) if median is not None}


def _said(trials: Iterable[Squares], blocks: Sequence[Mapping[int, float]]) -> _RunSpread:
    return _RunSpread(
        _pooled(trials),
        Squares.of(_exchangeable(blocks)),
        Squares.of([list(arm.values()) for arm in blocks]),
        tuple(fsum(arm.values()) / len(arm) if arm else None for arm in blocks),
    )


def _exchangeable(arms: Sequence[Mapping[int, float]]) -> list[list[float]]:
    """Blocks under the same conditions: those of a round, or all of a single group."""
    if len(arms) == 1:
        return [list(arms[0].values())]
    places = sorted({place for arm in arms for place in arm})
    return [[arm[place] for arm in arms if place in arm] for place in places]
