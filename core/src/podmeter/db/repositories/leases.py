"""Who works on a run, and which run has a real cluster to itself.

Leases cross organizations on purpose: two registrations of one cluster share its machines. Nothing
else of a run does.
"""

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, aliased

from podmeter.db.models import Cluster, ClusterClaim, Run, RunCluster
from podmeter.db.models.runs import FENCING_TOKENS
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import RunState


class LeaseRepository:
    """Leases of runs. All moments are the database's, so workers' clocks do not matter."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def lock_queue(self) -> None:
        """One decision at a time about who comes next, until the commit."""
        self.session.execute(select(func.pg_advisory_xact_lock(0x71756575)))

    def real_clusters(self, run_id: uuid.UUID) -> list[RealCluster]:
        """The real clusters a run needs."""
        query = select(RunCluster.cluster_uid, RunCluster.authority)
        found = self.session.execute(query.where(RunCluster.run_id == run_id))
        return sorted({RealCluster(*row) for row in found})

    def awaits_restore(self, run_id: uuid.UUID) -> bool:
        """Whether a cluster of the run is to be restored first, by whichever registration."""
        query = (
            select(Cluster.id)
            .join(RunCluster, or_(RunCluster.cluster_id == Cluster.id, _same(RunCluster, Cluster)))
            .where(RunCluster.run_id == run_id, Cluster.needs_restore)
        )
        return bool(self.session.scalar(select(query.exists())))

    def ahead(self, run: Run) -> int:
        """How many runs come before a queued one: they have or wait for a cluster it needs."""
        mine, theirs, other = aliased(RunCluster), aliased(RunCluster), aliased(Run)
        query = (
            select(func.count(func.distinct(other.id)))
            .select_from(mine)
            .join(theirs, _share(mine, theirs))
            .join(other, other.id == theirs.run_id)
            .where(
                mine.run_id == run.id,
                other.id != run.id,
                or_(
                    other.state.not_in([RunState.QUEUED, RunState.FINISHED]),
                    and_(
                        other.state == RunState.QUEUED,
                        or_(
                            other.queued_at < run.queued_at,
                            and_(other.queued_at == run.queued_at, other.id < run.id),
                        ),
                    ),
                ),
            )
        )
        return self.session.scalar(query) or 0

    def positions(self, run_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, int]:
        """The places in the queue of those of the runs that are queued; 1 is next.

        A run stands behind every run that was queued before it for a real cluster it needs,
        whoever's that is. One that is measured already is not in the queue any more.
        """
        run, other = aliased(Run), aliased(Run)
        mine, theirs = aliased(RunCluster), aliased(RunCluster)
        query = (
            # The run itself is among those counted.
            select(run.id, func.count(func.distinct(other.id)))
            .join(mine, mine.run_id == run.id)
            .join(theirs, _share(mine, theirs))
            .join(other, other.id == theirs.run_id)
            .where(
                run.id.in_(run_ids),
                run.state == RunState.QUEUED,
                other.state == RunState.QUEUED,
                tuple_(other.queued_at, other.id) <= tuple_(run.queued_at, run.id),
            )
            .group_by(run.id)
        )
        return {row[0]: row[1] for row in self.session.execute(query)}

    def claim_clusters(self, run: Run, clusters: Sequence[RealCluster]) -> bool:
        """Take the clusters for the run; False, and none taken anew, if another run has one."""
        keys = [(cluster.uid, cluster.authority) for cluster in clusters]
        own = {"organization_id": run.organization_id, "run_id": run.id}
        with self.session.begin_nested() as savepoint:
            for uid, authority in keys:
                self.session.execute(
                    insert(ClusterClaim)
                    .values(cluster_uid=uid, authority=authority, **own)
                    .on_conflict_do_nothing()
                )
            holders = self.session.scalars(
                select(ClusterClaim.run_id).where(
                    tuple_(ClusterClaim.cluster_uid, ClusterClaim.authority).in_(keys)
                )
            ).all()
            if any(holder != run.id for holder in holders):
                savepoint.rollback()
                return False
        return True

    def claim_on(self, cluster: RealCluster) -> ClusterClaim | None:
        """Which run has a real cluster to itself; it may be another organization's."""
        return self.session.get(ClusterClaim, (cluster.uid, cluster.authority))

    def take(self, run: Run, holder: str, lease: timedelta) -> int | None:
        """Lease the run to `holder` if nobody has it; the new fencing token, or None."""
        token = self.session.scalar(
            update(Run)
            .where(
                Run.id == run.id,
                Run.state != RunState.FINISHED,
                or_(
                    Run.lease_expires_at.is_(None),
                    Run.lease_expires_at <= func.clock_timestamp(),
                ),
            )
            .values(
                holder=holder,
                fencing_token=FENCING_TOKENS.next_value(),
                lease_expires_at=func.clock_timestamp() + lease,
            )
            .returning(Run.fencing_token)
            .execution_options(synchronize_session=False)
        )
        self.session.refresh(run)
        return token

    def renew(self, run_id: uuid.UUID, token: int, lease: timedelta) -> bool:
        """Prolong the lease; False if another worker has taken the run since."""
        renewed = self.session.scalar(
            update(Run)
            .where(Run.id == run_id, Run.fencing_token == token, Run.holder.is_not(None))
            .values(lease_expires_at=func.clock_timestamp() + lease)
            .returning(Run.id)
            .execution_options(synchronize_session=False)
        )
        return renewed is not None

    def give_back(self, run: Run, token: int) -> bool:
        """End the lease; with a finished run its clusters are free too."""
        given = self.session.scalar(
            update(Run)
            .where(Run.id == run.id, Run.fencing_token == token)
            .values(holder=None, lease_expires_at=None)
            .returning(Run.id)
            .execution_options(synchronize_session=False)
        )
        self.session.refresh(run)
        if given is not None and run.state is RunState.FINISHED:
            self.free_clusters(run)
        return given is not None

    def put_back(self, run: Run, token: int) -> bool:
        """Let go of a run that waits on, and of its clusters, as if nobody had taken it."""
        given = self.session.scalar(
            update(Run)
            .where(Run.id == run.id, Run.fencing_token == token, Run.state == RunState.QUEUED)
            .values(holder=None, lease_expires_at=None, fencing_token=None)
            .returning(Run.id)
            .execution_options(synchronize_session=False)
        )
        self.session.refresh(run)
        if given is not None:
            self.free_clusters(run)
        return given is not None

    def free_clusters(self, run: Run) -> None:
        """Let other runs have the clusters."""
        self.session.execute(delete(ClusterClaim).where(ClusterClaim.run_id == run.id))

    def abandoned(self, limit: int = 100) -> list[Run]:
        """Runs that began, have not finished, and whose worker's lease has run out."""
        query = (
            select(Run)
            .where(
                Run.state.not_in([RunState.QUEUED, RunState.FINISHED]),
                Run.fencing_token.is_not(None),
                or_(
                    Run.lease_expires_at.is_(None),
                    Run.lease_expires_at <= func.clock_timestamp(),
                ),
            )
            .order_by(Run.queued_at)
            .limit(limit)
        )
        return list(self.session.scalars(query))

    def waiting(self, limit: int = 100) -> list[Run]:
        """Runs in the queue that no worker has taken, or one that is gone, the oldest first."""
        query = (
            select(Run)
            .where(
                Run.state == RunState.QUEUED,
                or_(Run.holder.is_(None), Run.lease_expires_at <= func.clock_timestamp()),
            )
            .order_by(Run.queued_at, Run.id)
            .limit(limit)
        )
        return list(self.session.scalars(query))


def _share(mine: Any, theirs: Any) -> ColumnElement[bool]:
    """That two runs are on one real cluster; a registration is one, whoever vouched when."""
    return or_(mine.cluster_id == theirs.cluster_id, _same(mine, theirs))


def _same(one: Any, another: Any) -> ColumnElement[bool]:
    """That two rows are of one real cluster."""
    return and_(one.cluster_uid == another.cluster_uid, one.authority == another.authority)
