"""What the reaper looks for: runs without a worker, clusters not as they were, lost messages."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from podmeter.db.base import now
from podmeter.db.models import PreflightState
from podmeter.db.repositories.clusters import ClusterRepository, all_clusters
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.db.repositories.runs import latest_on
from podmeter.domain.bench_image import NOTHING_OWN, OwnImage
from podmeter.jobs import AdvanceRun, PreflightCluster
from podmeter.services.work import Work

#: Between the tries to put a cluster right that cannot be reached.
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=10), timedelta(minutes=10)


@dataclass(frozen=True)
class Abandoned:
    """A run whose worker let its lease run out."""

    organization_id: uuid.UUID
    run_id: uuid.UUID


@dataclass(frozen=True)
class Flagged:
    """A registered cluster that needs restore; `runs` are its own latest ones."""

    organization_id: uuid.UUID
    cluster_id: uuid.UUID
    cluster_uid: str
    name: str
    runs: Sequence[uuid.UUID]
    image: OwnImage = NOTHING_OWN


@dataclass(frozen=True)
class PendingPreflight:
    """A cluster that somebody asked to look at."""

    organization_id: uuid.UUID
    cluster_id: uuid.UUID
    state: PreflightState


def abandoned(work: Work) -> list[Abandoned]:
    """Runs whose worker is gone."""
    leases = LeaseRepository(work.session)
    leases.note_expired()
    found = leases.abandoned()
    return [Abandoned(run.organization_id, run.id) for run in found]


def flagged(work: Work) -> list[Flagged]:
    """Clusters that need restore and are due."""
    return [
        Flagged(
            organization_id=cluster.organization_id,
            cluster_id=cluster.id,
            cluster_uid=cluster.cluster_uid,
            name=cluster.name,
            runs=latest_on(work.session, cluster.id),
            image=cluster.own_image,
        )
        for cluster in all_clusters(work.session, needs_restore=True)
        if cluster.cluster_uid is not None
        and (cluster.restore_after is None or cluster.restore_after <= now())
    ]


def postpone_restore(work: Work, tried: Flagged, reason: str = "") -> timedelta:
    """Note that a cluster could not be put right; how long the next try is put off.

    A `reason` replaces the previous reason to restore.

    Twice as long each time. A cluster that answers a preflight, or is given other credentials, is
    tried at once again.
    """
    cluster = ClusterRepository(work.session, tried.organization_id).get(
        tried.cluster_id, lock=True
    )
    if cluster is None:
        return timedelta()
    pause = min(_FIRST_PAUSE * (1 << min(cluster.restore_attempts, 16)), _LONGEST_PAUSE)
    cluster.restore_attempts += 1
    if reason:
        cluster.needs_restore_reason = reason
    cluster.restore_after = now() + pause
    return pause


def pending_preflights(work: Work) -> list[PendingPreflight]:
    """Clusters whose preflight was asked for and is not done."""
    return [
        PendingPreflight(cluster.organization_id, cluster.id, cluster.preflight_state)
        for state in (PreflightState.QUEUED, PreflightState.RUNNING)
        for cluster in all_clusters(work.session, preflight_state=state)
    ]


def requeue_preflight(work: Work, looked: PendingPreflight) -> None:
    """Enqueue a preflight again, whose message or worker was lost."""
    cluster = ClusterRepository(work.session, looked.organization_id).get(
        looked.cluster_id, lock=True
    )
    if cluster is None or cluster.preflight_state is not looked.state:
        return
    cluster.preflight_state = PreflightState.QUEUED
    work.later(
        PreflightCluster(organization_id=looked.organization_id, cluster_id=looked.cluster_id)
    )


def call_next(work: Work, after: uuid.UUID | None = None) -> None:
    """Enqueue the runs whose turn it is; with `after`, those on the clusters of that run alone.

    Without it, also those that wait for somebody to switch a mode and whose worker is gone.
    """
    if after is None:
        for run in LeaseRepository(work.session).unattended():
            work.later(AdvanceRun(organization_id=run.organization_id, run_id=run.id))
    for run in LeaseRepository(work.session).ready(after):
        work.later(AdvanceRun(organization_id=run.organization_id, run_id=run.id))
