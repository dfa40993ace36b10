"""Derived metrics: what a case loses against another one of the same run."""

from dataclasses import replace

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import Derivation, MetricDefinition
from podmeter.services.comparisons.effects import as_far_as_offered, looked, threshold
from podmeter.services.measured.figures import Note, figure, notes
from podmeter.services.measured.loss import Loss
from podmeter.services.measured.offered import at_offered_rate
from podmeter.services.measured.runs import MeasuredCase, MeasuredRun, MeasuredSample
from podmeter.statistics import (
    Comparison,
    Direction,
    Pairing,
    compare_all,
    corrected,
    loss_of,
    relative_loss,
)

_Point = frozenset[tuple[str, AxisValue]]

NO_BASELINE = Note("no_baseline_case", "the run has no counted trials to relate this case to")
#: Why a loss has no figure though both sides were measured.
TWO_NICS = Note("two_nics", "the two went over different NICs, so their difference is no loss")
BOTH_AS_OFFERED = Note("both_as_offered", "both got all that was offered, so nothing is told")
#: Why it is one all the same, and not all of it.
BASELINE_AS_OFFERED = Note(
    "baseline_as_offered", "what it is set against got all that was offered: the loss is no smaller"
)


def losses(measured: MeasuredRun, noise: float, alpha: float = 0.05) -> list[Loss]:
    """Every derived metric of every case that has its source, but for the baselines themselves.

    `noise` is the share of what was offered within which all of it has arrived, and the threshold
    of their verdicts.
    """
    by_point = {frozenset(case.point.items()): case for case in measured.cases}
    found = [
        _loss(measured, case, one, metric, metric.derivation, by_point, noise)
        for metric in measured.metrics.values()
        if metric.derivation is not None
        for case in measured.cases
        if metric.derivation.axis in case.point
        and case.point[metric.derivation.axis] != metric.derivation.baseline
        for one in measured.samples(case.id)
        if one.metric.name == metric.derivation.source
    ]
    return _judged(found, measured, noise, alpha)


#: A loss, both samples (the baseline's only where there is a loss), which of the sides, the
#: baseline first, got all that was offered.
_Pair = tuple[Loss, MeasuredSample | None, MeasuredSample, tuple[bool, bool]]


def _judged(found: list[_Pair], measured: MeasuredRun, noise: float, alpha: float) -> list[Loss]:
    """The losses with their verdicts; those of one run are looked at together."""
    difference, most_rounds = looked(measured.spec)
    pairings = [
        Pairing(
            theirs.sample,
            one.sample,
            Direction(one.metric.direction),
            threshold(one.metric, noise),
            difference=difference,
            most_rounds=most_rounds,
        )
        for _, theirs, one, _ in found
        if theirs is not None
    ]
    capped = [full for _, theirs, _, full in found if theirs is not None]
    compared = [
        as_far_as_offered(one, full)
        for one, full in zip(compare_all(pairings, alpha=alpha), capped, strict=True)
    ]
    verdicts = iter(corrected(compared, alpha=alpha))
    judged = []
    for loss, theirs, *_ in found:
        if theirs is None:
            judged.append(loss)
            continue
        one = next(verdicts)
        if not measured.imported:
            loss = _in_family(loss, one)
        judged.append(
            replace(
                loss,
                verdict=one.verdict.value,
                reason=one.reason.value,
                p=one.p,
                adjusted_p=one.adjusted_p,
                looked_at=one.looked_at,
            )
        )
    return judged


def _in_family(loss: Loss, found: Comparison) -> Loss:
    """The loss with the interval that its verdict is of, which holds for all losses together."""
    ratio = None if found.ratio is None else loss_of(found.ratio, found.direction)
    return replace(loss, loss=figure(ratio), difference=figure(found.shift))


def _loss(
    measured: MeasuredRun,
    case: MeasuredCase,
    one: MeasuredSample,
    metric: MetricDefinition,
    derivation: Derivation,
    by_point: dict[_Point, MeasuredCase],
    noise: float,
) -> _Pair:
    point = {**case.point, derivation.axis: derivation.baseline}
    baseline = by_point.get(frozenset(point.items()))
    theirs = None if baseline is None else _same(measured, baseline, one)
    found, said, full = None, [NO_BASELINE], (False, False)
    if baseline is not None and theirs is not None:
        full = (
            at_offered_rate(theirs, measured.samples(baseline.id), noise),
            at_offered_rate(one, measured.samples(case.id), noise),
        )
        if _nic(baseline) != _nic(case) and None not in (_nic(baseline), _nic(case)):
            said = [TWO_NICS]
        elif all(full):
            said = [BOTH_AS_OFFERED]
        else:
            direction = Direction(one.metric.direction)
            found = relative_loss(theirs.sample, one.sample, direction=direction)
            said = [*notes(found.warnings), *([BASELINE_AS_OFFERED] if full[0] else [])]
    loss = Loss(
        case_id=case.id,
        key=case.key,
        point=dict(case.point),
        metric=metric.name,
        source=derivation.source,
        subject=one.subject,
        baseline_case_id=None if baseline is None else baseline.id,
        baseline_point=dict(point),
        loss=None if found is None else figure(found.loss),
        difference=None if found is None else figure(found.difference),
        unit=one.metric.unit.value,
        n=one.sample.n,
        n_baseline=0 if theirs is None else theirs.sample.n,
        warnings=said,
        direction=one.metric.direction.value,
    )
    return loss, None if found is None else theirs, one, full


def _nic(case: MeasuredCase) -> str | None:
    """The NIC that the case's packets left by; None where that was not seen, or there was none."""
    return None if case.placement is None else case.placement.get("nic")


def _same(
    measured: MeasuredRun, baseline: MeasuredCase, one: MeasuredSample
) -> MeasuredSample | None:
    for other in measured.samples(baseline.id):
        if (other.metric.name, other.subject) == (one.metric.name, one.subject):
            return other
    return None
