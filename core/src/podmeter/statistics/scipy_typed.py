"""The few functions of scipy.stats that are used here, with types; scipy ships none."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats  # type: ignore[import-untyped, unused-ignore]


def binomial_half_cdf(successes: int, n: int) -> float:
    """P(Binomial(n, 1/2) <= successes)."""
    return float(stats.binom.cdf(successes, n, 0.5))


def binomial_half_quantile(probability: float, n: int) -> int:
    """Give the least number of successes whose cdf reaches the probability."""
    return int(stats.binom.ppf(probability, n, 0.5))


def normal_cdf(z: float) -> float:
    """P(Z <= z) of the standard normal distribution."""
    return float(stats.norm.cdf(z))


def normal_survival(z: float) -> float:
    """P(Z > z) of the standard normal distribution."""
    return float(stats.norm.sf(z))


def normal_quantile(probability: float) -> float:
    """Give the z below which that share of the standard normal distribution lies."""
    return float(stats.norm.ppf(probability))


def t_quantile(probability: float, freedom: int) -> float:
    """Give the t below which that share of Student's distribution lies."""
    return float(stats.t.ppf(probability, freedom))


def kruskal_p(groups: Sequence[Sequence[float]]) -> float:
    """P of the Kruskal-Wallis test that the groups come from one distribution."""
    return float(stats.kruskal(*groups).pvalue)


def midranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Ranks from 1, tied values sharing the mean of theirs."""
    return np.asarray(stats.rankdata(values), dtype=np.float64)
