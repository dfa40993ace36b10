"""A run's cases: what became of their trials, and a summary for each metric."""

from collections.abc import Iterable, Mapping

from podmeter.domain.trial import TrialStatus
from podmeter.services.measured.figures import figure, notes
from podmeter.services.measured.runs import MeasuredCase, MeasuredRun, MeasuredSample
from podmeter.services.summaries.document import (
    CaseFacts,
    CaseSummary,
    QuantileFigure,
    TrialFailures,
    TrialValue,
)
from podmeter.statistics import summarize

#: (case, status, failure code, how many, one of the messages), as the database counts them.
TrialCount = tuple[int, TrialStatus, str | None, int, str | None]


def case_facts(measured: MeasuredRun, counts: Iterable[TrialCount]) -> list[CaseFacts]:
    """Every case with its trials counted by how they ended, in the order of the matrix."""
    by_case: dict[int, list[TrialCount]] = {}
    for row in counts:
        by_case.setdefault(row[0], []).append(row)
    return [_facts(case, by_case.get(case.id, [])) for case in measured.cases]


def case_summaries(
    measured: MeasuredRun, overheads: Mapping[int, MeasuredSample]
) -> list[CaseSummary]:
    """A summary for each case, metric and subject that has a counted trial, the overhead last."""
    return [
        _summary(case, one, main=one is measured.main(case.id))
        for case in measured.cases
        for one in (*measured.samples(case.id), *_known(overheads.get(case.id)))
    ]


def _known(one: MeasuredSample | None) -> tuple[MeasuredSample, ...]:
    return () if one is None else (one,)


def _facts(case: MeasuredCase, rows: list[TrialCount]) -> CaseFacts:
    totals = dict.fromkeys(TrialStatus, 0)
    for _, status, _, count, _ in rows:
        totals[status] += count
    return CaseFacts(
        case_id=case.id,
        key=case.key,
        point=dict(case.point),
        status=case.status.value,
        reason=case.reason,
        counted=totals[TrialStatus.COUNTED],
        warmup=totals[TrialStatus.WARMUP],
        void=totals[TrialStatus.VOID],
        failed=totals[TrialStatus.FAILED],
        failures=[
            TrialFailures(status.value, code, message or "", count)
            for _, status, code, count, message in rows
            if code is not None
        ],
    )


def _summary(case: MeasuredCase, one: MeasuredSample, *, main: bool) -> CaseSummary:
    found = summarize(one.sample)
    return CaseSummary(
        case_id=case.id,
        key=case.key,
        point=dict(case.point),
        metric=one.metric.name,
        subject=one.subject,
        unit=one.metric.unit.value,
        direction=one.metric.direction.value,
        main=main,
        n=found.n,
        rounds=found.rounds,
        median=figure(found.median),
        mean=figure(found.mean),
        round_medians=list(found.round_medians),
        quantiles=[QuantileFigure(each.probability, each.value) for each in found.quantiles],
        minimum=found.minimum,
        maximum=found.maximum,
        standard_deviation=found.standard_deviation,
        trials=[
            TrialValue(trial, number, value)
            for number, (trials, values) in enumerate(
                zip(one.trials, one.sample.rounds, strict=True), start=1
            )
            for trial, value in zip(trials, values, strict=True)
        ],
        warnings=list(notes(found.warnings)),
    )
