"""Who works on a run, and which run has a real cluster to itself.

Leases cross organizations on purpose: two registrations of one cluster share its machines.
"""

import uuid
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import and_, delete, func, or_, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, aliased

from podmeter.db.models import ClusterClaim, Run, RunCluster
from podmeter.db.models.runs import FENCING_TOKENS
from podmeter.domain.run import RunState


class LeaseRepository:
    """Leases of runs. All moments are the database's, so workers' clocks do not matter."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def lock_queue(self) -> None:
        """One decision at a time about who comes next, until the commit."""
        self.session.execute(select(func.pg_advisory_xact_lock(0x71756575)))

    def cluster_uids(self, run_id: uuid.UUID) -> list[str]:
        """The real clusters a run needs."""
        query = select(RunCluster.cluster_uid).where(RunCluster.run_id == run_id)
        return sorted(set(self.session.scalars(query)))

    def ahead(self, run: Run) -> int:
        """How many runs come before a queued one: they have or wait for a cluster it needs."""
        mine, theirs, other = aliased(RunCluster), aliased(RunCluster), aliased(Run)
        query = (
            select(func.count(func.distinct(other.id)))
            .select_from(mine)
            .join(theirs, theirs.cluster_uid == mine.cluster_uid)
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
            .join(theirs, theirs.cluster_uid == mine.cluster_uid)
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

    def claim_clusters(self, run: Run, uids: list[str]) -> bool:
        """Take the clusters for the run; False, and none taken anew, if another run has one."""
        with self.session.begin_nested() as savepoint:
            for uid in uids:
                self.session.execute(
                    insert(ClusterClaim)
                    .values(cluster_uid=uid, organization_id=run.organization_id, run_id=run.id)
                    .on_conflict_do_nothing()
                )
            holders = self.session.scalars(
                select(ClusterClaim.run_id).where(ClusterClaim.cluster_uid.in_(uids))
            ).all()
            if any(holder != run.id for holder in holders):
                savepoint.rollback()
                return False
        return True

    def claimed_by(self, cluster_uid: str) -> uuid.UUID | None:
        """The run that has a real cluster to itself."""
        query = select(ClusterClaim.run_id).where(ClusterClaim.cluster_uid == cluster_uid)
        return self.session.scalar(query)

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
