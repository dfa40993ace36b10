"""Does a curve fall, rise or stay flat, and by how much: what a run says of QPS over Services."""

from dataclasses import dataclass, replace
from enum import StrEnum
from math import log
from typing import Literal

import numpy as np

from podmeter.statistics import round_tests
from podmeter.statistics.by_rounds import compare_all
from podmeter.statistics.comparison import Comparison, Pairing
from podmeter.statistics.curve import Curve
from podmeter.statistics.interval import Estimate
from podmeter.statistics.sen import sen_slope
from podmeter.statistics.verdict import (
    Direction,
    Level,
    NoiseThreshold,
    Verdict,
    rounds_needed,
)
from podmeter.statistics.warnings import StatisticsWarning, WarningCode


class Shape(StrEnum):
    """What a curve does as x grows."""

    FALLS = "falls"
    RISES = "rises"
    FLAT = "flat"
    NEARLY_FLAT = "nearly_flat"
    UNDECIDED = "undecided"


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
        The mean of the rounds' Sen slopes in the metric's unit per unit of x, and its two-sided p
        by Student's t. None with fewer than two points; no p of a single round.
    rungs
        The comparison of each further x with the first one.
    controlled
        Whether all of this is of the figures' ratio to the control of the same rung and round.
    """

    shape: Shape
    first_x: float | None
    last_x: float | None
    change: Estimate | None
    slope: Estimate | None
    p: float | None
    rungs: tuple[tuple[float, Comparison], ...]
    warnings: tuple[StatisticsWarning, ...]
    controlled: bool = False


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
    control: Curve | None = None,
    flatness: Flatness = Flatness(),
    alpha: float = 0.05,
) -> Trend:
    """Judge a curve, or its ratio to a `control` that has at least two of its points.

    What makes a machine slower while it climbs is in the control as well and no fall then.

    A rung is one more thing that is set up once a round: any other load during the rung is
    in all of its trials, so each round gives one curve, and the rounds' spread decides.

    `flat` (`nearly_flat`): at every x the whole interval of the change against the first x is
    inside the threshold; as all must hold at once, no correction for several x is needed.
    `falls` and `rises`: the rounds' slopes show a trend (p <= alpha) and the last x is clearly
    beyond the flat threshold on the same side. All else is `undecided`.
    """
    ratio = None if control is None else curve.against(control)
    if ratio is not None and len(ratio.points) > 1:
        return replace(trend(ratio, flatness=flatness, alpha=alpha), controlled=True)
    if len(curve.points) < 2:
        lone = curve.xs[0] if curve.xs else None
        too_few = StatisticsWarning(WarningCode.TOO_FEW_TRIALS, 2, len(curve.points))
        return Trend(Shape.UNDECIDED, lone, lone, None, None, None, (), (too_few,))
    first_x, first = curve.points[0]
    threshold = NoiseThreshold(flatness.flat)
    judged = compare_all(
        [
            Pairing(first, one, Direction.HIGHER, threshold, Level.BLOCK)
            for _, one in curve.points[1:]
        ],
        alpha=alpha,
    )
    rungs = tuple(zip(curve.xs[1:], judged, strict=True))
    last_x, last = rungs[-1]
    slope, p = _slope(curve, 1 - alpha)
    enough = all(rung.rounds >= rounds_needed(alpha) for rung in judged)
    clear = slope.value if slope is not None and p is not None and p <= alpha else 0.0
    if enough and _all_within(judged, flatness.flat):
        shape = Shape.FLAT
    elif clear < 0 and last.verdict is Verdict.WORSE:
        shape = Shape.FALLS
    elif clear > 0 and last.verdict is Verdict.BETTER:
        shape = Shape.RISES
    elif enough and _all_within(judged, flatness.nearly):
        shape = Shape.NEARLY_FLAT
    else:
        shape = Shape.UNDECIDED
    warnings = tuple(dict.fromkeys(one for rung in judged for one in rung.warnings))
    return Trend(shape, first_x, last_x, last.ratio, slope, p, rungs, warnings)


def trend_difference(
    baseline: Curve,
    contender: Curve,
    *,
    level: Level,
    controls: tuple[Curve | None, Curve | None] = (None, None),
    alpha: float = 0.05,
) -> TrendDifference:
    """Compare the changes of two curves from their first to their last common x, by round.

    Where both have a control it is their ratios to it that are compared. Rounds are paired but
    between runs, where nothing says which of the two is the steeper.
    """
    one, two = controls
    if one is not None and two is not None:
        ratios = baseline.against(one), contender.against(two)
        if len(set(ratios[0].xs) & set(ratios[1].xs)) > 1:
            baseline, contender = ratios
    xs = sorted(set(baseline.xs) & set(contender.xs))
    if len(xs) < 2:
        return TrendDifference(None, None)
    before, after = (_changes(one, xs[0], xs[-1]) for one in (baseline, contender))
    if level is Level.RUN:
        if not before or not after:
            return TrendDifference(None, None)
        left, right = (np.array([list(changes.values())]) for changes in (before, after))
        return TrendDifference(round_tests.apart(left, right, 1 - alpha).ratio(0), None)
    common = sorted(before.keys() & after.keys())
    if not common:
        return TrendDifference(None, None)
    shifts = np.array([[after[number] - before[number] for number in common]])
    found = round_tests.paired(shifts, 1 - alpha).ratio(0)
    clear = len(common) >= rounds_needed(alpha) and round_tests.signed_rank_p(shifts)[0] <= alpha
    steeper: Literal["baseline", "contender"] | None = None
    if clear and found.interval is not None and not found.interval.contains(1):
        steeper = "baseline" if found.value > 1 else "contender"
    return TrendDifference(found, steeper)


def _changes(curve: Curve, first: float, last: float) -> dict[int, float]:
    """The logarithm of last / first by round; without those that have not both, above zero."""
    found = {}
    for number, climb in enumerate(curve.by_round()):
        points = dict(climb)
        ends = points.get(first, 0.0), points.get(last, 0.0)
        if min(ends) > 0:
            found[number] = log(ends[1] / ends[0])
    return found


def _slope(curve: Curve, confidence: float) -> tuple[Estimate | None, float | None]:
    slopes = [sen_slope(climb) for climb in curve.by_round()]
    known = [one for one in slopes if one is not None]
    if not known:
        return None, None
    found = round_tests.paired(np.array([known]), confidence)
    return found.estimate(0), None if len(known) < 2 else float(found.p[0])


def _all_within(rungs: tuple[Comparison, ...], limit: float) -> bool:
    return all(
        rung.ratio is not None
        and rung.ratio.interval is not None
        and rung.ratio.interval.lies_within(1 - limit, 1 + limit)
        for rung in rungs
    )
