"""Centres of both sides that a comparison's effect is the difference of.

An effect is estimated from rounds or from all pairs of trials, so the medians of all trials, each
by itself, may lie the other way round. What is shown beside an effect are these centres: the
contender's over the baseline's is the ratio, where there is one, else their difference the shift.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import exp, fsum, log, sqrt

from podmeter.statistics import round_tests
from podmeter.statistics.comparison import Comparison
from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.sample import Sample, common_rounds, middle
from podmeter.statistics.scipy_typed import t_quantile
from podmeter.statistics.summary import median
from podmeter.statistics.verdict import Level


class Estimator(StrEnum):
    """What a comparison's centres are.

    geometric_rounds
        The geometric mean of the rounds' medians, of those rounds that enter the comparison.
    mean_rounds
        Their mean, where a value is zero or negative.
    shifted_medians
        Inside a block: the medians of the trials, moved by the same share towards or away from
        each other until they lie as far apart as the Hodges-Lehmann shift says.
    """

    GEOMETRIC_ROUNDS = "geometric_rounds"
    MEAN_ROUNDS = "mean_rounds"
    SHIFTED_MEDIANS = "shifted_medians"


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
    if found.level is Level.TRIAL:
        return _shifted(baseline, contender, found, confidence)
    ratio = found.ratio is not None
    if found.level is Level.BLOCK:
        strata, _ = common_rounds(baseline, contender)
        sides = [[pair[side] for pair in strata] for side in (0, 1)]
        medians = [[middle(sorted(trials)) for trials in side] for side in sides]
    else:
        sides = [list(one.filled_rounds) for one in (baseline, contender)]
        medians = [list(baseline.medians), list(contender.medians)]
    one, two = (
        _of_rounds(side, of_side, confidence, ratio=ratio)
        for side, of_side in zip(sides, medians, strict=True)
    )
    return Centres(one, two, Estimator.GEOMETRIC_ROUNDS if ratio else Estimator.MEAN_ROUNDS)


def _of_rounds(
    rounds: Sequence[Sequence[float]], medians: Sequence[float], confidence: float, *, ratio: bool
) -> Estimate:
    values = [log(one) for one in medians] if ratio else medians
    count = len(values)
    mean = fsum(values) / count
    found = Estimate(mean, None)
    if count > 1:
        variance = fsum((one - mean) ** 2 for one in values) / (count - 1)
        reach = _t(confidence, count - 1) * sqrt(variance / count)
        found = Estimate(mean, Interval(mean - reach, mean + reach, confidence))
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


def _shifted(
    baseline: Sample, contender: Sample, found: Comparison, confidence: float
) -> Centres | None:
    one, two = median(baseline, confidence), median(contender, confidence)
    if one is None or two is None or found.shift is None:
        return None
    if found.ratio is not None and one.value > 0 and two.value > 0:
        middle_ = sqrt(one.value * two.value)
        apart = exp(log(found.ratio.value) / 2)
        moved = _scaled(one, middle_ / apart), _scaled(two, middle_ * apart)
    else:
        middle_ = (one.value + two.value) / 2
        apart = found.shift.value / 2
        moved = _moved(one, middle_ - apart), _moved(two, middle_ + apart)
    return Centres(*moved, Estimator.SHIFTED_MEDIANS)


def _scaled(of: Estimate, to: float) -> Estimate:
    factor = to / of.value
    return Estimate(to, _ends(of, lambda end: end * factor))


def _moved(of: Estimate, to: float) -> Estimate:
    by = to - of.value
    return Estimate(to, _ends(of, lambda end: end + by))


def _ends(of: Estimate, change: Callable[[float], float]) -> Interval | None:
    if of.interval is None:
        return None
    return Interval(change(of.interval.low), change(of.interval.high), of.interval.confidence)
