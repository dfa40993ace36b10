"""Centres of both sides that a comparison's effect is the difference of.

An effect is estimated from rounds, so the medians of all trials, each by itself, may lie the other
way round. What is shown beside an effect are these centres: the contender's over the baseline's is
the ratio, where there is one, else their difference the shift. Where a control moved, the
contender's centre is what it would be had it not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from math import fsum, log, sqrt

from podmeter.statistics import round_tests
from podmeter.statistics.comparison import Comparison
from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.sample import Sample, middle
from podmeter.statistics.scipy_typed import t_quantile
from podmeter.statistics.verdict import Level


class Estimator(StrEnum):
    """What a comparison's centres are.

    geometric_rounds
        The geometric mean of the rounds' medians, of those rounds that enter the comparison.
    mean_rounds
        Their mean, where a value is zero or negative.
    """

    GEOMETRIC_ROUNDS = "geometric_rounds"
    MEAN_ROUNDS = "mean_rounds"


@dataclass(frozen=True, slots=True)
class Centres:
    """Both sides' centres with their intervals, and what they are."""

    baseline: Estimate
    contender: Estimate
    estimator: Estimator


def centres(
    baseline: Sample, contender: Sample, found: Comparison, *, confidence: float = 0.95
) -> Centres | None:
    """The centres of both samples that `found`, their comparison, is the difference of.

    None where nothing was compared.
    """
    if found.shift is None:
        return None
    ratio = found.ratio is not None
    groups: tuple[str, ...] = ()
    if found.level is Level.BLOCK:
        strata = found.strata(baseline, contender)
        sides = [[pair[side] for pair in strata] for side in (0, 1)]
        medians = [[middle(sorted(trials)) for trials in side] for side in sides]
        groups = found.groups
    else:
        sides = [list(one.filled_rounds) for one in (baseline, contender)]
        medians = [list(baseline.medians), list(contender.medians)]
    one, two = (
        _of_rounds(side, of_side, confidence, groups, ratio=ratio)
        for side, of_side in zip(sides, medians, strict=True)
    )
    if found.correlation is not None:
        two = _controlled(one, two, found)
    return Centres(one, two, Estimator.GEOMETRIC_ROUNDS if ratio else Estimator.MEAN_ROUNDS)


def _controlled(one: Estimate, two: Estimate, found: Comparison) -> Estimate:
    """The contender's centre, moved to where the effect puts it."""
    if found.ratio is not None:
        to = one.value * found.ratio.value
    elif found.shift is not None:
        to = one.value + found.shift.value
    else:
        return two
    by = to - two.value
    interval = two.interval
    if interval is not None:
        interval = replace(interval, low=interval.low + by, high=interval.high + by)
    return Estimate(to, interval)


def _of_rounds(
    rounds: Sequence[Sequence[float]],
    medians: Sequence[float],
    confidence: float,
    groups: Sequence[str],
    *,
    ratio: bool,
) -> Estimate:
    values = [log(one) for one in medians] if ratio else medians
    count = len(values)
    mean = fsum(values) / count
    found = Estimate(mean, None)
    if count > 1 and groups:
        reach = round_tests.reach(values, groups, confidence)
        if reach is not None:
            found = Estimate(mean, Interval(mean - reach, mean + reach, confidence))
    elif count > 1:
        variance = fsum((one - mean) ** 2 for one in values) / (count - 1)
        half = _t(confidence, count - 1) * sqrt(variance / count)
        found = Estimate(mean, Interval(mean - half, mean + half, confidence))
    if ratio:
        return round_tests.as_ratio(found)
    return _from_zero(found) if min(map(min, rounds)) >= 0 else found


def _from_zero(found: Estimate) -> Estimate:
    """The same of what cannot be negative, a count for instance."""
    interval = found.interval
    if interval is None or interval.low >= 0:
        return found
    return Estimate(found.value, Interval(0.0, interval.high, interval.confidence))


@lru_cache(maxsize=64)
def _t(confidence: float, freedom: int) -> float:
    return t_quantile((1 + confidence) / 2, freedom)
