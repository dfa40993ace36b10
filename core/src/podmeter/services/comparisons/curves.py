"""Both sides' curves over a ladder: their shapes, who keeps more, where they cross."""

from podmeter.domain.axes import AxisValue
from podmeter.results.projected import Projected
from podmeter.services.comparisons.effects import threshold
from podmeter.services.comparisons.pairing import Chosen
from podmeter.services.run_results import words
from podmeter.services.run_results.client_limits import ClientLimits
from podmeter.services.run_results.curve_rows import CurvePair, Side, of_both, of_curve
from podmeter.services.run_results.families import planned_tests
from podmeter.services.run_results.figures import figure_of
from podmeter.services.run_results.ladder import LadderCurve, curves
from podmeter.services.run_results.runs import MeasuredCase, Point
from podmeter.statistics import (
    Curve,
    Direction,
    Level,
    Shape,
    Trend,
    find_crossover,
    trend,
    trend_difference,
)


def curve_pairs(
    baseline: Chosen,
    contender: Chosen,
    pairs: list[tuple[MeasuredCase, MeasuredCase]],
    axes: frozenset[str],
    level: Level,
    noise: float,
    alpha: float,
    contenders: int = 1,
) -> list[Projected]:
    """Rows of the curves of the pairs' cases that have two common points at least.

    `pairs` holds only those that may be compared; alpha is shared by so many `contenders`.
    """
    left = {_key(one, axes): one for one in curves(baseline.measured, [one for one, _ in pairs])}
    right = {_key(one, axes): one for one in curves(contender.measured, [two for _, two in pairs])}
    both = [
        (one, right[key])
        for key, one in left.items()
        if key in right and len(set(one.curve.xs) & set(right[key].curve.xs)) >= 2
    ]
    families = len(both) * contenders
    planned = [_planned(baseline, one) if level is Level.BLOCK else None for one, _ in both]
    return [
        row
        for pair, count in zip(both, planned, strict=True)
        for row in _rows(*pair, level, noise, alpha, families, count)
    ]


def _planned(chosen: Chosen, curve: LadderCurve) -> int | None:
    """How many rungs of a curve are planned, where a run may end between them."""
    rungs = [one.point for one in chosen.cases if _rest(one.point, curve.axis) == curve.rest]
    return planned_tests(chosen.measured.spec, rungs, rungs)


def _rest(point: Point, axis: str) -> frozenset[tuple[str, AxisValue]]:
    return frozenset((name, value) for name, value in point.items() if name != axis)


def _key(one: LadderCurve, axes: frozenset[str]) -> object:
    rest = frozenset((axis, value) for axis, value in one.rest if axis not in axes)
    return rest, one.metric.name, one.subject


def _rows(
    one: LadderCurve,
    other: LadderCurve,
    level: Level,
    noise: float,
    alpha: float,
    families: int,
    planned: int | None,
) -> list[Projected]:
    common = sorted(set(one.curve.xs) & set(other.curve.xs))
    xs, controls = _judged_on(one, other, common)
    left, right = _part(one.curve, xs), _part(other.curve, xs)
    limits = one.client_limits(xs), other.client_limits(xs)
    shapes = (
        limits[0].judged_trend(trend(left, control=controls[0], alpha=alpha)),
        limits[1].judged_trend(trend(right, control=controls[1], alpha=alpha)),
    )
    difference = trend_difference(left, right, level=level, controls=controls, alpha=alpha)
    # The figures themselves cross, with a control beside them or without.
    crossing = find_crossover(
        _part(one.curve, common),
        _part(other.curve, common),
        direction=Direction(one.metric.direction),
        threshold=threshold(one.metric, noise),
        level=level,
        alpha=alpha,
        families=families,
        planned=planned,
    )
    degrades_more = _degrades_more(one.metric.direction, difference.steeper, shapes, limits)
    return [
        *of_curve(one, shapes[0], xs, "baseline"),
        *of_curve(other, shapes[1], xs, "contender"),
        *of_both(one, other, xs, difference.ratio, degrades_more, crossing),
    ]


def _judged_on(
    one: LadderCurve, other: LadderCurve, xs: list[float]
) -> tuple[list[float], tuple[Curve, Curve] | tuple[None, None]]:
    """Of common rungs those that both curves are judged on, and both controls or neither.

    What is said of the two is of the same rungs and of the same kind of figure. So a rung is left
    out where either has no control, and without two that have both the figures are judged.
    """
    if one.control is not None and other.control is not None:
        ratios = one.curve.against(one.control), other.curve.against(other.control)
        controlled = [x for x in xs if all(x in ratio.xs for ratio in ratios)]
        if len(controlled) > 1:
            return controlled, (one.control, other.control)
    return xs, (None, None)


def _part(curve: Curve, xs: list[float]) -> Curve:
    return Curve(tuple((x, sample) for x, sample in curve.points if x in xs))


def _degrades_more(
    direction: str,
    steeper: Side | None,
    shapes: tuple[Trend, Trend],
    limits: tuple[ClientLimits, ClientLimits],
) -> Side | None:
    """`steeper` keeps less of its first value: bad where higher is better, good where lower is.

    A side that does not surely get worse does not get worse faster. Nor is it sure where the
    client may hide how far the other falls.
    """
    if steeper is None:
        return None
    worse, bad = steeper, Shape.FALLS
    if direction != Direction.HIGHER:
        worse, bad = "contender" if steeper == "baseline" else "baseline", Shape.RISES
    place = int(worse == "contender")
    sure = shapes[place].shape == bad and not limits[1 - place].hide
    return worse if sure else None


def text(pair: CurvePair) -> str:
    """Two curves in words."""
    key, over = pair.key, f"over {pair.xs[0]:g} to {pair.xs[-1]:g} {pair.axis}"
    sides = [
        f"{name} {words.SHAPES[one.text('shape')]} "
        f"({words.change(figure_of(one))}{words.against(one.holds('controlled'))})"
        for name, one in (("baseline", pair.baseline), ("contender", pair.contender))
    ]
    parts = [f"{words.metric(key.metric, key.subject)} {over}: {', '.join(sides)}"]
    crossing = pair.crossing
    if crossing is not None:
        leads = "overtakes" if crossing.holds("contender_leads_after") else "falls behind"
        parts.append(
            f"the contender {leads} between {crossing.low:g} and {crossing.high:g} {pair.axis}"
        )
    else:
        parts.append("no crossing is shown")
    return "; ".join(parts)
