"""What was measured beside a case and cannot be changed by what is compared."""

from collections.abc import Callable, Iterable

from podmeter.kinds.controls import control_beside, control_values
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun, MeasuredSample
from podmeter.statistics import Sample

Controls = Callable[[MeasuredCase, MeasuredSample], tuple[Sample, Sample] | None]


def control_samples(
    baseline: MeasuredRun,
    contender: MeasuredRun,
    pairs: Iterable[tuple[MeasuredCase, MeasuredCase]],
    compared: frozenset[str],
) -> Controls:
    """What tells the control of a baseline's case and metric: both sides' samples of it, or None.

    The control of a case has the control's values (node to node; kept connections to the pod's own
    address) and lies with it on all other axes. A control has none itself, nor has a case that is
    not on these axes.
    """
    values = control_values(baseline.spec.kind, compared)
    by_point = {frozenset(one.point.items()): (one, two) for one, two in pairs}

    def found(case: MeasuredCase, sample: MeasuredSample) -> tuple[Sample, Sample] | None:
        point = control_beside(case.point, values)
        beside = None if point is None else by_point.get(frozenset(point.items()))
        if beside is None:
            return None
        one, two = _like(baseline, beside[0], sample), _like(contender, beside[1], sample)
        return None if one is None or two is None else (one, two)

    return found


def _like(measured: MeasuredRun, case: MeasuredCase, sample: MeasuredSample) -> Sample | None:
    """The case's sample of the same metric and subject."""
    wanted = sample.metric.name, sample.subject
    return next(
        (
            one.sample
            for one in measured.samples(case.id)
            if (one.metric.name, one.subject) == wanted
        ),
        None,
    )
