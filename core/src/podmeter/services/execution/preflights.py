"""Looking at a registered cluster, as the database knows it: begun, succeeded, failed."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from podmeter.db.base import now
from podmeter.db.models import Cluster, PreflightState
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.domain.bench_image import NOTHING_OWN, OwnImage
from podmeter.domain.cluster_report import PREFLIGHT_REPORT, ClusterReport
from podmeter.domain.messages import Message, say
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.stored import StoredDocumentError
from podmeter.services.clusters.kubeconfigs import must_be
from podmeter.services.execution.environment import digest_of
from podmeter.services.work import Work


@dataclass(frozen=True)
class PreflightRequest:
    """A cluster to look at, as it was registered when the look began.

    `changed_at` is when its owner changed it last. `measured` says that a run has it to itself,
    so that nothing may be started in it; None if none has. `must_be` is the UID that it must
    answer with, as something on it depends on its being the same cluster; None if nothing does.
    """

    cluster_id: uuid.UUID
    changed_at: datetime
    measured: Message | None
    must_be: str | None
    image: OwnImage = NOTHING_OWN


def begin(work: Work, organization_id: uuid.UUID, cluster_id: uuid.UUID) -> PreflightRequest | None:
    """Note that the cluster is being looked at; None where nobody asks for it any more."""
    cluster = ClusterRepository(work.session, organization_id).get(cluster_id, lock=True)
    if cluster is None or cluster.preflight_state is not PreflightState.QUEUED:
        return None
    cluster.preflight_state, cluster.preflight_error = PreflightState.RUNNING, ""
    return PreflightRequest(
        cluster_id=cluster.id,
        changed_at=cluster.updated_at,
        measured=_measured(work, cluster),
        must_be=must_be(work, cluster),
        image=cluster.own_image,
    )


def succeed(
    work: Work,
    organization_id: uuid.UUID,
    asked: PreflightRequest,
    real: RealCluster,
    report: ClusterReport,
    fingerprint: dict[str, Any] | None,
) -> None:
    """Keep what was found; `fingerprint` is None where the nodes could not be looked at.

    A different cluster than the expected one is rejected.
    """
    cluster = _unchanged(work, organization_id, asked)
    if cluster is None:
        return
    if must_be(work, cluster) not in (None, real.uid):
        cluster.preflight_state = PreflightState.FAILED
        cluster.preflight_error = say("another_cluster", uid=real.uid)
        return
    clusters = ClusterRepository(work.session, organization_id)
    if report.stood_before and clusters.is_switched(real):
        # Switched by a run of this Podmeter, which restores it by itself.
        report = report.model_copy(update={"stood_before": []})
    if fingerprint is not None:
        report = report.model_copy(update={"inside_at": now()})
    elif cluster.capabilities is not None and cluster.real == real:
        report = _with_inside_of(report, cluster.capabilities)
    cluster.cluster_uid, cluster.authority = real.uid, real.authority
    cluster.capabilities = PREFLIGHT_REPORT.stamp(report.model_dump(mode="json"))
    cluster.preflight_state, cluster.preflight_error = PreflightState.SUCCEEDED, ""
    cluster.preflighted_at = now()
    # It answers, so putting it right need not wait any longer.
    cluster.restore_after = None
    work.session.flush()
    if fingerprint is not None:
        clusters.record_fingerprint(cluster.id, digest_of(fingerprint), fingerprint, now())


def _with_inside_of(report: ClusterReport, earlier: object) -> ClusterReport:
    """The report with what pods told earlier; an earlier one of another form tells nothing."""
    try:
        return report.with_inside_of(PREFLIGHT_REPORT.read(earlier))
    except StoredDocumentError:
        return report


def fail(work: Work, organization_id: uuid.UUID, asked: PreflightRequest, reason: str) -> None:
    """Keep why the cluster could not be looked at."""
    cluster = _unchanged(work, organization_id, asked)
    if cluster is not None:
        cluster.preflight_state, cluster.preflight_error = PreflightState.FAILED, reason


def _measured(work: Work, cluster: Cluster) -> Message | None:
    claim = LeaseRepository(work.session).claim_on(cluster.real) if cluster.real else None
    if claim is None:
        return None
    if claim.organization_id != cluster.organization_id:
        return say("being_measured_elsewhere")
    return say("being_measured", run=claim.run_id)


def _unchanged(work: Work, organization_id: uuid.UUID, asked: PreflightRequest) -> Cluster | None:
    """The cluster, unless its owner changed it since: then what was found is of another one."""
    cluster = ClusterRepository(work.session, organization_id).get(asked.cluster_id, lock=True)
    return cluster if cluster is not None and cluster.updated_at == asked.changed_at else None
