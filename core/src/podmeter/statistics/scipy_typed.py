"""The few functions of scipy that are used here, with types; scipy ships none.

From scipy.special, and tests hold them to scipy.stats: importing that takes 50 MB of memory and
a second, in every process that summarizes or compares.
"""

from collections.abc import Sequence
from itertools import chain
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy import special  # type: ignore[import-untyped, unused-ignore]


def binomial_half_cdf(successes: int, n: int) -> float:
    """P(Binomial(n, 1/2) <= successes)."""
    return float(special.bdtr(successes, n, 0.5))


def binomial_half_quantile(probability: float, n: int) -> int:
    """Give the least number of successes whose cdf reaches the probability."""
    found: int = ceil(special.bdtrik(probability, n, 0.5))
    # The inverse is of a continuous cdf, so it may lie just above a whole number.
    return found - 1 if found > 0 and binomial_half_cdf(found - 1, n) >= probability else found


def normal_quantile(probability: float) -> float:
    """Give the z below which that share of the standard normal distribution lies."""
    return float(special.ndtri(probability))


def t_quantile(probability: float, freedom: float) -> float:
    """Give the t below which that share of Student's distribution lies; freedom may be a part."""
    return float(special.stdtrit(freedom, probability))


def t_cdf(t: float, freedom: float) -> float:
    """P(T <= t) of Student's distribution."""
    return float(special.stdtr(freedom, t))


def t_quantiles(probability: float, freedom: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give `t_quantile` for each number of degrees of freedom, whole or not."""
    found: NDArray[np.float64] = special.stdtrit(freedom, probability)
    return found


def t_two_sided(t: NDArray[np.float64], freedom: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give P(|T| >= |t|) of Student's distribution for each t."""
    found: NDArray[np.float64] = 2 * special.stdtr(freedom, -np.abs(t))
    return found


def chi_square_quantile(probability: float, freedom: int) -> float:
    """Give the value below which that share of a chi-square distribution lies."""
    return float(special.chdtri(freedom, 1 - probability))


def kruskal_p(groups: Sequence[Sequence[float]]) -> float:
    """P of the Kruskal-Wallis test that the groups come from one distribution.

    Of the statistic corrected for ties, by its chi-squared approximation (W. H. Kruskal and
    W. A. Wallis, Use of ranks in one-criterion variance analysis, 1952).
    """
    values = list(chain.from_iterable(groups))
    n, ranks = len(values), midranks(values)
    ends = np.cumsum([len(group) for group in groups])
    sums = [float(part.sum()) ** 2 / part.size for part in np.split(ranks, ends[:-1])]
    statistic = 12 / (n * (n + 1)) * sum(sums) - 3 * (n + 1)
    tied = np.unique(values, return_counts=True)[1].astype(float)
    correction = 1 - float((tied**3 - tied).sum()) / (n**3 - n)
    return float(special.chdtrc(len(groups) - 1, statistic / correction))


def midranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Ranks from 1, tied values sharing the mean of theirs."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    found: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[where]
    return found
