"""Cases of a run along its ladder: the main metric over Services, one curve for each rest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import MetricDefinition
from podmeter.kinds.controls import control_beside, control_values
from podmeter.kinds.limits import CaseLimits
from podmeter.services.run_results.client_limits import ClientLimits
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun
from podmeter.statistics import Curve, Sample

Rest = frozenset[tuple[str, AxisValue]]
#: A curve's rest, metric and subject.
_Key = tuple[Rest, str, str]


@dataclass(frozen=True, slots=True)
class LadderCurve:
    """A metric over the ladder's axis; `rest` is the point of its cases without that axis.

    `control` is what was measured of the control beside it, on the same rungs in the same rounds.
    `limits` are what limited the trials of each rung.
    """

    axis: str
    rest: Rest
    metric: MetricDefinition
    subject: str
    curve: Curve
    control: Curve | None = None
    limits: Mapping[float, CaseLimits | None] = field(default_factory=dict)

    def client_limits(self, xs: Iterable[float]) -> ClientLimits:
        """On which of these rungs the client limited it, and in how many trials."""
        return ClientLimits.of(self.metric, (self.limits.get(x) for x in xs))


def ladder_axis(measured: MeasuredRun) -> str | None:
    """The axis that the run climbs, if it has one."""
    return next((axis.name for axis in measured.spec.axes if axis.ladder), None)


def curves(measured: MeasuredRun, cases: Iterable[MeasuredCase]) -> list[LadderCurve]:
    """The curves of the cases' main metrics, those of a single point included.

    A control is found among all cases of the run, whether it is one of those asked for or not.
    """
    axis = ladder_axis(measured)
    if axis is None:
        return []
    wanted = list(cases)
    found = _curves(measured, axis, wanted)
    controls = control_values(measured.spec.kind, [axis])
    if not controls:
        return found
    every = {_key(one): one.curve for one in _curves(measured, axis, measured.cases)}
    beside = [_control(one, controls) for one in found]
    return [
        replace(one, control=every.get(key)) if key is not None else one
        for one, key in zip(found, beside, strict=True)
    ]


def _control(one: LadderCurve, controls: Mapping[str, AxisValue]) -> _Key | None:
    """Which curve is the control of one; None for a control, and for what has none."""
    point = control_beside(dict(one.rest), controls)
    return None if point is None else (frozenset(point.items()), one.metric.name, one.subject)


def _key(one: LadderCurve) -> _Key:
    return one.rest, one.metric.name, one.subject


def _curves(measured: MeasuredRun, axis: str, cases: Iterable[MeasuredCase]) -> list[LadderCurve]:
    points: dict[_Key, dict[float, Sample]] = {}
    metrics: dict[str, MetricDefinition] = {}
    limits: dict[_Key, dict[float, CaseLimits | None]] = {}
    for case in cases:
        main = measured.main(case.id)
        if main is None or axis not in case.point:
            continue
        rest = frozenset((name, value) for name, value in case.point.items() if name != axis)
        metrics[main.metric.name] = main.metric
        key = rest, main.metric.name, main.subject
        rung = float(case.point[axis])
        points.setdefault(key, {})[rung] = main.sample
        limits.setdefault(key, {})[rung] = measured.limits.get(case.id)
    return [
        LadderCurve(
            axis,
            rest,
            metrics[name],
            subject,
            Curve.of(samples),
            limits=limits[rest, name, subject],
        )
        for (rest, name, subject), samples in points.items()
    ]
