"""For each cluster what its latest run of each kind found, the clearest first."""

from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.results.projected import Projected
from podmeter.services.accounts.principal import Principal
from podmeter.services.headlines.document import Headline
from podmeter.services.overview.clear_curves import clear_curves
from podmeter.services.overview.document import ClusterCosts, FoundRun, Overview
from podmeter.services.run_results.environments import ReadFingerprints
from podmeter.services.run_results.loss import shares
from podmeter.services.run_results.packets import Routes
from podmeter.services.run_results.runs import MeasuredRun, MetricChoice, load
from podmeter.services.summaries.document import RunReport
from podmeter.services.summaries.report import main_report, read_environments
from podmeter.services.work import Work

#: Losses of a run that are drawn; the run itself has the others.
_MOST_LOSSES = 4


def overview(work: Work, principal: Principal) -> Overview:
    """What is known of each cluster's costs; as many queries however many runs there are."""
    organization = principal.organization_id
    latest = RunRepository(work.session, organization).latest_measured()
    run_ids = [run_id for ids in latest.values() for run_id in ids]
    measured = load(work, principal.organization_id, run_ids, MetricChoice.MAIN)
    samples = SampleRepository(work.session, organization)
    read = read_environments(samples, measured.values())
    routes = samples.routes(run_ids)
    return Overview(
        [
            ClusterCosts(
                cluster_id,
                name,
                [
                    _found(measured[run_id], read, routes)
                    for run_id in latest.get(cluster_id, ())
                    if run_id in measured
                ],
            )
            for cluster_id, name in ClusterRepository(work.session, organization).names()
        ]
    )


def _found(measured: MeasuredRun, read: ReadFingerprints, routes: Routes) -> FoundRun:
    report = main_report(measured, read, routes)
    return FoundRun(
        run_id=report.run.run_id,
        name=report.run.name,
        kind=report.run.kind,
        finished_at=report.run.finished_at,
        headline=report.headline or Headline([]),
        losses=_losses(report),
        curves=clear_curves(measured, report.findings),
    )


def _losses(report: RunReport) -> list[Projected]:
    """The largest costs, then the largest gains, of the first derived metric that has any."""
    clear = [
        one
        for one in shares(report.losses)
        if one.value is not None and one.verdict in ("worse", "better")
    ]
    of_first = [one for one in clear if one.key.metric == clear[0].key.metric]
    return sorted(of_first, key=lambda one: (one.verdict != "worse", -abs(one.value or 0)))[
        :_MOST_LOSSES
    ]
