"""A run's cases: what became of their trials, and a summary for each metric.

A summary is two rows, which stand together. `MEDIAN` is the median of the rounds' medians. Its
parameters are the `case_id`, whether the case is about the metric (`main`), how many `rounds` have
trials, their `round_medians`, the counted trials' `values` by round with the ids of these `trials`,
and how they are spread: `minimum`, `maximum`, `standard_deviation` and `quantiles`, each a
probability with the value below which that share of the trials lies, null with too few of them.
Where pairs of nodes changed by round, `round_node_pairs` has that of each round of `values`.
`MEAN` is the trials' mean.
"""

from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from podmeter.domain.messages import Message, reason
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.limits import CaseLimits
from podmeter.results.projected import Key, Projected
from podmeter.services.run_results.figures import MEAN, MEDIAN, figure, projected_figure, warned
from podmeter.services.run_results.runs import MeasuredCase, MeasuredRun, MeasuredSample
from podmeter.services.summaries.document import CaseFacts, TrialFailures
from podmeter.statistics import summarize

#: (case, status, failure code, how many, one of the messages), as the database counts them.
TrialCount = tuple[int, TrialStatus, str | None, int, str | None]


def case_facts(measured: MeasuredRun, counts: Iterable[TrialCount]) -> list[CaseFacts]:
    """Every case with its trials counted by how they ended, in the order of the matrix."""
    by_case: dict[int, list[TrialCount]] = {}
    for row in counts:
        by_case.setdefault(row[0], []).append(row)
    return [
        _facts(case, by_case.get(case.id, []), measured.limits.get(case.id))
        for case in measured.cases
    ]


def case_summaries(
    measured: MeasuredRun, overheads: Mapping[int, MeasuredSample]
) -> list[Projected]:
    """A summary for each case, metric and subject that has a counted trial, the overhead last."""
    return [
        row
        for case in measured.cases
        for sample in (*measured.samples(case.id), *_known(overheads.get(case.id)))
        for row in _summary(case, sample, main=sample is measured.main(case.id))
    ]


def main_summaries(measured: MeasuredRun) -> list[Projected]:
    """Of these what each case is about."""
    return [
        row
        for case in measured.cases
        for sample in _known(measured.main(case.id))
        for row in _summary(case, sample, main=True)
    ]


def _known(sample: MeasuredSample | None) -> tuple[MeasuredSample, ...]:
    return () if sample is None else (sample,)


def _facts(case: MeasuredCase, rows: list[TrialCount], limits: CaseLimits | None) -> CaseFacts:
    totals = dict.fromkeys(TrialStatus, 0)
    for _, status, _, count, _ in rows:
        totals[status] += count
    return CaseFacts(
        case_id=case.id,
        key=case.key,
        point=dict(case.point),
        status=case.status.value,
        reason=reason(case.reason),
        counted=totals[TrialStatus.COUNTED],
        warmup=totals[TrialStatus.WARMUP],
        void=totals[TrialStatus.VOID],
        failed=totals[TrialStatus.FAILED],
        failures=[
            TrialFailures(status.value, code, Message.of(message or ""), count)
            for _, status, code, count, message in rows
            if code is not None
        ],
        limited_by=None if limits is None else limits.most.value,
        limits={} if limits is None else {one.value: n for one, n in limits.counts.items()},
    )


def _summary(case: MeasuredCase, sample: MeasuredSample, *, main: bool) -> list[Projected]:
    # Whatever a trial measures is a rate, a time, a size, a share or a count.
    summary = summarize(sample.sample, least=0.0)
    metric, n, point = sample.metric, summary.n, dict(case.point)
    key = Key(metric.name, sample.subject, metric.unit.value, metric.direction.value, point)
    parameters: dict[str, JsonValue] = {
        "case_id": case.id,
        "main": main,
        "rounds": summary.rounds,
        "round_medians": list(summary.round_medians),
        "values": [list(values) for values in sample.sample.rounds],
        "trials": [list(trials) for trials in sample.trials],
        "quantiles": [[each.probability, each.value] for each in summary.quantiles],
        "minimum": summary.minimum,
        "maximum": summary.maximum,
        "standard_deviation": summary.standard_deviation,
        "warnings": warned(summary.warnings),
    }
    if sample.sample.groups:
        parameters["round_node_pairs"] = list(sample.sample.groups)
    return [
        projected_figure(key, figure(summary.median), n, None, MEDIAN, **parameters),
        projected_figure(key, figure(summary.mean), n, None, MEAN, case_id=case.id),
    ]
