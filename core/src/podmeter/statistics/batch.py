"""Many comparisons at once, in a fraction of the time, each by what its trials are evidence of.

A run has hundreds of pairs of samples, most of them alike in their numbers of trials. Pairs
with the same numbers share one null distribution, and their ranks and differences are taken
together as arrays. Pairs with many trials go through `compare` one by one.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from podmeter.statistics.between_blocks import compare_blocks
from podmeter.statistics.comparison import Comparison, Pairing, compare, conclude
from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.rank_test import (
    Method,
    RankTest,
    least_p,
    null_of_pair_counts,
    round_weights,
    stratified_rank_test,
)
from podmeter.statistics.sample import Stratum, common_rounds
from podmeter.statistics.verdict import Level

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

#: Above this, arrays of all pairs of trials would cost more than they save.
MOST_TRIALS_PER_ROUND = 40
#: With more ways to deal the trials out, counting by rank sums is the faster way.
MOST_DRAWS = 4000
_Sizes = tuple[tuple[int, int], ...]


def compare_all(pairings: Sequence[Pairing], *, alpha: float = 0.05) -> tuple[Comparison, ...]:
    """Compare every pairing in their order: those of one block as `compare` does.

    Those whose rounds have one trial of either side are compared by their rounds, as between
    blocks: what ranks within a round tell of it is no more than a sign.
    """
    found: list[Comparison | None] = [None] * len(pairings)
    by_rounds: dict[int, Pairing] = {}
    alike: dict[_Sizes, list[tuple[int, tuple[Stratum, ...], int]]] = {}
    for index, one in enumerate(pairings):
        if one.level is not Level.TRIAL:
            by_rounds[index] = one
            continue
        strata, alone = common_rounds(one.baseline, one.contender)
        sizes = tuple((len(baseline), len(contender)) for baseline, contender in strata)
        if len(sizes) > 1 and set(sizes) == {(1, 1)}:
            by_rounds[index] = replace(one, level=Level.BLOCK)
        elif not sizes or max(sum(pair) for pair in sizes) > MOST_TRIALS_PER_ROUND:
            found[index] = compare(
                one.baseline,
                one.contender,
                direction=one.direction,
                threshold=one.threshold,
                alpha=alpha,
            )
        else:
            alike.setdefault(sizes, []).append((index, strata, alone))
    judged = compare_blocks(list(by_rounds.values()), alpha=alpha)
    for index, comparison in zip(by_rounds, judged, strict=True):
        found[index] = comparison
    for sizes, members in alike.items():
        together = [strata for _, strata, _ in members]
        group = _Group(sizes, together, alpha)
        tests, shifts, ratios = group.tests(), group.shifts(), group.ratios()
        round_shifts = group.round_shifts()
        for row, (index, strata, alone) in enumerate(members):
            found[index] = conclude(
                strata,
                alone,
                tests[row],
                shifts[row],
                ratios[row],
                round_shifts[row],
                direction=pairings[index].direction,
                threshold=pairings[index].threshold,
                alpha=alpha,
            )
    return tuple(one for one in found if one is not None)


class _Group:
    """Pairings with the same numbers of trials; arrays have a row for each of them."""

    def __init__(self, sizes: _Sizes, members: Sequence[tuple[Stratum, ...]], alpha: float) -> None:
        self.members = members
        self.strata = [
            (
                np.array([strata[place][0] for strata in members]),
                np.array([strata[place][1] for strata in members]),
            )
            for place in range(len(sizes))
        ]
        shape = members[0]
        self.weights = round_weights(shape)
        self.null = null_of_pair_counts(shape)
        self.critical = self.null.lower_critical(alpha / 2)
        if self.critical is not None and self.critical < 0:
            self.critical = None
        self.attained = 0.0
        if self.critical is not None:
            self.attained = 1 - 2 * self.null.at_most(self.critical)
        self.least_p = least_p(shape)

    def tests(self) -> list[RankTest]:
        """The rank test of each row: from the shared null, unless the row has ties."""
        count = len(self.members)
        pairs_above = np.zeros(count, dtype=np.int64)
        tied = np.zeros(count, dtype=bool)
        for (baseline, contender), weight in zip(self.strata, self.weights, strict=True):
            above = contender[:, :, None] > baseline[:, None, :]
            pairs_above += weight * above.sum(axis=(1, 2))
            ordered = np.sort(np.concatenate([baseline, contender], axis=1), axis=1)
            tied |= (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        method = Method.NORMAL if self.null.support is None else Method.EXACT
        with_ties = self._tied_tests(np.flatnonzero(tied))
        known: dict[int, float] = {}
        found = []
        for row in range(count):
            if tied[row]:
                found.append(with_ties[row])
                continue
            statistic = int(pairs_above[row])
            if statistic not in known:
                tail = min(self.null.at_most(statistic), self.null.at_least(statistic))
                known[statistic] = min(1.0, 2 * tail)
            found.append(RankTest(known[statistic], method, self.least_p))
        return found

    def _tied_tests(self, rows: Integers) -> dict[int, RankTest]:
        """The tests of rows with ties: each has a null of its own, from its midranks."""
        sizes = [(one.shape[1], two.shape[1]) for one, two in self.strata]
        if rows.size == 0 or len(sizes) > 1 or comb(sum(sizes[0]), sizes[0][1]) > MOST_DRAWS:
            return {int(row): stratified_rank_test(self.members[row]) for row in rows}
        baseline, contender = (arm[rows] for arm in self.strata[0])
        values = np.concatenate([baseline, contender], axis=1)
        below = (values[:, None, :] < values[:, :, None]).sum(axis=2)
        equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
        # Twice a midrank is a whole number, so equal sums compare equal.
        ranks = 2 * below + equal + 1
        statistics = ranks[:, baseline.shape[1] :].sum(axis=1)
        null = ranks @ _draws(values.shape[1], contender.shape[1])
        at_most = (null <= statistics[:, None]).mean(axis=1)
        at_least = (null >= statistics[:, None]).mean(axis=1)
        ps = np.minimum(1.0, 2 * np.minimum(at_most, at_least))
        return {
            int(row): RankTest(float(p), Method.EXACT, self.least_p)
            for row, p in zip(rows, ps, strict=True)
        }

    def shifts(self) -> list[Estimate]:
        """The Hodges-Lehmann shift of each row."""
        estimates, intervals = self._shifts(self.strata)
        return [
            Estimate(float(value), self._interval(ends))
            for value, ends in zip(estimates, intervals, strict=True)
        ]

    def ratios(self) -> list[Estimate | None]:
        """The Hodges-Lehmann ratio of each row; None where a value is zero or negative."""
        positive = np.ones(len(self.members), dtype=bool)
        for baseline, contender in self.strata:
            positive &= (baseline > 0).all(axis=1) & (contender > 0).all(axis=1)
        rows = np.flatnonzero(positive)
        found: list[Estimate | None] = [None] * len(self.members)
        if rows.size == 0:
            return found
        logarithms = [(np.log(one[rows]), np.log(two[rows])) for one, two in self.strata]
        estimates, intervals = self._shifts(logarithms)
        for row, value, ends in zip(rows, np.exp(estimates), np.exp(intervals), strict=True):
            found[row] = Estimate(float(value), self._interval(ends))
        return found

    def round_shifts(self) -> list[tuple[float, ...]]:
        """The shift of every round alone: the median of its differences."""
        columns = [
            np.median(_differences(baseline, contender), axis=1)
            for baseline, contender in self.strata
        ]
        return [tuple(row) for row in np.stack(columns, axis=1).tolist()]

    def _interval(self, ends: Floats) -> Interval | None:
        if self.critical is None:
            return None
        return Interval(float(ends[0]), float(ends[1]), self.attained)

    def _shifts(self, strata: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
        """Estimates and both ends of their intervals, as in `hodges_lehmann.shift`."""
        parts = [_differences(baseline, contender) for baseline, contender in strata]
        values = np.concatenate(parts, axis=1)
        weights = np.concatenate(
            [
                np.full(part.shape[1], weight, dtype=np.int64)
                for part, weight in zip(parts, self.weights, strict=True)
            ]
        )
        order = np.argsort(values, axis=1, kind="stable")
        values = np.take_along_axis(values, order, axis=1)
        cumulated = np.cumsum(weights[order], axis=1)
        total = int(weights.sum())
        rows = np.arange(len(values))
        middle = (2 * cumulated >= total).argmax(axis=1)
        estimates = values[rows, middle]
        halved = 2 * cumulated[rows, middle] == total
        after = values[rows, np.minimum(middle + 1, values.shape[1] - 1)]
        estimates = np.where(halved, (estimates + after) / 2, estimates)
        critical = self.critical if self.critical is not None else 0
        low = (cumulated > critical).argmax(axis=1)
        high = (cumulated >= total - critical).argmax(axis=1)
        return estimates, np.stack([values[rows, low], values[rows, high]], axis=1)


@lru_cache(maxsize=16)
def _draws(total: int, chosen: int) -> Integers:
    """Every way to choose from `total` trials: a column each, 1 where a trial is chosen."""
    ways = list(combinations(range(total), chosen))
    found = np.zeros((total, len(ways)), dtype=np.int64)
    for column, way in enumerate(ways):
        found[list(way), column] = 1
    return found


def _differences(baseline: Floats, contender: Floats) -> Floats:
    """Contender - baseline of all pairs of trials, a row for each pairing."""
    found: Floats = (contender[:, :, None] - baseline[:, None, :]).reshape(len(baseline), -1)
    return found
