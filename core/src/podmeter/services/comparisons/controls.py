"""What was measured beside a case and cannot be changed by what is compared."""

from collections.abc import Callable, Collection, Iterable

from podmeter.kinds.registry import described
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun, MeasuredSample
from podmeter.statistics import Sample

Controls = Callable[[MeasuredCase, MeasuredSample], tuple[Sample, Sample] | None]


def control_values(kind: str, compared: Collection[str]) -> dict[str, str]:
    """By axis of a kind, the value on it that nothing of the `compared` axes can change."""
    known = described(kind)
    return {
        axis.name: axis.control
        for axis in (() if known is None else known.axes)
        if axis.control is not None and set(compared) <= set(axis.control_for)
    }


def control_samples(
    baseline: MeasuredRun,
    contender: MeasuredRun,
    pairs: Iterable[tuple[MeasuredCase, MeasuredCase]],
    compared: frozenset[str],
) -> Controls:
    """What tells the control of a baseline's case and metric: both sides' samples of it, or None.

    The control of a case has the control's value on an axis (node to node, the
    pod's own address) and with it on all others. A control has none itself, nor has a case along
    an axis that is compared.
    """
    values = control_values(baseline.spec.kind, compared)
    by_point = {frozenset(one.point.items()): (one, two) for one, two in pairs}

    def found(case: MeasuredCase, sample: MeasuredSample) -> tuple[Sample, Sample] | None:
        for axis, value in values.items():
            if case.point.get(axis, value) == value:
                continue
            beside = by_point.get(frozenset({**case.point, axis: value}.items()))
            if beside is None:
                continue
            sides = (
                _like(baseline, beside[0], sample),
                _like(contender, beside[1], sample),
            )
            if sides[0] is not None and sides[1] is not None:
                return sides[0], sides[1]
        return None

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
