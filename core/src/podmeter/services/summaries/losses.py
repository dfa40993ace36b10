"""Derived metrics: what a case loses against another one of the same run."""

from dataclasses import dataclass, replace

from pydantic import JsonValue

from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import Derivation, MetricDefinition, Unit
from podmeter.domain.measurement import Direction as Better
from podmeter.results.projected import Key, Projected
from podmeter.services.comparisons.effects import (
    as_far_as_offered,
    looked,
    more_if_offered,
    threshold,
)
from podmeter.services.run_results import same_limits
from podmeter.services.run_results.client_limits import CLIENT_WARNINGS, ClientLimits
from podmeter.services.run_results.families import planned_tests
from podmeter.services.run_results.figures import (
    BASELINE_AS_OFFERED,
    BOTH_AS_OFFERED,
    NO_BASELINE,
    TWO_NICS,
    figure,
    projected_figure,
    warned,
    warning,
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
    derived_samples = [
        _derived(measured, case, sample, metric, metric.derivation, by_point, noise)
        for metric in measured.metrics.values()
        if metric.derivation is not None
        for case in measured.cases
        if metric.derivation.axis in case.point
        and case.point[metric.derivation.axis] != metric.derivation.baseline
        for sample in measured.samples(case.id)
        if sample.metric.name == metric.derivation.source
    ]
    verdicts = iter(_judged(derived_samples, measured, noise, alpha))
    return [
        row
        for derived in derived_samples
        for row in _rows(
            derived, None if derived.loss is None else next(verdicts), measured.imported
        )
    ]


@dataclass(frozen=True, slots=True)
class _Derived:
    """A sample set against that of its baseline; `loss` is None where there is no loss to report.

    `full` says which side, the baseline first, got all that was offered, `client_limits` what the
    client limited.
    """

    metric: MetricDefinition
    point: Point
    against: Point
    sample: MeasuredSample
    baseline: MeasuredSample | None
    loss: RelativeLoss | None
    warnings: list[JsonValue]
    full: tuple[bool, bool]
    client_limits: ClientLimits


def _judged(
    derived_samples: list[_Derived], measured: MeasuredRun, noise: float, alpha: float
) -> list[Comparison]:
    """The verdicts of those that have a loss; those of one run are checked together."""
    difference, most_rounds = looked(measured.spec)
    known = [derived for derived in derived_samples if derived.loss is not None]
    pairings = [
        Pairing(
            derived.baseline.sample,
            derived.sample.sample,
            Direction(derived.sample.metric.direction),
            threshold(derived.sample.metric, noise),
            difference=difference,
            most_rounds=most_rounds,
        )
        for derived in known
        if derived.baseline is not None
    ]
    compared = [
        as_far_as_offered(comparison, derived.full)
        for derived, comparison in zip(known, compare_all(pairings, alpha=alpha), strict=True)
    ]
    tested = [
        derived.point for derived, one in zip(known, compared, strict=True) if one.p is not None
    ]
    planned = planned_tests(measured.spec, tested, (case.point for case in measured.cases))
    judged = corrected(compared, alpha=alpha, planned=planned)
    return [
        derived.client_limits.judged(comparison)
        for derived, comparison in zip(known, judged, strict=True)
    ]


def _rows(derived: _Derived, judged: Comparison | None, imported: bool) -> list[Projected]:
    """The loss with its verdict, and the difference in the source's unit."""
    source = derived.sample.metric
    share = None if derived.loss is None else derived.loss.loss
    difference = None if derived.loss is None else derived.loss.difference
    tested: dict[str, JsonValue] = {}
    warnings = derived.warnings
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
        tested |= same_limits.parameters(judged) | derived.client_limits.parameters
        warnings = warnings + warned(one for one in judged.warnings if one.code in CLIENT_WARNINGS)
        # Of a baseline that got all of it, the loss has a warning by itself.
        warnings += more_if_offered(judged, (False, derived.full[1]))
    # Of a share of what it is set against, less is better.
    key = Key(
        derived.metric.name,
        derived.sample.subject,
        Unit.RATIO.value,
        Better.LOWER.value,
        dict(derived.point),
        dict(derived.against),
    )
    n = derived.sample.sample.n
    return [
        projected_figure(
            key,
            figure(share),
            n,
            None if judged is None else judged.verdict.value,
            LOSS,
            source=source.name,
            source_direction=source.direction.value,
            n_against=0 if derived.baseline is None else derived.baseline.sample.n,
            warnings=warnings,
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
    sample: MeasuredSample,
    metric: MetricDefinition,
    derivation: Derivation,
    by_point: dict[_Spot, MeasuredCase],
    noise: float,
) -> _Derived:
    against = {**case.point, derivation.axis: derivation.baseline}
    baseline = by_point.get(frozenset(against.items()))
    baseline_sample = None if baseline is None else _same(measured, baseline, sample)
    loss, warnings, full = None, [warning(NO_BASELINE)], (False, False)
    if baseline is not None and baseline_sample is not None:
        full = (
            at_offered_rate(baseline_sample, measured.samples(baseline.id), noise),
            at_offered_rate(sample, measured.samples(case.id), noise),
        )
        if _nic(baseline) != _nic(case) and None not in (_nic(baseline), _nic(case)):
            warnings = [warning(TWO_NICS)]
        elif all(full):
            warnings = [warning(BOTH_AS_OFFERED)]
        else:
            direction = Direction(sample.metric.direction)
            loss = relative_loss(baseline_sample.sample, sample.sample, direction=direction)
            warnings = warned(loss.warnings)
            warnings += [warning(BASELINE_AS_OFFERED)] if full[0] else []
    sides = (None if baseline is None else baseline.id, case.id)
    limits = [None if one is None else measured.limits.get(one) for one in sides]
    return _Derived(
        metric,
        case.point,
        against,
        sample,
        baseline_sample,
        loss,
        warnings,
        full,
        ClientLimits.of(sample.metric, limits),
    )


def _nic(case: MeasuredCase) -> str | None:
    """The NIC that the case's packets left by; None where that was not seen, or there was none."""
    return None if case.placement is None else case.placement.get("nic")


def _same(
    measured: MeasuredRun, baseline: MeasuredCase, sample: MeasuredSample
) -> MeasuredSample | None:
    for other in measured.samples(baseline.id):
        if (other.metric.name, other.subject) == (sample.metric.name, sample.subject):
            return other
    return None
