"""Rows of curves over a ladder: what one does as x grows, and how two of them differ.

A curve is `CHANGE`, its value at the last x / at the first, with its `shape` (falls, rises, flat,
nearly_flat or undecided) and p, and `SLOPE` in the metric's unit per x. Where it is
`controlled`, all of it is of the ratio to the control of the same rung and round. An undecided one
says on which of `xs` the client was at its limit (`client_limits`), as it is never flat then.

Of two curves each has these rows with its `side`, and both together have `DIFFERENCE`, the
contender's change / the baseline's: above 1 it keeps more of its first value, or grows more, and
`degrades_more` is the side that gets worse faster, where that is sure. All of these are of the
same `xs`, which both controls have where both are `controlled`. Where the contender overtakes or
falls behind, surely between two x, `CROSSING` is about where, with these x as its ends: it is of
the figures themselves, on all x that both curves have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import Unit
from podmeter.results.projected import Key, Projected
from podmeter.services.run_results.figures import figure, projected_figure
from podmeter.services.run_results.ladder import LadderCurve
from podmeter.statistics import Crossover, Estimate, Shape, Trend

CHANGE, SLOPE, DIFFERENCE, CROSSING = "change", "slope", "curve_difference", "crossing"
Side = Literal["baseline", "contender"]


def of_curve(
    one: LadderCurve, found: Trend, xs: Sequence[float], side: Side | None = None
) -> list[Projected]:
    """What one curve does over `xs`."""
    place: dict[str, JsonValue] = {"axis": one.axis}
    if side is not None:
        place["side"] = side
    parameters: dict[str, JsonValue] = {
        "xs": list(xs),
        "shape": found.shape.value,
        "p": found.p,
        "controlled": found.controlled,
    }
    if found.shape is Shape.UNDECIDED:
        parameters |= one.client_limits(xs).parameters
    n = _trials(one, xs)
    change, slope = _key(one, Unit.RATIO), _key(one, one.metric.unit)
    return [
        projected_figure(change, figure(found.change), n, None, CHANGE, **place, **parameters),
        projected_figure(slope, figure(found.slope), n, None, SLOPE, **place),
    ]


def of_both(
    baseline: LadderCurve,
    contender: LadderCurve,
    xs: Sequence[float],
    difference: Estimate | None,
    degrades_more: Side | None,
    crossing: Crossover | None,
) -> list[Projected]:
    """How the contender's curve differs from the baseline's."""
    against = dict(sorted(baseline.rest))
    n, axis = _trials(contender, xs), contender.axis
    rows = [
        projected_figure(
            _key(contender, Unit.RATIO, against),
            figure(difference),
            n,
            None,
            DIFFERENCE,
            axis=axis,
            xs=list(xs),
            degrades_more=degrades_more,
        )
    ]
    if crossing is not None:
        point = dict(sorted(contender.rest))
        rows.append(
            Projected(
                Key(contender.metric.name, contender.subject, "count", "none", point, against),
                crossing.estimate,
                crossing.last_before,
                crossing.first_after,
                n,
                None,
                CROSSING,
                {"axis": axis, "contender_leads_after": crossing.contender_leads_after},
            )
        )
    return rows


@dataclass(frozen=True, slots=True)
class CurvePair:
    """All rows of two curves, and those of them that say most."""

    rows: list[Projected]
    baseline: Projected
    contender: Projected
    difference: Projected
    crossing: Projected | None

    @property
    def key(self) -> Key:
        """Of the contender against the baseline."""
        return self.difference.key

    @property
    def shared(self) -> dict[str, AxisValue]:
        """Where both lie, besides the ladder's axis."""
        against = self.key.against or {}
        return {axis: at for axis, at in self.key.point.items() if against.get(axis) == at}

    @property
    def axis(self) -> str:
        """The ladder's axis."""
        return self.difference.text("axis")

    @property
    def xs(self) -> list[float]:
        """The rungs that both are judged on."""
        return self.difference.numbers("xs")

    @property
    def degrades_more(self) -> str:
        """The side that surely gets worse faster; '' where that is not sure."""
        return self.difference.text("degrades_more")


def pairs(rows: Iterable[Projected]) -> list[CurvePair]:
    """The pairs of curves that rows are of, whose rows stand together, the baseline's first."""
    groups: list[list[Projected]] = []
    for one in rows:
        if one.code == CHANGE and one.text("side") == "baseline":
            groups.append([])
        if groups:
            groups[-1].append(one)
    return [_pair(one) for one in groups]


def _pair(rows: list[Projected]) -> CurvePair:
    known = {(one.code, one.text("side")): one for one in rows}
    return CurvePair(
        rows=rows,
        baseline=known[CHANGE, "baseline"],
        contender=known[CHANGE, "contender"],
        difference=known[DIFFERENCE, ""],
        crossing=known.get((CROSSING, "")),
    )


def _key(one: LadderCurve, unit: Unit, against: dict[str, AxisValue] | None = None) -> Key:
    metric = one.metric
    point = dict(sorted(one.rest))
    return Key(metric.name, one.subject, unit.value, metric.direction.value, point, against)


def _trials(one: LadderCurve, xs: Sequence[float]) -> int:
    return sum(sample.n for x, sample in one.curve.points if x in xs)
