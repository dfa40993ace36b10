"""Cases of a run along its ladder: the main metric over Services, one curve for each rest."""

from collections.abc import Iterable
from dataclasses import dataclass

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import MetricDefinition
from podmeter.services.measured.runs import MeasuredCase, MeasuredRun
from podmeter.statistics import Curve, Sample

Rest = frozenset[tuple[str, AxisValue]]


@dataclass(frozen=True, slots=True)
class LadderCurve:
    """A metric over the ladder's axis; `rest` is the point of its cases without that axis."""

    axis: str
    rest: Rest
    metric: MetricDefinition
    subject: str
    curve: Curve


def ladder_axis(measured: MeasuredRun) -> str | None:
    """The axis that the run climbs, if it has one."""
    return next((axis.name for axis in measured.spec.axes if axis.ladder), None)


def curves(measured: MeasuredRun, cases: Iterable[MeasuredCase]) -> list[LadderCurve]:
    """The curves of the cases' main metrics, those of a single point included."""
    axis = ladder_axis(measured)
    if axis is None:
        return []
    points: dict[tuple[Rest, str, str], dict[float, Sample]] = {}
    metrics: dict[str, MetricDefinition] = {}
    for case in cases:
        main = measured.main(case.id)
        if main is None or axis not in case.point:
            continue
        rest = frozenset((name, value) for name, value in case.point.items() if name != axis)
        metrics[main.metric.name] = main.metric
        group = points.setdefault((rest, main.metric.name, main.subject), {})
        group[float(case.point[axis])] = main.sample
    return [
        LadderCurve(axis, rest, metrics[name], subject, Curve.of(samples))
        for (rest, name, subject), samples in points.items()
    ]
