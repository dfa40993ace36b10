"""How it stands with runs, the queue and clusters, over all organizations: for monitoring."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import func, select, text

from podmeter.db.base import now
from podmeter.db.models import Cluster, PreflightState, Run
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.domain.run import RunState
from podmeter.services.work import Work

_CONNECTIONS = text(
    "SELECT coalesce(state, 'other'), count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() GROUP BY 1"
)
_MOST_CONNECTIONS = text("SELECT setting::int FROM pg_settings WHERE name = 'max_connections'")


class WaitsFor(StrEnum):
    """What a queued run waits for."""

    RESTORE = "restore"
    CLUSTER = "cluster"
    TURN = "turn"
    WORKER = "worker"


@dataclass(frozen=True)
class QueueMetrics:
    """Figures of one moment; `connections` of the database are by what they are doing.

    `held` runs have a worker, `abandoned` ones were begun and have none.
    """

    runs: Mapping[RunState, int]
    queued: Mapping[WaitsFor, int]
    oldest_queued: datetime | None
    held: int
    abandoned: int
    clusters: Mapping[PreflightState, int]
    need_restore: int
    not_renewed: int
    connections: Mapping[str, int]
    most_connections: int

    @property
    def oldest_seconds(self) -> float:
        """How long the oldest queued run has waited; 0 where none does."""
        return (now() - self.oldest_queued).total_seconds() if self.oldest_queued else 0.0


def read_queue_metrics(work: Work) -> QueueMetrics:
    """Count all of it."""
    session, leases = work.session, LeaseRepository(work.session)
    runs = session.execute(select(Run.state, func.count()).group_by(Run.state))
    clusters = session.execute(
        select(Cluster.preflight_state, func.count()).group_by(Cluster.preflight_state)
    )
    waiting = leases.waiting_runs()
    held = select(func.count()).where(
        Run.state != RunState.FINISHED, Run.lease_expires_at > func.clock_timestamp()
    )
    return QueueMetrics(
        runs=dict.fromkeys(RunState, 0) | {row[0]: row[1] for row in runs},
        queued=dict.fromkeys(WaitsFor, 0) | Counter(WaitsFor(why) for _, why in waiting),
        oldest_queued=min((queued_at for queued_at, _ in waiting), default=None),
        held=session.scalar(held) or 0,
        abandoned=leases.count_expired(),
        clusters=dict.fromkeys(PreflightState, 0) | {row[0]: row[1] for row in clusters},
        need_restore=session.scalar(select(func.count()).where(Cluster.needs_restore)) or 0,
        not_renewed=session.scalar(
            select(func.count()).where(Cluster.renew_credential, Cluster.renewal_error.is_not(None))
        )
        or 0,
        connections={row[0]: row[1] for row in session.execute(_CONNECTIONS)},
        most_connections=session.scalar(_MOST_CONNECTIONS) or 0,
    )
