"""What a document says of its axes and metrics, so that charts can be drawn from it alone."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from podmeter.domain.axes import AxisDefinition, AxisRole, AxisScope
from podmeter.domain.measurement import MetricDefinition


@dataclass(frozen=True, slots=True)
class AxisFacts:
    """An axis of the run, and what it is in a chart.

    `curve`: along x, a line over its numbers; `apart`: each value has a chart of its own;
    `series`: values are distinguished inside one chart. `scope` is what a change of it touches.
    """

    name: str
    scope: AxisScope
    role: AxisRole


@dataclass(frozen=True, slots=True)
class MetricFacts:
    """A metric: its base unit, which direction is better (higher, lower, none).

    `main` metrics are those that cases are about; the values of its `parts`, the subjects of
    having any, add up to one whole.
    """

    name: str
    unit: str
    direction: str
    description: str
    main: bool = False
    parts: list[str] = field(default_factory=list)


def axis_facts(axes: Iterable[AxisDefinition], named: Collection[str]) -> list[AxisFacts]:
    """The axes that are named, in their kind's order, outermost first."""
    return [AxisFacts(axis.name, axis.scope, axis.role) for axis in axes if axis.name in named]


def metric_facts(metrics: Iterable[MetricDefinition]) -> list[MetricFacts]:
    """The metrics in their kind's order."""
    return [
        MetricFacts(
            one.name,
            one.unit.value,
            one.direction.value,
            one.description,
            one.main,
            list(one.parts),
        )
        for one in metrics
    ]
