"""Looking at a registered cluster, as the database knows it: begun, succeeded, failed."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from podmeter.db.base import now
from podmeter.db.models import Cluster, PreflightState
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.domain.cluster_report import ClusterReport
from podmeter.services.execution.environment import digest_of
from podmeter.services.work import Work


@dataclass(frozen=True)
class Asked:
    """A cluster to look at, as it was registered when the look began.

    `changed_at` is when its owner changed it last, `measured_by` the run that has it to itself,
    None if none has.
    """

    cluster_id: uuid.UUID
    changed_at: datetime
    measured_by: uuid.UUID | None


def begin(work: Work, organization_id: uuid.UUID, cluster_id: uuid.UUID) -> Asked | None:
    """Note that the cluster is being looked at; None where nobody asks for it any more."""
    cluster = ClusterRepository(work.session, organization_id).get(cluster_id, lock=True)
    if cluster is None or cluster.preflight_state is not PreflightState.QUEUED:
        return None
    cluster.preflight_state, cluster.preflight_error = PreflightState.RUNNING, ""
    uid = cluster.cluster_uid
    holder = LeaseRepository(work.session).claimed_by(uid) if uid else None
    return Asked(cluster.id, cluster.updated_at, holder)


def succeed(
    work: Work,
    organization_id: uuid.UUID,
    asked: Asked,
    cluster_uid: str,
    report: ClusterReport,
    fingerprint: dict[str, Any] | None,
) -> None:
    """Keep what was found; `fingerprint` is None where the nodes could not be looked at."""
    cluster = _unchanged(work, organization_id, asked)
    if cluster is None:
        return
    clusters = ClusterRepository(work.session, organization_id)
    if report.stood_before and clusters.is_switched(cluster_uid):
        # Switched by a run of this Podmeter, which puts it back by itself.
        report = report.model_copy(update={"stood_before": []})
    cluster.cluster_uid, cluster.capabilities = cluster_uid, report.model_dump(mode="json")
    cluster.preflight_state, cluster.preflight_error = PreflightState.SUCCEEDED, ""
    cluster.preflighted_at = now()
    # It answers, so putting it right need not wait any longer.
    cluster.restore_after = None
    work.session.flush()
    if not cluster.needs_restore:
        reason = clusters.restore_reason(cluster_uid)
        cluster.needs_restore, cluster.needs_restore_reason = bool(reason), reason
    if fingerprint is not None:
        clusters.record_fingerprint(cluster.id, digest_of(fingerprint), fingerprint, now())


def fail(work: Work, organization_id: uuid.UUID, asked: Asked, reason: str) -> None:
    """Keep why the cluster could not be looked at."""
    cluster = _unchanged(work, organization_id, asked)
    if cluster is not None:
        cluster.preflight_state, cluster.preflight_error = PreflightState.FAILED, reason


def _unchanged(work: Work, organization_id: uuid.UUID, asked: Asked) -> Cluster | None:
    """The cluster, unless its owner changed it since: then what was found is of another one."""
    cluster = ClusterRepository(work.session, organization_id).get(asked.cluster_id, lock=True)
    return cluster if cluster is not None and cluster.updated_at == asked.changed_at else None
