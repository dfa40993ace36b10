"""Quantiles and the distribution-free interval of a median."""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, log2

import numpy as np

from podmeter.statistics.scipy_typed import binomial_half_cdf, binomial_half_quantile


def quantile(values: Sequence[float], probability: float) -> float | None:
    """Give the quantile by linear interpolation (Hyndman and Fan's type 7, numpy's default).

    None where the values cannot say: no values at all, or so few that not even one is expected
    beyond the quantile (a 99th percentile needs 100 values, a quartile 4).
    Raises ValueError for a probability outside [0, 1].
    """
    if not 0 <= probability <= 1:
        raise ValueError("a probability lies between 0 and 1")
    n = len(values)
    beyond = n * min(probability, 1 - probability)
    # 0 and 1 are the observed extremes, a statement about these values only.
    if n == 0 or (0 < probability < 1 and probability != 0.5 and beyond < 1 - 1e-9):
        return None
    return float(np.quantile(np.asarray(values, dtype=float), probability))


def median_interval_needs(confidence: float = 0.95) -> int:
    """Give the least n whose extremes enclose the median so often: 1 - 2 / 2**n; 6 for 95 %."""
    return ceil(1 - log2(1 - confidence) - 1e-9)


@lru_cache(maxsize=1024)
def median_interval_places(n: int, confidence: float = 0.95) -> tuple[int, int, float] | None:
    """Give the narrowest symmetric pair of n ordered values that covers the median.

    As the places of the two, and the confidence that they attain.

    The count of values below the median is Binomial(n, 1/2) whatever their distribution
    (David and Nagaraja, Order Statistics, 3rd ed., 7.1). Where the values come from rounds
    with different distributions the count is less dispersed than the binomial (Hoeffding,
    On the distribution of the number of successes in independent trials, 1956), so for the
    median over all rounds the interval errs on the wide side.

    None below ``median_interval_needs``.
    """
    if n < median_interval_needs(confidence):
        return None
    # The most values that may be cut off at each end: the largest k with
    # P(Binomial(n, 1/2) <= k) <= tail.
    tail = (1 - confidence) / 2 + 1e-12
    cut = binomial_half_quantile(tail, n)
    if binomial_half_cdf(cut, n) > tail:
        cut -= 1
    return cut, n - 1 - cut, 1 - 2 * binomial_half_cdf(cut, n)
