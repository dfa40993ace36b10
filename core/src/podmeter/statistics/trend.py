"""Does a curve fall, rise or stay flat, and by how much: what a run says of QPS over Services."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from podmeter.statistics import hodges_lehmann
from podmeter.statistics.comparison import Comparison, Direction, NoiseThreshold, Verdict, compare
from podmeter.statistics.curve import Curve
from podmeter.statistics.interval import Estimate, Interval
from podmeter.statistics.kendall import kendall_trend
from podmeter.statistics.sample import common_rounds
from podmeter.statistics.warnings import StatisticsWarning, WarningCode


class Shape(StrEnum):
    """What a curve does as x grows."""

    FALLS = "falls"
    RISES = "rises"
    FLAT = "flat"
    NEARLY_FLAT = "nearly_flat"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Flatness:
    """Relative changes against the first point within which a curve is (nearly) flat."""

    flat: float = 0.05
    nearly: float = 0.15

    def __post_init__(self) -> None:
        if not 0 <= self.flat <= self.nearly < 1:
            raise ValueError("flatness needs 0 <= flat <= nearly < 1")


@dataclass(frozen=True)
class Trend:
    """What is said of one curve.

    change
        Value at the last x / value at the first x: 0.4 is a fall by 60 %. None where a value
        is zero or negative, or no round has both ends.
    slope, p
        Sen's slope in the metric's unit per unit of x, and the two-sided p of the stratified
        Kendall test for a monotone trend. None with fewer than two points.
    rungs
        The comparison of each further x with the first one.
    """

    shape: Shape
    first_x: float | None
    last_x: float | None
    change: Estimate | None
    slope: Estimate | None
    p: float | None
    rungs: tuple[tuple[float, Comparison], ...]
    warnings: tuple[StatisticsWarning, ...]


@dataclass(frozen=True)
class TrendDifference:
    """How much more the contender keeps of its first value than the baseline does.

    ratio
        contender's change / baseline's change: above 1 the contender falls less.
    steeper
        The curve that loses more, where the interval excludes 1; else None.
    """

    ratio: Estimate | None
    steeper: Literal["baseline", "contender"] | None


def trend(
    curve: Curve,
    *,
    flatness: Flatness = Flatness(),
    alpha: float = 0.05,
) -> Trend:
    """Judge a curve.

    `flat` (`nearly_flat`): at every x the whole interval of the change against the first x is
    inside the threshold; as all must hold at once, no correction for several x is needed.
    `falls` and `rises`: the Kendall test finds a trend (p <= alpha) and the last x is clearly
    beyond the flat threshold on the same side. All else is `inconclusive`.
    """
    if len(curve.points) < 2:
        lone = curve.xs[0] if curve.xs else None
        too_few = StatisticsWarning(WarningCode.TOO_FEW_TRIALS, 2, len(curve.points))
        return Trend(Shape.INCONCLUSIVE, lone, lone, None, None, None, (), (too_few,))
    first_x, first = curve.points[0]
    threshold = NoiseThreshold(flatness.flat)
    rungs = tuple(
        (x, compare(first, one, direction=Direction.HIGHER, threshold=threshold, alpha=alpha))
        for x, one in curve.points[1:]
    )
    last_x, last = rungs[-1]
    kendall = kendall_trend(curve.by_round(), 1 - alpha)
    slope, p, s = (None, None, 0) if kendall is None else (kendall.slope, kendall.p, kendall.s)
    if _all_within(rungs, flatness.flat):
        shape = Shape.FLAT
    elif p is not None and p <= alpha and s < 0 and last.verdict is Verdict.WORSE:
        shape = Shape.FALLS
    elif p is not None and p <= alpha and s > 0 and last.verdict is Verdict.BETTER:
        shape = Shape.RISES
    elif _all_within(rungs, flatness.nearly):
        shape = Shape.NEARLY_FLAT
    else:
        shape = Shape.INCONCLUSIVE
    warnings = tuple(dict.fromkeys(one for _, rung in rungs for one in rung.warnings))
    return Trend(shape, first_x, last_x, last.ratio, slope, p, rungs, warnings)


def trend_difference(
    baseline: Curve, contender: Curve, *, confidence: float = 0.95
) -> TrendDifference:
    """Compare the changes of two curves from their first to their last common x.

    The interval joins the two changes' intervals, each made with half the risk (Bonferroni),
    so it errs on the wide side.
    """
    xs = sorted(set(baseline.xs) & set(contender.xs))
    if len(xs) < 2:
        return TrendDifference(None, None)
    level = (1 + confidence) / 2
    before = _change(baseline, xs[0], xs[-1], level)
    after = _change(contender, xs[0], xs[-1], level)
    if before is None or after is None:
        return TrendDifference(None, None)
    value = after.value / before.value
    if before.interval is None or after.interval is None:
        return TrendDifference(Estimate(value, None), None)
    interval = Interval(
        after.interval.low / before.interval.high,
        after.interval.high / before.interval.low,
        before.interval.confidence + after.interval.confidence - 1,
    )
    steeper: Literal["baseline", "contender"] | None = None
    if not interval.contains(1):
        steeper = "baseline" if value > 1 else "contender"
    return TrendDifference(Estimate(value, interval), steeper)


def _change(curve: Curve, first: float, last: float, confidence: float) -> Estimate | None:
    samples = dict(curve.points)
    strata, _ = common_rounds(samples[first], samples[last])
    return hodges_lehmann.ratio(strata, confidence) if strata else None


def _all_within(rungs: tuple[tuple[float, Comparison], ...], limit: float) -> bool:
    ratios = [rung.ratio for _, rung in rungs]
    return all(
        ratio is not None
        and ratio.interval is not None
        and ratio.interval.lies_within(1 - limit, 1 + limit)
        for ratio in ratios
    )
