"""Trend of values over x by Kendall's S and Sen's slope, by round.

Pairs are formed within rounds only and S and its variance are added over the rounds: the
seasonal Kendall test and slope of R. M. Hirsch, J. R. Slack and R. A. Smith, Techniques of
trend analysis for monthly water quality data, Water Resources Research 18 (1982), with rounds
for seasons. One round is scipy's kendalltau (asymptotic) and theilslopes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.scipy_typed import normal_quantile, normal_survival

Round = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class KendallTrend:
    """S (concordant - discordant pairs), its two-sided p, and the slope in units of y per x."""

    s: int
    p: float
    slope: Estimate


def kendall_trend(rounds: Sequence[Round], confidence: float = 0.95) -> KendallTrend | None:
    """Test for a monotone trend and estimate its slope; None without two different x.

    The normal approximation is used, with ties in x and y allowed for (M. G. Kendall, Rank
    Correlation Methods, 1970); the slope's interval follows P. K. Sen, Estimates of the
    regression coefficient based on Kendall's tau (1968).
    """
    s, variance = 0, 0.0
    slopes: list[float] = []
    for one in rounds:
        if len(one) < 2:
            continue
        xs = np.asarray([x for x, _ in one], dtype=float)
        ys = np.asarray([y for _, y in one], dtype=float)
        run = np.subtract.outer(xs, xs)
        rise = np.subtract.outer(ys, ys)
        forward = run > 0
        s += int(np.sign(rise[forward]).sum())
        variance += _variance(xs.tolist(), ys.tolist())
        slopes.extend((rise[forward] / run[forward]).tolist())
    if not slopes:
        return None
    slopes.sort()
    p = 1.0 if variance == 0 else min(1.0, 2 * normal_survival(abs(s) / sqrt(variance)))
    reach = normal_quantile((1 + confidence) / 2) * sqrt(variance)
    low = max(round((len(slopes) - reach) / 2) - 1, 0)
    high = min(round((len(slopes) + reach) / 2), len(slopes) - 1)
    interval = Interval(slopes[low], slopes[high], confidence)
    return KendallTrend(s, p, Estimate(float(np.median(slopes)), interval))


def _variance(xs: Sequence[float], ys: Sequence[float]) -> float:
    n = len(xs)
    tied_x, tied_y = _ties(xs), _ties(ys)

    def fives(sizes: Sequence[int]) -> int:
        return sum(size * (size - 1) * (2 * size + 5) for size in sizes)

    def twos(sizes: Sequence[int]) -> int:
        return sum(size * (size - 1) for size in sizes)

    def threes(sizes: Sequence[int]) -> int:
        return sum(size * (size - 1) * (size - 2) for size in sizes)

    variance = (n * (n - 1) * (2 * n + 5) - fives(tied_x) - fives(tied_y)) / 18
    variance += twos(tied_x) * twos(tied_y) / (2 * n * (n - 1))
    if n > 2:
        variance += threes(tied_x) * threes(tied_y) / (9 * n * (n - 1) * (n - 2))
    return max(variance, 0.0)


def _ties(values: Sequence[float]) -> list[int]:
    counts = np.unique(np.asarray(values), return_counts=True)[1]
    return [int(count) for count in counts if count > 1]
