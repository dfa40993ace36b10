"""From a sample to what is shown of it: centre, interval, n, spread, warnings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from podmeter.statistics import round_tests
from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.quantiles import (
    median_interval_needs,
    median_interval_places,
    quantile,
)
from podmeter.statistics.sample import Sample
from podmeter.statistics.scipy_typed import kruskal_p, t_quantile
from podmeter.statistics.warnings import StatisticsWarning, WarningCode

QUARTILES = (0.25, 0.75)
ROUNDS_DIFFER_BELOW = 0.05


@dataclass(frozen=True)
class Quantile:
    """A probability and the value below which that share of the trials lies; None if unknown."""

    probability: float
    value: float | None


@dataclass(frozen=True)
class Summary:
    """What is said of one sample. All values are in the sample's unit; None is unknown.

    median
        The median of the rounds' medians, so that every round weighs alike however many of
        its trials survived, and one disturbed round does not move it. Its interval is the
        distribution-free one of order statistics, widened to enclose every round's median.
    mean
        The mean of the rounds' means. Over several rounds its interval is the t interval of
        the rounds' means (n = rounds), because trials of one round are not independent
        evidence of what another round would give (Kalibera and Jones, Rigorous Benchmarking
        in Reasonable Time, 2013); of one round, the t interval of its trials. Of rounds in groups
        the interval includes the spread between groups; of one group there is none.
    standard_deviation
        Within the rounds, pooled with their degrees of freedom.
    spread
        maximum - minimum.
    """

    n: int
    rounds: int
    median: Estimate | None
    mean: Estimate | None
    round_medians: tuple[float, ...]
    quantiles: tuple[Quantile, ...]
    minimum: float | None
    maximum: float | None
    spread: float | None
    standard_deviation: float | None
    warnings: tuple[StatisticsWarning, ...]


def summarize(
    sample: Sample,
    *,
    confidence: float = 0.95,
    probabilities: Sequence[float] = QUARTILES,
    least: float | None = None,
) -> Summary:
    """Summarize a sample. An empty one gives n = 0, no figures, and says so.

    `least` is the least value that the quantity can have, such as 0 for a time or a rate. The t
    interval of the mean knows nothing of it and is cut there; one of order statistics never
    leaves the values that were measured.

    The intervals hold for the rounds that were measured. Rounds that differ by more than
    their trials explain (Kruskal-Wallis, p < 0.05) are a warning: more rounds are needed to
    say what yet another round would give.
    """
    if sample.n == 0:
        nothing = tuple(Quantile(one, None) for one in probabilities)
        empty = (StatisticsWarning(WarningCode.NO_TRIALS),)
        return Summary(0, 0, None, None, (), nothing, None, None, None, None, empty)
    rounds = sample.filled_rounds
    medians = tuple(float(np.median(one)) for one in rounds)
    quantiles = tuple(Quantile(one, quantile(sample.values, one)) for one in probabilities)
    minimum, maximum = min(sample.values), max(sample.values)
    return Summary(
        n=sample.n,
        rounds=len(rounds),
        median=median(sample, confidence),
        mean=_within(_mean(rounds, confidence, sample.filled_groups), least),
        round_medians=medians,
        quantiles=quantiles,
        minimum=minimum,
        maximum=maximum,
        spread=maximum - minimum,
        standard_deviation=_standard_deviation(rounds),
        warnings=tuple(_warnings(sample, quantiles, confidence)),
    )


def median(sample: Sample, confidence: float = 0.95) -> Estimate | None:
    """Give the median of ``summarize`` alone; None for an empty sample.

    Without numpy, which takes longer to be called than a few values take to be sorted.
    """
    medians, centre = sample.medians, sample.centre
    if centre is None:
        return None
    places = median_interval_places(sample.n, confidence)
    if places is None:
        return Estimate(centre, None)
    ordered = sorted(sample.values)
    low, high, attained = places
    interval = Interval(min(ordered[low], *medians), max(ordered[high], *medians), attained)
    return Estimate(centre, interval)


def _mean(
    rounds: Sequence[Sequence[float]], confidence: float, groups: Sequence[str] = ()
) -> Estimate:
    units = np.asarray(rounds[0] if len(rounds) == 1 else [np.mean(one) for one in rounds])
    centre = float(np.mean(units))
    if units.size < 2:
        return Estimate(centre, None)
    if groups:
        reach = round_tests.reach(units.tolist(), groups, confidence)
        interval = None if reach is None else Interval(centre - reach, centre + reach, confidence)
        return Estimate(centre, interval)
    error = float(np.std(units, ddof=1)) / float(np.sqrt(units.size))
    reach = t_quantile((1 + confidence) / 2, units.size - 1) * error
    return Estimate(centre, Interval(centre - reach, centre + reach, confidence))


def _within(mean: Estimate, least: float | None) -> Estimate:
    found = mean.interval
    if found is None or least is None or found.low >= least:
        return mean
    # Never above the centre, should a value lie where none can.
    return Estimate(mean.value, Interval(min(least, mean.value), found.high, found.confidence))


def _standard_deviation(rounds: Sequence[Sequence[float]]) -> float | None:
    freedom = sum(len(one) - 1 for one in rounds)
    if freedom == 0:
        return None
    squares = sum(float(np.sum((np.asarray(one) - np.mean(one)) ** 2)) for one in rounds)
    return float(np.sqrt(squares / freedom))


def _warnings(
    sample: Sample, quantiles: Sequence[Quantile], confidence: float
) -> list[StatisticsWarning]:
    found = []
    needed = median_interval_needs(confidence)
    if sample.n < needed:
        found.append(StatisticsWarning(WarningCode.TOO_FEW_TRIALS, needed, sample.n))
    if sample.is_constant:
        found.append(StatisticsWarning(WarningCode.CONSTANT_SAMPLE))
    elif len(sample.filled_rounds) > 1 and sample.n > len(sample.filled_rounds):
        p = kruskal_p(sample.filled_rounds)
        if p < ROUNDS_DIFFER_BELOW:
            found.append(StatisticsWarning(WarningCode.ROUNDS_DIFFER, found=p))
    found.extend(
        StatisticsWarning(WarningCode.QUANTILE_BEYOND_TRIALS, found=one.probability)
        for one in quantiles
        if one.value is None
    )
    return found
