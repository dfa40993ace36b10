"""The whole report of a run."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.axes import AxisValue
from podmeter.domain.measurement import MetricDefinition
from podmeter.domain.messages import Message, reason, say
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.failed_trials import FAILED_TRIALS
from podmeter.kinds.registry import axes_of
from podmeter.kinds.usage import COUNTERS
from podmeter.services.accounts.principal import Principal
from podmeter.services.comparisons.advice import next_run
from podmeter.services.errors import NotFoundError
from podmeter.services.headlines.document import Headline
from podmeter.services.headlines.headline import ALPHA, NOISE, of_report
from podmeter.services.run_results.effect_rows import effects_of
from podmeter.services.run_results.environments import (
    ReadFingerprints,
    kept_fingerprints,
    one_assignment,
    services_by_cni,
    shared_host,
)
from podmeter.services.run_results.facts import axis_facts, metric_facts
from podmeter.services.run_results.packets import Routes
from podmeter.services.run_results.runs import OVERHEAD, MeasuredRun, MetricChoice, load
from podmeter.services.summaries.cases import TrialCount, case_facts, case_summaries, main_summaries
from podmeter.services.summaries.document import RunReport, SummarizedRun
from podmeter.services.summaries.evidence import RowEvidence
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses
from podmeter.services.summaries.overhead import TrialOverhead, overhead, overhead_samples
from podmeter.services.work import Work
from podmeter.statistics import METHOD_VERSION

DOCUMENT = TypeAdapter(RunReport)


def run_report(
    work: Work,
    principal: Principal,
    run_id: uuid.UUID,
    choice: MetricChoice = MetricChoice.ALL,
) -> RunReport:
    """What a run measured and found, as far as it is. Raises NotFoundError.

    All metrics are read whatever the choice: what a mode changes besides is a finding too. The
    summaries of a large run are most of its report, and main ones a tenth of them.
    """
    measured = load(work, principal.organization_id, [run_id]).get(run_id)
    if measured is None:
        raise NotFoundError("run")
    repository = SampleRepository(work.session, principal.organization_id)
    counts = [(r[0], r[1], r[2], r[3], r[4]) for r in repository.trial_counts(run_id)]
    overheads = [(r[0], r[1], r[2], r[3]) for r in repository.overheads(run_id)]
    routes = repository.routes([run_id])
    read = kept_fingerprints(repository.fingerprints)
    return assemble(measured, counts, overheads, read, routes, choice)


def assemble(
    measured: MeasuredRun,
    counts: Iterable[TrialCount],
    overheads: Sequence[TrialOverhead],
    read_fingerprints: ReadFingerprints,
    routes: Routes | None = None,
    choice: MetricChoice = MetricChoice.ALL,
) -> RunReport:
    """The report of what was read: trials counted by how they ended, and what each took besides.

    Without `routes` there are no findings about packet sizes.
    """
    lost = losses(measured, noise=NOISE, alpha=ALPHA)
    run_findings = findings(measured, lost, read_fingerprints, routes)
    report = RunReport(
        run=_run(measured),
        parameters=dict(measured.spec.parameters),
        repetition=measured.spec.repetition.model_dump(mode="json"),
        axes=_axes(measured),
        metrics=metric_facts((*_metrics(measured), OVERHEAD)),
        cases=case_facts(measured, counts),
        summaries=main_summaries(measured)
        if choice is MetricChoice.MAIN
        else case_summaries(measured, overhead_samples(overheads)),
        losses=lost,
        overhead=overhead(measured, overheads),
        findings=run_findings,
        warnings=_warnings(measured),
        axis_facts=axis_facts(axes_of(measured.spec.kind), measured.spec.matrix),
        shared_host=shared_host(measured.cases, read_fingerprints),
        services_by_cni=services_by_cni(measured.cases, read_fingerprints),
        one_assignment=one_assignment(measured, measured.cases),
        next_run=next_run(
            (
                effect
                for finding in run_findings
                if isinstance(finding.evidence, RowEvidence)
                for effect in effects_of(finding.evidence.rows)
            ),
            measured.spec.kind,
        ),
        method_version=METHOD_VERSION,
    )
    return replace(report, headline=of_report(report))


def main_report(measured: MeasuredRun, read: ReadFingerprints, routes: Routes) -> RunReport:
    """What a run found, of its main metrics alone: without what failed, and its overhead.

    It recommends nothing: what a mode costs besides is not among the main metrics.
    """
    counts = [
        (case.id, TrialStatus.COUNTED, None, main.sample.n, None)
        for case in measured.cases
        if (main := measured.main(case.id)) is not None
    ]
    report = assemble(measured, counts, [], read, routes)
    headline = replace(report.headline or Headline([]), recommendation=[])
    return replace(report, headline=headline)


def read_environments(
    samples: SampleRepository, measured: Collection[MeasuredRun]
) -> ReadFingerprints:
    """Gives the environments of several runs, read at once."""
    ids = {id_ for run in measured for case in run.cases for id_ in case.fingerprints}
    known = samples.fingerprints({id_ for id_ in ids if id_ is not None}) if ids else {}
    return lambda wanted: {id_: known[id_] for id_ in wanted if id_ in known}


def _run(measured: MeasuredRun) -> SummarizedRun:
    run = measured.run
    return SummarizedRun(
        run_id=run.id,
        name=run.name,
        kind=run.kind,
        state=run.state.value,
        outcome=None if run.outcome is None else run.outcome.value,
        reason=reason(run.reason),
        attempt=run.attempt,
        clusters=list(measured.clusters),
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
    )


def _axes(measured: MeasuredRun) -> dict[str, list[AxisValue]]:
    axes: dict[str, dict[AxisValue, None]] = {}
    for case in measured.cases:
        for axis, value in case.point.items():
            axes.setdefault(axis, {})[value] = None
    return {axis: list(values) for axis, values in axes.items()}


def _metrics(measured: MeasuredRun) -> list[MetricDefinition]:
    """Those of the kind, and of what is measured here and there those that were."""
    seen = {one.metric.name for case in measured.cases for one in measured.samples(case.id)}
    return [
        one
        for one in measured.metrics.values()
        if one.name in seen or not (one.sporadic or one is FAILED_TRIALS or one in COUNTERS)
    ]


def _warnings(measured: MeasuredRun) -> list[Message]:
    warnings = [Message.of(stored) for stored in measured.run.warnings]
    if measured.unknown:
        warnings.append(say("metrics_unknown", metrics=measured.unknown))
    return warnings
