"""Both sides' curves over a ladder: their shapes, who keeps more, where they cross."""

from collections.abc import Mapping
from dataclasses import replace

from podmeter.domain.axes import AxisValue
from podmeter.services.comparisons.document import Crossing, CurvePair, CurveShape
from podmeter.services.comparisons.effects import threshold
from podmeter.services.comparisons.pairing import Chosen
from podmeter.services.measured import words
from podmeter.services.measured.figures import figure
from podmeter.services.measured.ladder import LadderCurve, curves
from podmeter.services.measured.runs import MeasuredCase
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
) -> list[CurvePair]:
    """The curves of the pairs' cases that have two common points at least.

    `pairs` holds only those that may be compared; alpha is shared by so many `contenders`.
    """
    left = {_key(one, axes): one for one in curves(baseline.measured, [one for one, _ in pairs])}
    right = {_key(one, axes): one for one in curves(contender.measured, [two for _, two in pairs])}
    both = [
        (one, right[key])
        for key, one in left.items()
        if key in right and len(set(one.curve.xs) & set(right[key].curve.xs)) >= 2
    ]
    found = []
    for one, other in both:
        shared = {axis: value for axis, value in sorted(one.rest) if axis not in axes}
        families = len(both) * contenders
        found.append(_pair(one, other, shared, level, noise, alpha, families))
    return found


def shape_of(found: Trend) -> CurveShape:
    """A trend in the document's shape."""
    return CurveShape(
        found.shape.value, figure(found.change), figure(found.slope), found.p, found.controlled
    )


def _key(one: LadderCurve, axes: frozenset[str]) -> object:
    rest = frozenset((axis, value) for axis, value in one.rest if axis not in axes)
    return rest, one.metric.name, one.subject


def _pair(
    one: LadderCurve,
    other: LadderCurve,
    shared: Mapping[str, AxisValue],
    level: Level,
    noise: float,
    alpha: float,
    families: int,
) -> CurvePair:
    xs = sorted(set(one.curve.xs) & set(other.curve.xs))
    left, right = _common(one.curve, xs), _common(other.curve, xs)
    controls = one.control, other.control
    shapes = (
        trend(left, control=controls[0], alpha=alpha),
        trend(right, control=controls[1], alpha=alpha),
    )
    difference = trend_difference(left, right, level=level, controls=controls, alpha=alpha)
    crossing = find_crossover(
        left,
        right,
        direction=Direction(one.metric.direction),
        threshold=threshold(one.metric, noise),
        level=level,
        alpha=alpha,
        families=families,
    )
    found = CurvePair(
        metric=one.metric.name,
        subject=one.subject,
        unit=one.metric.unit.value,
        axis=one.axis,
        xs=xs,
        shared=dict(shared),
        baseline=shape_of(shapes[0]),
        contender=shape_of(shapes[1]),
        difference=figure(difference.ratio),
        degrades_more=_degrades_more(one.metric.direction, difference.steeper, shapes),
        crossing=None
        if crossing is None
        else Crossing(
            crossing.last_before,
            crossing.first_after,
            crossing.estimate,
            crossing.contender_leads_after,
        ),
        text="",
    )
    return _with_text(found)


def _common(curve: Curve, xs: list[float]) -> Curve:
    return Curve(tuple((x, sample) for x, sample in curve.points if x in xs))


def _degrades_more(direction: str, steeper: str | None, shapes: tuple[Trend, Trend]) -> str | None:
    """`steeper` keeps less of its first value: bad where higher is better, good where lower is.

    A side that does not surely get worse does not get worse faster.
    """
    if steeper is None:
        return None
    worse, bad = steeper, Shape.FALLS
    if direction != Direction.HIGHER:
        worse, bad = "contender" if steeper == "baseline" else "baseline", Shape.RISES
    shape = shapes[worse == "contender"].shape
    return worse if shape == bad else None


def _with_text(found: CurvePair) -> CurvePair:
    over = f"over {found.xs[0]:g} to {found.xs[-1]:g} {found.axis}"
    sides = [
        f"{name} {words.SHAPES[one.shape]} "
        f"({words.change(one.change)}{words.against(one.controlled)})"
        for name, one in (("baseline", found.baseline), ("contender", found.contender))
    ]
    parts = [f"{words.metric(found.metric, found.subject)} {over}: {', '.join(sides)}"]
    if found.crossing is not None:
        leads = "overtakes" if found.crossing.contender_leads_after else "falls behind"
        parts.append(
            f"the contender {leads} between {found.crossing.last_before:g} and "
            f"{found.crossing.first_after:g} {found.axis}"
        )
    else:
        parts.append("no crossing is shown")
    return replace(found, text="; ".join(parts))
