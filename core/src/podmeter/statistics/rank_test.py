"""The two-sample rank test stratified by round (van Elteren), exact wherever that is feasible.

P. H. van Elteren, On the combination of independent two sample tests of Wilcoxon, Bulletin of
the International Statistical Institute 37 (1960); E. L. Lehmann, Nonparametrics (1975), III.3.
The statistic is the sum over rounds of the contender's Wilcoxon rank sum, each weighted by
1 / (N + 1) with N the round's trials. One round makes it the Mann-Whitney test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import comb, lcm, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from podmeter.statistics.sample import Stratum
from podmeter.statistics.scipy_typed import midranks, normal_cdf, normal_quantile, normal_survival

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

EXACT_TRIALS_PER_ROUND = 60
EXACT_SUPPORT = 500_000
_INT64_ROOM = 2**60


class Method(StrEnum):
    """How a p value was made."""

    EXACT = "exact"
    NORMAL = "normal"
    PAIRED_T = "paired_t"
    WELCH_T = "welch_t"
    NOISE_FLOOR_T = "noise_floor_t"


@dataclass(frozen=True)
class RankTest:
    """A two-sided p value, how it was made, and the least p that so many trials can reach."""

    p: float
    method: Method
    least_p: float


@dataclass(frozen=True)
class NullDistribution:
    """The statistic's distribution when the arms do not differ, in whole numbers.

    Exact: ``support`` (ascending) with ``probabilities``. Normal: both None.
    """

    mean: float
    deviation: float
    support: Integers | None
    probabilities: Floats | None
    step: float

    def at_most(self, value: float) -> float:
        """P(statistic <= value)."""
        if self.support is None or self.probabilities is None:
            return normal_cdf(self._z(value + self.step / 2))
        return float(self.probabilities[: np.searchsorted(self.support, value, "right")].sum())

    def at_least(self, value: float) -> float:
        """P(statistic >= value)."""
        if self.support is None or self.probabilities is None:
            return normal_survival(self._z(value - self.step / 2))
        return float(self.probabilities[np.searchsorted(self.support, value, "left") :].sum())

    def lower_critical(self, tail: float) -> float | None:
        """Give the largest value whose lower tail is at most ``tail``; None if there is none."""
        if self.support is None or self.probabilities is None:
            edge = self.mean + normal_quantile(tail) * self.deviation - self.step / 2
            return float(np.floor(edge / self.step) * self.step)
        tails = np.cumsum(self.probabilities)
        fitting = int(np.searchsorted(tails, tail * (1 + 1e-12), "right"))
        return None if fitting == 0 else float(self.support[fitting - 1])

    def _z(self, value: float) -> float:
        return (value - self.mean) / self.deviation


def round_weights(strata: Sequence[Stratum]) -> list[int]:
    """Give van Elteren's weights 1 / (N + 1), scaled by their common multiple to whole numbers."""
    sizes = [len(baseline) + len(contender) + 1 for baseline, contender in strata]
    scale = lcm(*sizes)
    return [scale // size for size in sizes]


def stratified_rank_test(strata: Sequence[Stratum]) -> RankTest:
    """Test whether the contender's values tend to differ from the baseline's, two-sided.

    ``strata`` is one (baseline values, contender values) pair per round, none empty. The exact
    p is of the permutation distribution within rounds of the midranks in hand, so ties are
    dealt with, not ignored: p = min(1, 2 min(P(T <= t), P(T >= t))).
    Raises ValueError without strata.
    """
    if not strata:
        raise ValueError("a rank test needs at least one round with trials of both samples")
    weights = round_weights(strata)
    ranks = [_doubled_midranks([*baseline, *contender]) for baseline, contender in strata]
    sizes = [len(contender) for _, contender in strata]
    statistic = sum(
        weight * int(rank[len(baseline) :].sum())
        for weight, rank, (baseline, _) in zip(weights, ranks, strata, strict=True)
    )
    null = _null_of_rank_sums(ranks, sizes, weights)
    method = Method.NORMAL if null.support is None else Method.EXACT
    p = 1.0
    if null.deviation > 0:
        p = min(1.0, 2 * min(null.at_most(statistic), null.at_least(statistic)))
    return RankTest(p, method, least_p(strata))


def least_p(strata: Sequence[Stratum]) -> float:
    """Give the smallest two-sided p that so many trials can give, without ties."""
    arrangements = prod(comb(len(one) + len(two), len(two)) for one, two in strata)
    return min(1.0, 2 / arrangements)


def null_of_pair_counts(strata: Sequence[Stratum]) -> NullDistribution:
    """Give the null distribution of the weighted number of pairs with contender > baseline.

    That number, sum of weight * U, is what an interval for a shift is inverted from. The
    distribution is the one without ties, as the shift of a continuous quantity has none.
    """
    return _null_of_sizes(tuple((len(one), len(two)) for one, two in strata))


# Small, as one distribution may hold megabytes; a run has few different numbers of trials.
@lru_cache(maxsize=32)
def _null_of_sizes(pairs: tuple[tuple[int, int], ...]) -> NullDistribution:
    weights = round_weights([((0.0,) * one, (0.0,) * two) for one, two in pairs])
    ranks = [2 * np.arange(1, one + two + 1, dtype=np.int64) for one, two in pairs]
    sizes = [two for _, two in pairs]
    null = _null_of_rank_sums(ranks, sizes, weights)
    # Doubled rank sum = 2 U + n (n + 1), so take that away and halve.
    offset = sum(weight * n * (n + 1) for weight, n in zip(weights, sizes, strict=True))
    return NullDistribution(
        mean=(null.mean - offset) / 2,
        deviation=null.deviation / 2,
        support=None if null.support is None else (null.support - offset) // 2,
        probabilities=null.probabilities,
        step=null.step / 2,
    )


def _doubled_midranks(values: Sequence[float]) -> Integers:
    # Midranks are halves; twice a midrank is a whole number, and whole numbers add exactly.
    return np.asarray(np.rint(2 * midranks(values)), dtype=np.int64)


def _null_of_rank_sums(
    ranks: Sequence[Integers], sizes: Sequence[int], weights: Sequence[int]
) -> NullDistribution:
    mean, variance = 0.0, 0.0
    for rank, n, weight in zip(ranks, sizes, weights, strict=True):
        total, spread = rank.size, float(np.var(rank))
        mean += weight * n * float(rank.mean())
        # Variance of a sum of n drawn without replacement from ``total`` (tie-corrected).
        variance += weight**2 * n * spread * (total - n) / max(total - 1, 1)
    support, probabilities = _exact(ranks, sizes, weights) or (None, None)
    # Doubled ranks move by two when they move by one rank.
    step = 2.0 * min(weights)
    return NullDistribution(mean, sqrt(variance), support, probabilities, step)


def _exact(
    ranks: Sequence[Integers], sizes: Sequence[int], weights: Sequence[int]
) -> tuple[Integers, Floats] | None:
    if max(rank.size for rank in ranks) > EXACT_TRIALS_PER_ROUND:
        return None
    largest = sum(weight * int(rank.sum()) for weight, rank in zip(weights, ranks, strict=True))
    if largest > _INT64_ROOM:
        return None
    support: Integers = np.zeros(1, dtype=np.int64)
    probabilities: Floats = np.ones(1)
    for rank, n, weight in zip(ranks, sizes, weights, strict=True):
        more_support, more = _one_round(tuple(rank.tolist()), n)
        if support.size * more_support.size > EXACT_SUPPORT * 10:
            return None
        sums = np.add.outer(support, weight * more_support).ravel()
        support, where = np.unique(sums, return_inverse=True)
        products = np.multiply.outer(probabilities, more).ravel()
        probabilities = np.bincount(where, products).astype(np.float64)
        if support.size > EXACT_SUPPORT:
            return None
    return support, probabilities


@lru_cache(maxsize=256)
def _one_round(rank: tuple[int, ...], n: int) -> tuple[Integers, Floats]:
    """Count the ways to draw n of the ranks by their sum (Streitberg and Roehmel, 1986)."""
    top = sum(rank)
    ways = np.zeros((n + 1, top + 1))
    ways[0, 0] = 1
    for one in rank:
        ways[1:, one:] += ways[:-1, : top + 1 - one].copy()
    support = np.flatnonzero(ways[n]).astype(np.int64)
    return support, ways[n, support] / comb(len(rank), n)
