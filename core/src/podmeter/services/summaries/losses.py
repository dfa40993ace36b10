"""Derived metrics: what a case loses against another one of the same run."""

from dataclasses import dataclass, replace

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import Derivation, MetricDefinition, Unit
from podmeter.domain.measurement import Direction as Better
from podmeter.results.projected import Key, Projected
from podmeter.services.comparisons.effects import as_far_as_offered, looked, threshold
from podmeter.services.run_results.figures import (
    BASELINE_AS_OFFERED,
    BOTH_AS_OFFERED,
    NO_BASELINE,
    TWO_NICS,
    figure,
    projected_figure,
    warned,
)
from podmeter.services.run_results.loss import DIFFERENCE, LOSS
from podmeter.services.run_results.offered import at_offered_rate
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun, MeasuredSample, Point
from podmeter.statistics import (
    Comparison,
    Direction,
    Pairing,
    RelativeLoss,
    compare_all,
    corrected,
    loss_of,
    relative_loss,
)

_Spot = frozenset[tuple[str, AxisValue]]


def losses(measured: MeasuredRun, noise: float, alpha: float = 0.05) -> list[Projected]:
    """Every derived metric of every case that has its source, but for the baselines themselves.

    `noise` is the share of what was offered within which all of it has arrived, and the threshold
    of their verdicts.
    """
    by_point = {frozenset(case.point.items()): case for case in measured.cases}
    derived = [
        _derived(measured, case, one, metric, metric.derivation, by_point, noise)
        for metric in measured.metrics.values()
        if metric.derivation is not None
        for case in measured.cases
        if metric.derivation.axis in case.point
        and case.point[metric.derivation.axis] != metric.derivation.baseline
        for one in measured.samples(case.id)
        if one.metric.name == metric.derivation.source
    ]
    verdicts = iter(_judged(derived, measured, noise, alpha))
    return [
        row
        for one in derived
        for row in _rows(one, None if one.found is None else next(verdicts), measured.imported)
    ]


@dataclass(frozen=True, slots=True)
class _Derived:
    """A sample set against that of its baseline; `found` is None where there is no loss to tell.

    `full` says which side, the baseline first, got all that was offered.
    """

    metric: MetricDefinition
    point: Point
    against: Point
    sample: MeasuredSample
    baseline: MeasuredSample | None
    found: RelativeLoss | None
    warnings: list[JsonValue]
    full: tuple[bool, bool]


def _judged(
    derived: list[_Derived], measured: MeasuredRun, noise: float, alpha: float
) -> list[Comparison]:
    """The verdicts of those that have a loss; those of one run are checked together."""
    difference, most_rounds = looked(measured.spec)
    known = [one for one in derived if one.found is not None]
    pairings = [
        Pairing(
            one.baseline.sample,
            one.sample.sample,
            Direction(one.sample.metric.direction),
            threshold(one.sample.metric, noise),
            difference=difference,
            most_rounds=most_rounds,
        )
        for one in known
        if one.baseline is not None
    ]
    compared = [
        as_far_as_offered(comparison, one.full)
        for one, comparison in zip(known, compare_all(pairings, alpha=alpha), strict=True)
    ]
    return list(corrected(compared, alpha=alpha))


def _rows(one: _Derived, judged: Comparison | None, imported: bool) -> list[Projected]:
    """The loss with its verdict, and the difference in the source's unit."""
    source = one.sample.metric
    share = None if one.found is None else one.found.loss
    difference = None if one.found is None else one.found.difference
    tested: dict[str, JsonValue] = {}
    if judged is not None:
        if not imported:
            # The interval that the verdict is of holds for all losses of the run together.
            share = None if judged.ratio is None else loss_of(judged.ratio, judged.direction)
            difference = judged.shift
        tested = {
            "reason": judged.reason.value,
            "p": judged.p,
            "adjusted_p": judged.adjusted_p,
            "looked_at": judged.looked_at,
        }
    # Of a share of what it is set against, less is better.
    key = Key(
        one.metric.name,
        one.sample.subject,
        Unit.RATIO.value,
        Better.LOWER.value,
        dict(one.point),
        dict(one.against),
    )
    n = one.sample.sample.n
    return [
        projected_figure(
            key,
            figure(share),
            n,
            None if judged is None else judged.verdict.value,
            LOSS,
            source=source.name,
            source_direction=source.direction.value,
            n_against=0 if one.baseline is None else one.baseline.sample.n,
            warnings=one.warnings,
            **tested,
        ),
        projected_figure(
            replace(key, unit=source.unit.value, direction=source.direction.value),
            figure(difference),
            n,
            None,
            DIFFERENCE,
        ),
    ]


def _derived(
    measured: MeasuredRun,
    case: MeasuredCase,
    one: MeasuredSample,
    metric: MetricDefinition,
    derivation: Derivation,
    by_point: dict[_Spot, MeasuredCase],
    noise: float,
) -> _Derived:
    against = {**case.point, derivation.axis: derivation.baseline}
    baseline = by_point.get(frozenset(against.items()))
    theirs = None if baseline is None else _same(measured, baseline, one)
    found, warnings, full = None, [_warning(NO_BASELINE)], (False, False)
    if baseline is not None and theirs is not None:
        full = (
            at_offered_rate(theirs, measured.samples(baseline.id), noise),
            at_offered_rate(one, measured.samples(case.id), noise),
        )
        if _nic(baseline) != _nic(case) and None not in (_nic(baseline), _nic(case)):
            warnings = [_warning(TWO_NICS)]
        elif all(full):
            warnings = [_warning(BOTH_AS_OFFERED)]
        else:
            direction = Direction(one.metric.direction)
            found = relative_loss(theirs.sample, one.sample, direction=direction)
            warnings = warned(found.warnings)
            warnings += [_warning(BASELINE_AS_OFFERED)] if full[0] else []
    return _Derived(metric, case.point, against, one, theirs, found, warnings, full)


def _warning(code: str) -> JsonValue:
    return {"code": code, "needed": None, "found": None}


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
