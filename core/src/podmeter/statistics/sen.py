"""The slope of a curve that no single point decides.

P. K. Sen, Estimates of the regression coefficient based on Kendall's tau, Journal of the American
Statistical Association 63 (1968): the median of the slopes between all pairs of points.
"""

from collections.abc import Sequence
from itertools import combinations

from podmeter.statistics.sample import middle


def sen_slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Give the slope of (x, y) points in y per x; None without two different x."""
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(points, 2) if x1 != x2]
    return middle(sorted(slopes)) if slopes else None
