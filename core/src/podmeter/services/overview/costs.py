"""For each cluster what its latest run of each kind found, the clearest first."""

import uuid
from dataclasses import dataclass

from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.domain.moment import Moment
from podmeter.services.accounts.principal import Principal
from podmeter.services.headlines.headline import ALPHA, NOISE
from podmeter.services.measured.runs import MeasuredRun, MetricChoice, load
from podmeter.services.summaries.document import Finding
from podmeter.services.summaries.findings import findings
from podmeter.services.summaries.losses import losses
from podmeter.services.work import Work

#: Findings of a run that are told; the run itself has the others.
MOST_FINDINGS = 4


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run that ended with something measured, and what is clearest of what it found."""

    run_id: uuid.UUID
    name: str
    kind: str
    finished_at: Moment | None
    findings: list[Finding]


@dataclass(frozen=True, slots=True)
class ClusterCosts:
    """A registered cluster with its latest run of each kind; one that measured it alone."""

    cluster_id: uuid.UUID
    name: str
    runs: list[FoundRun]


@dataclass(frozen=True, slots=True)
class Overview:
    """All of the organization's clusters, by name."""

    clusters: list[ClusterCosts]


def overview(work: Work, principal: Principal) -> Overview:
    """What is known of each cluster's costs; as many queries however many runs there are."""
    organization = principal.organization_id
    latest = RunRepository(work.session, organization).latest_measured()
    measured = load(
        work, principal, [run_id for ids in latest.values() for run_id in ids], MetricChoice.MAIN
    )
    samples = SampleRepository(work.session, organization)
    return Overview(
        [
            ClusterCosts(
                cluster_id,
                name,
                [
                    _found(measured[run_id], samples)
                    for run_id in latest.get(cluster_id, ())
                    if run_id in measured
                ],
            )
            for cluster_id, name in ClusterRepository(work.session, organization).names()
        ]
    )


def _found(measured: MeasuredRun, samples: SampleRepository) -> FoundRun:
    run = measured.run
    found = findings(measured, losses(measured, noise=NOISE, alpha=ALPHA), samples.fingerprints)
    return FoundRun(
        run_id=run.id,
        name=run.name,
        kind=run.kind,
        finished_at=run.finished_at,
        findings=sorted(found, key=_unclear)[:MOST_FINDINGS],
    )


def _unclear(finding: Finding) -> bool:
    """Whether it says only that nothing is known."""
    evidence = finding.evidence
    if evidence.kind == "loss":
        return evidence.loss is None or evidence.loss.low is None
    return finding.code.endswith("inconclusive") or finding.code == "not_comparable"
