"""How far the contender is from the baseline: Hodges-Lehmann shift and ratio, by round.

The shift is the value that, taken from the contender, leaves the stratified rank test with
nothing to find: the weighted median of the differences contender - baseline of all pairs
within a round, weighted as van Elteren's test weights the round. Its interval is every shift
that the test does not reject, so test and interval agree. J. L. Hodges and E. L. Lehmann,
Estimates of location based on rank tests (1963); for the stratified form D. V. Mehrotra,
X. Lu and X. Li, Rank-based analyses of stratified experiments, The American Statistician 64
(2010). One round gives the usual Mann-Whitney interval.
"""

from collections.abc import Sequence
from math import exp, log

import numpy as np

from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.rank_test import null_of_pair_counts, round_weights
from podmeter.statistics.sample import Stratum

MOST_PAIRS = 25_000_000


def shift(strata: Sequence[Stratum], confidence: float = 0.95) -> Estimate:
    """Estimate contender - baseline, in the metric's unit.

    The interval is None where so few trials cannot exclude any shift at this confidence.
    Raises ValueError without strata, or for more pairs than memory should hold.
    """
    if not strata:
        raise ValueError("a shift needs at least one round with trials of both samples")
    if sum(len(one) * len(two) for one, two in strata) > MOST_PAIRS:
        raise ValueError("too many trials to pair; n counts trials, not requests or intervals")
    differences, weights = [], []
    for (baseline, contender), weight in zip(strata, round_weights(strata), strict=True):
        pairs = np.subtract.outer(np.asarray(contender), np.asarray(baseline)).ravel()
        differences.append(pairs)
        weights.append(np.full(pairs.size, weight, dtype=np.int64))
    values = np.concatenate(differences)
    order = np.argsort(values, kind="stable")
    values, cumulated = values[order], np.cumsum(np.concatenate(weights)[order])
    total = int(cumulated[-1])

    # The first difference at which half of the weight is reached, or the middle of two.
    middle = int(np.searchsorted(2 * cumulated, total, "left"))
    estimate = float(values[middle])
    if 2 * int(cumulated[middle]) == total:
        estimate = (estimate + float(values[middle + 1])) / 2

    null = null_of_pair_counts(strata)
    critical = null.lower_critical((1 - confidence) / 2)
    if critical is None or critical < 0:
        return Estimate(estimate, None)
    low = int(np.searchsorted(cumulated, critical, "right"))
    # The same from the other end: the weight strictly above exceeds the critical value.
    high = int(np.searchsorted(cumulated, total - critical, "left"))
    attained = 1 - 2 * null.at_most(critical)
    return Estimate(estimate, Interval(float(values[low]), float(values[high]), attained))


def ratio(strata: Sequence[Stratum], confidence: float = 0.95) -> Estimate | None:
    """Estimate contender / baseline: the shift of the logarithms, taken back.

    None where any value is zero or negative: a ratio then has no meaning.
    """
    if any(value <= 0 for stratum in strata for arm in stratum for value in arm):
        return None
    logarithms = [
        (tuple(log(value) for value in one), tuple(log(value) for value in two))
        for one, two in strata
    ]
    found = shift(logarithms, confidence)
    if found.interval is None:
        return Estimate(exp(found.value), None)
    low, high = exp(found.interval.low), exp(found.interval.high)
    return Estimate(exp(found.value), Interval(low, high, found.interval.confidence))
