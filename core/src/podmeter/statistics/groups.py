"""Rounds in groups, such as pairs of nodes: what the spread between groups adds to a comparison."""

from collections.abc import Sequence
from math import isnan

import numpy as np
from numpy.typing import NDArray

from podmeter.statistics import round_tests
from podmeter.statistics.comparison import Mean
from podmeter.statistics.scipy_typed import t_quantile
from podmeter.statistics.warnings import StatisticsWarning, WarningCode

Floats = NDArray[np.float64]


def spread(
    groups: Sequence[str], shifts: Floats, controls: Floats | None = None
) -> list[tuple[tuple[Mean, ...], list[float]]]:
    """Each row's mean with the spread between groups and its p; none where rounds are in none."""
    if not groups:
        return [((), [])] * len(shifts)
    means = round_tests.grouped(shifts, groups, 0.95, controls)
    columns = (one.tolist() for one in (means.value, means.deviation, means.freedom, means.p))
    return [((Mean(*row),), [p]) for *row, p in zip(*columns, strict=True)]


def doubt(p: float) -> float:
    """What has no p, as one group alone has none, is in most doubt."""
    return float("inf") if isnan(p) else p


def warnings(groups: Sequence[str], means: Sequence[Mean], alpha: float) -> list[StatisticsWarning]:
    """That the spread between groups makes the interval wider than the rounds alone would.

    The first mean is by the rounds, the last by the groups.
    """
    count = len(set(groups))
    if count < 2:
        return []
    by_rounds, by_groups = (
        t_quantile(1 - alpha / 2, one.freedom) * one.deviation if one.deviation else 0.0
        for one in (means[0], means[-1])
    )
    if by_groups <= by_rounds:
        return []
    return [StatisticsWarning(WarningCode.GROUPS_DIFFER, found=count)]
