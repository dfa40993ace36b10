"""What rounds say together, each being one piece of evidence: means, t intervals, p values.

Arrays have a row for each comparison and a column for each round. A t test asks that the mean of
the rounds' shifts be about normal; the signed-rank test asks only that each shift be as likely
to fall on either side of zero when the sides do not differ, as those of two arms that are set up
alike are. F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1 (1945);
zeros as in J. W. Pratt, Remarks on zeros and ties in the Wilcoxon signed rank procedures, Journal
of the American Statistical Association 54 (1959). B. L. Welch, The generalization of Student's
problem when several different population variances are involved, Biometrika 34 (1947).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, isnan

import numpy as np
from numpy.typing import NDArray

from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.scipy_typed import t_quantiles, t_two_sided

Floats = NDArray[np.float64]
#: Two rounds that are far apart reach further than any figure.
_LARGEST_LOGARITHM = 700.0
_ROUNDING = 1e-24


@dataclass(frozen=True, slots=True)
class Means:
    """A mean for each row, with its deviation and degrees of freedom, and the two-sided p.

    `deviation` and `p` are NaN where there is one round.
    """

    value: Floats
    deviation: Floats
    freedom: Floats
    p: Floats
    confidence: float

    @property
    def reach(self) -> Floats:
        """How far the interval of each mean reaches to both sides."""
        return self._reach(self.confidence)

    def estimate(self, row: int) -> Estimate:
        """The mean of a row with its interval."""
        return self.estimates(self.confidence)[row]

    def estimates(self, confidence: float) -> list[Estimate]:
        """The mean of each row, with an interval of this confidence."""
        reaches = self._reach(confidence).tolist()
        return [
            Estimate(value, None)
            if isnan(reach)
            else Estimate(value, Interval(value - reach, value + reach, confidence))
            for value, reach in zip(self.value.tolist(), reaches, strict=True)
        ]

    def _reach(self, confidence: float) -> Floats:
        return t_quantiles((1 + confidence) / 2, self.freedom) * self.deviation

    def ratio(self, row: int) -> Estimate:
        """The same of logarithms, as a ratio."""
        return as_ratio(self.estimate(row))


def as_ratio(found: Estimate) -> Estimate:
    """A shift of logarithms, taken back; without an interval where that has no end."""
    interval = found.interval
    if interval is not None:
        if max(map(abs, (interval.low, interval.high))) > _LARGEST_LOGARITHM:
            return Estimate(exp(found.value), None)
        interval = Interval(exp(interval.low), exp(interval.high), interval.confidence)
    return Estimate(exp(found.value), interval)


def paired(shifts: Floats, confidence: float) -> Means:
    """The mean of each row, by Student's t."""
    rounds = shifts.shape[1]
    error = _variances(shifts) / rounds
    return _means(shifts.mean(axis=1), error, np.full(len(shifts), rounds - 1.0), confidence)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Means at a control that does not move, what the rounds' shifts are without it, and how far
    the two go together: None where either of them does not vary.
    """

    means: Means
    shifts: Floats
    correlation: tuple[float | None, ...]


def adjusted(shifts: Floats, controls: Floats, confidence: float) -> Adjusted:
    """The mean of each row where its control's shift is zero, by analysis of covariance.

    The least-squares line of the shifts over the control's shifts of the same rounds, and its
    height at zero with n - 2 degrees of freedom: what moves the control moves no mean, and a
    control that never lies near zero leaves a wide interval. Three rounds at least, else NaN.
    """
    rounds = shifts.shape[1]
    means, control_means = shifts.mean(axis=1), controls.mean(axis=1)
    apart_, control_apart = shifts - means[:, None], controls - control_means[:, None]
    squares = _squares(control_apart, control_means)
    products = (apart_ * control_apart).sum(axis=1)
    own_squares = (apart_**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(squares > 0, products / squares, 0.0)
        # A control that never moved and lies off zero tells nothing of what it would be there.
        away = np.where(control_means == 0, 0.0, control_means**2 / squares)
        related = products / np.sqrt(squares * own_squares)
        rest = np.maximum(own_squares - slope * products, 0.0) / (rounds - 2)
        error = rest * (1 / rounds + away)
    if rounds < 3:
        error = np.full(len(shifts), np.nan)
    found = _means(
        means - slope * control_means, error, np.full(len(shifts), rounds - 2.0), confidence
    )
    known = tuple(float(one) if np.isfinite(one) else None for one in related)
    return Adjusted(found, shifts - slope[:, None] * controls, known)


def grouped(
    shifts: Floats, groups: Sequence[str], confidence: float, controls: Floats | None = None
) -> Means:
    """The same means with the spread between groups of rounds, as between pairs of nodes.

    Rounds of one group share what the group is by itself, so the groups are the evidence: the
    cluster-robust variance with G / (G - 1) and t with G - 1 degrees of freedom for G groups. Of
    groups with as many rounds each it is the t interval of the groups' means. C. A. Bester, T. G.
    Conley and C. B. Hansen, Inference with dependent data using cluster covariance estimators,
    Journal of Econometrics 165 (2011); A. C. Cameron and D. L. Miller, A practitioner's guide to
    cluster-robust inference, Journal of Human Resources 50 (2015). With `controls` as in
    `adjusted`. NaN where there is one group.
    """
    rounds = shifts.shape[1]
    means = shifts.mean(axis=1)
    rest, weights = shifts - means[:, None], np.full(shifts.shape, 1 / rounds)
    if controls is not None:
        control_means = controls.mean(axis=1)
        apart_ = controls - control_means[:, None]
        squares = _squares(apart_, control_means)
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = np.where(squares > 0, (apart_ * rest).sum(axis=1) / squares, 0.0)
            steep = np.where(squares > 0, control_means / squares, 0.0)
        rest = rest - slope[:, None] * apart_
        weights = weights - steep[:, None] * apart_
        means = means - slope * control_means
    members = [[one == group for one in groups] for group in sorted(set(groups))]
    count = len(members)
    if count < 2:
        error = np.full(len(shifts), np.nan)
    else:
        sums = [(weights * rest)[:, one].sum(axis=1) for one in members]
        error = count / (count - 1) * (np.array(sums) ** 2).sum(axis=0)
    return _means(means, error, np.full(len(shifts), count - 1.0), confidence)


def reach(values: Sequence[float], groups: Sequence[str], confidence: float) -> float | None:
    """How far the interval of the values' mean reaches: the wider of rounds and groups.

    None where there is one group.
    """
    row = np.array([values], float)
    reaches = [
        float(one.reach[0]) for one in (paired(row, confidence), grouped(row, groups, confidence))
    ]
    return None if any(map(isnan, reaches)) else max(reaches)


def pooled(values: Sequence[Floats], confidence: float) -> Callable[[int, int], Means]:
    """The difference of the means of two groups, by their places, with all groups' variance.

    One row each. The variance within the groups is taken to be alike, so that groups of two rounds
    can be compared; NaN where no group has two.
    """
    freedom = float(sum(one.size - 1 for one in values))
    squares = float(sum(((one - one.mean()) ** 2).sum() for one in values))
    variance = squares / freedom if freedom else np.nan

    def between(first: int, second: int) -> Means:
        one, two = values[first], values[second]
        error = np.array([variance * (1 / one.size + 1 / two.size)])
        return _means(np.array([two.mean() - one.mean()]), error, np.array([freedom]), confidence)

    return between


def apart(baseline: Floats, contender: Floats, confidence: float) -> Means:
    """The difference of the means of each row, contender - baseline, by Welch's t."""
    parts = [_variances(one) / one.shape[1] for one in (baseline, contender)]
    error = parts[0] + parts[1]
    below = sum(
        part**2 / max(one.shape[1] - 1, 1)
        for part, one in zip(parts, (baseline, contender), strict=True)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        # Without any spread the degrees of freedom decide nothing.
        freedom = np.where(error > 0, error**2 / below, 1.0)
    return _means(contender.mean(axis=1) - baseline.mean(axis=1), error, freedom, confidence)


def signed_rank_p(shifts: Floats) -> Floats:
    """The exact two-sided p of each row's signed ranks, ties and zeros allowed for."""
    size = np.abs(shifts)
    below = (size[:, None, :] < size[:, :, None]).sum(axis=2)
    equal = (size[:, None, :] == size[:, :, None]).sum(axis=2)
    # Twice a midrank is a whole number, so equal sums compare equal.
    ranks = 2 * below + equal + 1
    above = (ranks * (shifts > 0)).sum(axis=1)
    known, which = np.unique(np.sort(ranks * (shifts != 0), axis=1), axis=0, return_inverse=True)
    found = np.empty(len(shifts))
    for number, key in enumerate(known):
        rows = np.flatnonzero(which.reshape(-1) == number)
        found[rows] = _two_sided(tuple(key.tolist()))[above[rows]]
    return found


def least_ranks(rounds: int, alpha: float) -> int:
    """Give the least sum of positive ranks, without ties, whose two-sided p is alpha at most.

    Raises ValueError where so few rounds cannot reach it.
    """
    # Of twice the ranks, as `signed_rank_p` counts: every second sum does not occur.
    ps = _two_sided(tuple(2 * rank for rank in range(1, rounds + 1)))[::2]
    reached = np.flatnonzero(ps <= alpha)
    above = reached[2 * reached > ps.size - 1]
    if above.size == 0:
        raise ValueError(f"{rounds} rounds do not reach {alpha}")
    return int(above[0])


def _squares(apart_: Floats, means: Floats) -> Floats:
    """The sum of squares of each row; what differs by rounding alone did not move."""
    squares = (apart_**2).sum(axis=1)
    found: Floats = np.where(squares > _ROUNDING * apart_.shape[1] * means**2, squares, 0.0)
    return found


def _variances(values: Floats) -> Floats:
    if values.shape[1] < 2:
        return np.full(len(values), np.nan)
    found: Floats = values.var(axis=1, ddof=1)
    return found


def _means(value: Floats, error: Floats, freedom: Floats, confidence: float) -> Means:
    deviation = np.sqrt(error)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(value == 0, 0.0, value / deviation)
    freedom = np.maximum(freedom, 1.0)
    p = np.where(np.isnan(deviation), np.nan, t_two_sided(t, freedom))
    return Means(value, deviation, freedom, p, confidence)


@lru_cache(maxsize=256)
def _two_sided(ranks: tuple[int, ...]) -> Floats:
    """P of each sum that the ranks with a positive sign may have, every sign a fair coin's."""
    ways = np.ones(1)
    for rank in ranks:
        more = np.zeros(ways.size + rank)
        more[: ways.size] += ways / 2
        more[rank:] += ways / 2
        ways = more
    at_most, at_least = np.cumsum(ways), np.cumsum(ways[::-1])[::-1]
    found: Floats = np.minimum(1.0, 2 * np.minimum(at_most, at_least))
    return found
