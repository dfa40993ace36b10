"""Runs that ended, in short, as snapshots of experiments and clusters have them."""

import uuid
from collections.abc import Iterator, Sequence

from podmeter.db.paging import PageRequest
from podmeter.db.repositories.runs import RunFilter, RunRepository
from podmeter.domain.run import RunState
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import NotFoundError
from podmeter.services.run_results.runs import MetricChoice
from podmeter.services.snapshots.shared import SharedRun
from podmeter.services.summaries.document import RunReport
from podmeter.services.summaries.report import run_report
from podmeter.services.work import Work

MOST_RUNS = 10


def of_experiment(
    work: Work, principal: Principal, experiment_id: uuid.UUID
) -> tuple[list[SharedRun], bool]:
    """The latest finished runs of an experiment, the newest first, and whether those are all."""
    wanted = RunFilter(states=(RunState.FINISHED,), experiment_id=experiment_id)
    runs = RunRepository(work.session, principal.organization_id)
    page = runs.page(wanted, PageRequest(MOST_RUNS))
    shared = list(in_short(work, principal, [one.id for one in page.items]))
    return shared, page.next_cursor is None


def of_cluster(work: Work, principal: Principal, cluster_id: uuid.UUID) -> list[SharedRun]:
    """The latest run of each kind that measured a cluster alone."""
    latest = RunRepository(work.session, principal.organization_id).latest_measured()
    return list(in_short(work, principal, latest.get(cluster_id, ())))


def in_short(work: Work, principal: Principal, run_ids: Sequence[uuid.UUID]) -> Iterator[SharedRun]:
    """The runs in their order, each with the headline of its own page; missing ones are left out.

    One is read at a time: the headline takes all metrics, and those of many runs take much memory.
    """
    for run_id in run_ids:
        try:
            report = run_report(work, principal, run_id, MetricChoice.MAIN)
        except NotFoundError:
            continue
        yield _in_short(report)


def _in_short(report: RunReport) -> SharedRun:
    run = report.run
    return SharedRun(
        run_id=run.run_id,
        name=run.name,
        kind=run.kind,
        outcome=run.outcome,
        finished_at=run.finished_at,
        clusters=run.clusters,
        shared_host=report.shared_host,
        headline=report.headline,
    )
