"""The runs that tell how far a real cluster differs from itself."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from podmeter.db.base import Json
from podmeter.db.models import FingerprintRecord, Run, RunCluster
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import Outcome, RunState


class FinishedRun(NamedTuple):
    """A run of one cluster: its latest event, and when it was measured."""

    id: uuid.UUID
    last_event: int
    started_at: datetime


class FloorRepository:
    """One organization's runs on a real cluster, through whichever registrations."""

    def __init__(self, session: Session, organization_id: uuid.UUID) -> None:
        self.session = session
        self.organization_id = organization_id

    def finished(
        self, real: RealCluster, limit: int, kind: str | None = None
    ) -> Sequence[FinishedRun]:
        """The latest runs, of one kind if it is given, that measured this cluster alone."""
        alone = (
            select(RunCluster.run_id)
            .where(RunCluster.organization_id == self.organization_id)
            .group_by(RunCluster.run_id)
            .having(
                func.count() == 1,
                func.min(RunCluster.cluster_uid) == real.uid,
                func.min(RunCluster.authority) == real.authority,
            )
        )
        started = func.coalesce(Run.started_at, Run.created_at)
        query = (
            select(Run.id, Run.last_event, started)
            .where(
                Run.organization_id == self.organization_id,
                Run.id.in_(alone),
                Run.state == RunState.FINISHED,
                Run.outcome.in_((Outcome.SUCCEEDED, Outcome.PARTIAL)),
            )
            .order_by(started.desc(), Run.id)
            .limit(limit)
        )
        if kind is not None:
            query = query.where(Run.kind == kind)
        return [FinishedRun(*row) for row in self.session.execute(query)]

    def specs(self, run_ids: Collection[uuid.UUID]) -> Iterable[tuple[uuid.UUID, Json]]:
        """(id, spec) of the runs, as they were frozen."""
        query = select(Run.id, Run.spec).where(
            Run.organization_id == self.organization_id, Run.id.in_(run_ids)
        )
        return [(id_, spec) for id_, spec in self.session.execute(query)]

    def latest_fingerprint(self, cluster_id: uuid.UUID) -> tuple[Json, datetime] | None:
        """What a registered cluster was like when it was last seen, and when that was."""
        query = (
            select(FingerprintRecord.content, FingerprintRecord.last_observed_at)
            .where(
                FingerprintRecord.organization_id == self.organization_id,
                FingerprintRecord.cluster_id == cluster_id,
            )
            .order_by(FingerprintRecord.last_observed_at.desc(), FingerprintRecord.id)
            .limit(1)
        )
        row = self.session.execute(query).one_or_none()
        return None if row is None else (row[0], row[1])
