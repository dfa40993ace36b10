"""Cases of a run along its ladder: the main metric over Services, one curve for each rest."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import MetricDefinition
from podmeter.kinds.controls import control_beside, control_values
from podmeter.kinds.limits import is_rate
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun
from podmeter.statistics import Curve, Sample, Shape, Trend

Rest = frozenset[tuple[str, AxisValue]]
#: A curve's rest, metric and subject.
_Key = tuple[Rest, str, str]


@dataclass(frozen=True, slots=True)
class LadderCurve:
    """A metric over the ladder's axis; `rest` is the point of its cases without that axis.

    `control` is what was measured of the control beside it, on the same rungs in the same rounds.
    `client_limited` is whether it is a rate that the client limited on most of its rungs.
    """

    axis: str
    rest: Rest
    metric: MetricDefinition
    subject: str
    curve: Curve
    control: Curve | None = None
    client_limited: bool = False

    def judged(self, found: Trend) -> Trend:
        """Its trend as far as the client allows: a client at its limit makes any curve flat."""
        if self.client_limited and found.shape in (Shape.FLAT, Shape.NEARLY_FLAT):
            return replace(found, shape=Shape.UNDECIDED)
        return found


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
    limited: Counter[_Key] = Counter()
    for case in cases:
        main = measured.main(case.id)
        if main is None or axis not in case.point:
            continue
        rest = frozenset((name, value) for name, value in case.point.items() if name != axis)
        metrics[main.metric.name] = main.metric
        key = rest, main.metric.name, main.subject
        points.setdefault(key, {})[float(case.point[axis])] = main.sample
        limits = measured.limits.get(case.id)
        limited[key] += is_rate(main.metric) and limits is not None and limits.by_client
    return [
        LadderCurve(
            axis,
            rest,
            metrics[name],
            subject,
            Curve.of(samples),
            client_limited=2 * limited[rest, name, subject] > len(samples),
        )
        for (rest, name, subject), samples in points.items()
    ]
