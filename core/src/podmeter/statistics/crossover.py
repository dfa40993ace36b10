"""Where one curve overtakes another, like nftables over iptables as Services grow."""

from dataclasses import dataclass
from itertools import pairwise

from podmeter.statistics.by_rounds import compare_all
from podmeter.statistics.comparison import Comparison, Pairing
from podmeter.statistics.curve import Curve
from podmeter.statistics.family import corrected
from podmeter.statistics.verdict import Direction, Level, NoiseThreshold, Verdict
from podmeter.statistics.warnings import StatisticsWarning, WarningCode

_OPPOSITE = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}


@dataclass(frozen=True)
class Crossover:
    """The contender goes from clearly worse to clearly better, or the other way round.

    last_before, first_after
        The x values that enclose the crossing: the last at which the old order is clear, and
        the first at which the new one is.
    estimate
        The x between them at which the difference passes zero: linear between the points, over
        log x where x is positive. The enclosing x values are the evidence; this is a guess.
    before, after
        The comparisons of contender with baseline at those two.
    contender_leads_after
        Whether it is the contender that overtakes.
    """

    last_before: float
    first_after: float
    estimate: float
    before: Comparison
    after: Comparison
    contender_leads_after: bool
    warnings: tuple[StatisticsWarning, ...]


def find_crossover(
    baseline: Curve,
    contender: Curve,
    *,
    direction: Direction | str,
    threshold: NoiseThreshold,
    level: Level,
    alpha: float = 0.05,
    families: int = 1,
    planned: int | None = None,
) -> Crossover | None:
    """Find the first x interval in which the verdict turns over, or None.

    `level` is what the two curves do not share; between runs no verdict is ever clear.

    Both sides must be conclusive among all points, in opposite directions; of so many `families`
    of points, one for each pair of curves that is checked; of curves that are measured point by
    point, among all that are `planned`.
    """
    first, second = dict(baseline.points), dict(contender.points)
    xs = sorted(set(first) & set(second))
    way = Direction(direction)
    pairings = [Pairing(first[x], second[x], way, threshold, level) for x in xs]
    judged = corrected(
        compare_all(pairings, alpha=alpha), alpha=alpha, families=families, planned=planned
    )
    compared = list(zip(xs, judged, strict=True))
    clear = [(x, one) for x, one in compared if one.verdict in _OPPOSITE]
    turns = [
        (earlier, later)
        for earlier, later in pairwise(clear)
        if later[1].verdict is _OPPOSITE[earlier[1].verdict]
    ]
    if not turns:
        return None
    (last_before, before), (first_after, after) = turns[0]
    warnings = []
    if len(turns) > 1:
        warnings.append(StatisticsWarning(WarningCode.CURVES_CROSS_AGAIN, found=len(turns)))
    if len(xs) < max(len(first), len(second)):
        warnings.append(StatisticsWarning(WarningCode.POINT_MISSING))
    between = [(x, one) for x, one in compared if last_before <= x <= first_after]
    return Crossover(
        last_before=last_before,
        first_after=first_after,
        estimate=_zero(between),
        before=before,
        after=after,
        contender_leads_after=after.verdict is Verdict.BETTER,
        warnings=tuple(warnings),
    )


def _zero(points: list[tuple[float, Comparison]]) -> float:
    """Give the first x at which the shift passes zero; the ends have opposite signs."""
    shifts = [(x, one.shift.value) for x, one in points if one.shift is not None]
    for (x1, y1), (x2, y2) in pairwise(shifts):
        if y1 * y2 <= 0 and y1 != y2:
            share = y1 / (y1 - y2)
            if x1 > 0:
                return float(x1 * (x2 / x1) ** share)
            return x1 + share * (x2 - x1)
    raise AssertionError("the shifts at both ends of a crossover have opposite signs")
