"""Who works on a run, and which run has a real cluster to itself.

Leases cross organizations on purpose: two registrations of one cluster share its machines. Nothing
else of a run does.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    not_,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, aliased

from podmeter.db.models import Cluster, ClusterClaim, Run, RunCluster
from podmeter.db.models.runs import FENCING_TOKENS
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import RunState

#: A lease that is found to have run out is prolonged within this time by a worker that lives: five
#: heartbeats. While the database is away or stands still nobody can prolong one.
GRACE = timedelta(seconds=5)
#: A note that nobody acted on for so long was made before another outage.
_NOTE_COUNTS_FOR = timedelta(minutes=1)
_WAITS = and_(Run.state == RunState.WAITING, Run.cancel_requested_at.is_(None))
#: How long a run is not taken again after another use of its cluster requeued it.
PUT_BACK_FOR = timedelta(seconds=15)


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
        """Whether a cluster of the run must be restored first, by whichever registration."""
        query = _restored_first().where(RunCluster.run_id == run_id)
        return bool(self.session.scalar(select(query.exists())))

    def waits_its_turn(self, run: Run) -> bool:
        """Whether another run comes before a queued one: it has or waits for a cluster it needs."""
        return (
            self.session.scalar(select(Run.id).where(Run.id == run.id, Run.id.in_(_first())))
            is None
        )

    def positions(self, run_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, int]:
        """The places in the queue of those of the runs that are queued; 1 is next.

        A run stands behind every run that was queued before it for a real cluster it needs,
        any such run. A run that is already measured is no longer in the queue.
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
        """Take the clusters for the run; False, and none taken again, if another run has one."""
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
            .where(Run.id == run.id, Run.state != RunState.FINISHED, _has_no_worker(Run))
            .values(
                holder=holder,
                fencing_token=FENCING_TOKENS.next_value(),
                lease_expires_at=func.clock_timestamp() + lease,
                lease_found_expired_at=None,
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
            .values(lease_expires_at=func.clock_timestamp() + lease, lease_found_expired_at=None)
            .returning(Run.id)
            .execution_options(synchronize_session=False)
        )
        return renewed is not None

    def note_expired(self) -> None:
        """Note which leases have run out; after `GRACE` others may take these runs.

        A run whose row is locked has a worker: its heartbeat hangs in the database.
        """
        expired = (
            select(Run.id)
            .where(
                Run.state != RunState.FINISHED,
                Run.holder.is_not(None),
                Run.lease_expires_at <= func.clock_timestamp(),
                or_(
                    Run.lease_found_expired_at.is_(None),
                    Run.lease_found_expired_at < func.clock_timestamp() - _NOTE_COUNTS_FOR,
                ),
            )
            .with_for_update(skip_locked=True)
        )
        self.session.execute(
            update(Run)
            .where(Run.id.in_(expired))
            .values(lease_found_expired_at=func.clock_timestamp())
            .execution_options(synchronize_session=False)
        )

    def release(self, run: Run, token: int) -> bool:
        """End the lease; with a finished run its clusters are free too."""
        given = self.session.scalar(
            update(Run)
            .where(Run.id == run.id, Run.fencing_token == token)
            .values(holder=None, lease_expires_at=None, lease_found_expired_at=None)
            .returning(Run.id)
            .execution_options(synchronize_session=False)
        )
        self.session.refresh(run)
        if given is not None and run.state is RunState.FINISHED:
            self.free_clusters(run)
        return given is not None

    def requeue(self, run: Run, token: int) -> bool:
        """Let go of a run that waits on, and of its clusters, as if nobody had taken it.

        Its lease has ended at this moment: it is taken again after a while.
        """
        given = self.session.scalar(
            update(Run)
            .where(Run.id == run.id, Run.fencing_token == token, Run.state == RunState.QUEUED)
            .values(
                holder=None,
                lease_expires_at=func.clock_timestamp(),
                lease_found_expired_at=None,
                fencing_token=None,
            )
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

    def expired(self) -> list[Run]:
        """Those whose lease has run out, also while nobody is there to note it; at most 100."""
        return self._began_without(_has_expired(Run) & not_(_WAITS), limit=100)

    def count_expired(self) -> int:
        """How many `expired` there are, however many."""
        query = select(func.count()).where(*_began(_has_expired(Run) & not_(_WAITS)))
        return self.session.scalar(query) or 0

    def abandoned(self, limit: int = 100) -> list[Run]:
        """Runs that began, have not finished, and have no worker.

        Those that wait for somebody to switch a mode are not given up with their worker.
        """
        return self._began_without(_has_no_worker(Run) & not_(_WAITS), limit)

    def unattended(self, limit: int = 100) -> list[Run]:
        """Runs that wait for somebody to switch a mode, and have no worker."""
        waits = Run.state == RunState.WAITING
        return self._began_without(_has_no_worker(Run) & waits, limit)

    def _began_without(self, wanted: ColumnElement[bool], limit: int) -> list[Run]:
        query = select(Run).where(*_began(wanted)).order_by(Run.queued_at).limit(limit)
        return list(self.session.scalars(query))

    def ready(self, after: uuid.UUID | None = None, limit: int = 1000) -> list[Run]:
        """Queued runs whose turn it is on all their clusters, and that nobody has, oldest first.

        With `after`, only runs that share a real cluster with that one.
        """
        query = select(Run).where(*_is_ready(Run))
        if after is not None:
            mine, theirs = aliased(RunCluster), aliased(RunCluster)
            shared = select(theirs.run_id).join(mine, _share(mine, theirs))
            query = query.where(Run.id.in_(shared.where(mine.run_id == after)))
        query = query.order_by(Run.queued_at, Run.id).limit(limit)
        return list(self.session.scalars(query))

    def fairest(self, named: uuid.UUID) -> Run | None:
        """The ready run that comes next, whichever organization's; None where none is ready.

        It is one of the organization that has fewest runs in progress, of several such the one to
        which a run was given longest ago, and of its runs the longest waiting. A run
        that was restored just now counts only where it is `named`: anyone who has its cluster would
        have it restored again.
        """
        other = aliased(Run)
        under_way = (
            select(func.count())
            .where(
                other.organization_id == Run.organization_id,
                other.state != RunState.FINISHED,
                or_(
                    other.state != RunState.QUEUED,
                    other.lease_expires_at > func.clock_timestamp(),
                ),
            )
            .scalar_subquery()
        )
        # Tokens grow with each run that is taken.
        given = (
            select(func.max(other.fencing_token))
            .where(other.organization_id == Run.organization_id)
            .scalar_subquery()
        )
        query = (
            select(Run)
            .where(
                *_is_ready(Run),
                or_(
                    Run.reason.is_(None),
                    Run.lease_expires_at < func.clock_timestamp() - PUT_BACK_FOR,
                    Run.id == named,
                ),
            )
            .order_by(under_way, func.coalesce(given, 0), Run.queued_at, Run.id)
            .limit(1)
        )
        return self.session.scalar(query)

    def waiting_runs(self) -> list[tuple[datetime, str]]:
        """Since when each queued run waits, and for what: restore, cluster, turn or worker."""
        why = case(
            (Run.id.in_(_restored_first()), "restore"),
            (Run.reason.is_not(None), "cluster"),
            (Run.id.not_in(_first()), "turn"),
            else_="worker",
        )
        query = select(Run.queued_at, why).where(Run.state == RunState.QUEUED)
        return [(row[0], row[1]) for row in self.session.execute(query)]


def _began(wanted: ColumnElement[bool]) -> tuple[ColumnElement[bool], ...]:
    """That a worker took the run, it has not finished, and what else is wanted."""
    return (
        Run.state.not_in([RunState.QUEUED, RunState.FINISHED]),
        Run.fencing_token.is_not(None),
        wanted,
    )


def _has_no_worker(run: Any) -> ColumnElement[bool]:
    """That nobody took it, or its worker let it go, or is gone."""
    noted = run.lease_found_expired_at.between(
        func.clock_timestamp() - _NOTE_COUNTS_FOR, func.clock_timestamp() - GRACE
    )
    return or_(run.holder.is_(None), and_(_has_expired(run), or_(_has_no_lease(run), noted)))


def _has_expired(run: Any) -> ColumnElement[bool]:
    return or_(_has_no_lease(run), run.lease_expires_at <= func.clock_timestamp())


def _has_no_lease(run: Any) -> ColumnElement[bool]:
    return run.lease_expires_at.is_(None)  # type: ignore[no-any-return]


def _is_ready(run: Any) -> tuple[ColumnElement[bool], ...]:
    return (
        run.state == RunState.QUEUED,
        _has_no_worker(run),
        run.id.in_(_first()),
        run.id.not_in(_restored_first()),
    )


def _first() -> Select[uuid.UUID]:
    """The unfinished runs that no other one stands before, on any of their clusters.

    In one pass over the unfinished ones: there may be a thousand, and any number of finished ones.
    """
    run, of = aliased(Run), aliased(RunCluster)
    order = (run.state == RunState.QUEUED, run.queued_at, run.id)
    real = func.first_value(run.id).over(
        partition_by=(of.cluster_uid, of.authority), order_by=order
    )
    registered = func.first_value(run.id).over(partition_by=of.cluster_id, order_by=order)
    mine = and_(of.organization_id == run.organization_id, of.run_id == run.id)
    # Written out, so that the index of unfinished runs is found to fit.
    unfinished = run.state != bindparam(
        None, RunState.FINISHED, run.state.type, literal_execute=True
    )
    rows = (
        select(
            run.id,
            real.label("real"),
            case((of.cluster_id.is_(None), run.id), else_=registered).label("registered"),
        )
        .join(of, mine)
        .where(unfinished)
        .subquery()
    )
    is_first = and_(rows.c.real == rows.c.id, rows.c.registered == rows.c.id)
    return select(rows.c.id).group_by(rows.c.id).having(func.bool_and(is_first))


def _restored_first() -> Select[uuid.UUID]:
    """The runs of which a cluster must be restored, by whichever registration."""
    return (
        select(RunCluster.run_id)
        .join(Cluster, or_(RunCluster.cluster_id == Cluster.id, _same(RunCluster, Cluster)))
        .where(Cluster.needs_restore)
    )


def _share(mine: Any, theirs: Any) -> ColumnElement[bool]:
    """Whether two runs use one real cluster; a registration is always one cluster."""
    return or_(mine.cluster_id == theirs.cluster_id, _same(mine, theirs))


def _same(one: Any, another: Any) -> ColumnElement[bool]:
    """That two rows are of one real cluster."""
    return and_(one.cluster_uid == another.cluster_uid, one.authority == another.authority)
