"""Runs that ended, in short, as snapshots of experiments and clusters have them."""

import uuid
from collections.abc import Sequence

from podmeter.db.models import Run
from podmeter.db.paging import PageRequest
from podmeter.db.repositories.runs import RunFilter, RunRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.run import RunState
from podmeter.services.accounts.principal import Principal
from podmeter.services.run_results.runs import MetricChoice, load
from podmeter.services.snapshots.shared import SharedRun
from podmeter.services.summaries.document import RunReport
from podmeter.services.summaries.report import main_report, read_environments
from podmeter.services.work import Work

MOST_RUNS = 10


def of_experiment(
    work: Work, principal: Principal, experiment_id: uuid.UUID
) -> tuple[list[SharedRun], bool]:
    """The latest finished runs of an experiment, the newest first, and whether those are all."""
    wanted = RunFilter(states=(RunState.FINISHED,), experiment_id=experiment_id)
    runs = RunRepository(work.session, principal.organization_id)
    page = runs.page(wanted, PageRequest(MOST_RUNS))
    return in_short(work, principal, [one.id for one in page.items]), page.next_cursor is None


def of_cluster(work: Work, principal: Principal, cluster_id: uuid.UUID) -> list[SharedRun]:
    """The latest run of each kind that measured a cluster alone."""
    latest = RunRepository(work.session, principal.organization_id).latest_measured()
    return in_short(work, principal, latest.get(cluster_id, ()))


def in_short(work: Work, principal: Principal, run_ids: Sequence[uuid.UUID]) -> list[SharedRun]:
    """The runs in their order; missing ones are left out."""
    measured = load(work, principal.organization_id, run_ids, MetricChoice.MAIN) if run_ids else {}
    samples = SampleRepository(work.session, principal.organization_id)
    read = read_environments(samples, measured.values())
    ways = samples.routes(run_ids) if run_ids else {}
    return [
        _in_short(measured[id_].run, main_report(measured[id_], read, ways))
        for id_ in run_ids
        if id_ in measured
    ]


def _in_short(run: Run, report: RunReport) -> SharedRun:
    return SharedRun(
        run_id=run.id,
        name=run.name,
        kind=run.kind,
        outcome=report.run.outcome,
        finished_at=run.finished_at,
        clusters=report.run.clusters,
        shared_host=report.shared_host,
        headline=report.headline,
    )
