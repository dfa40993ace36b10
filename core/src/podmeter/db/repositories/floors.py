"""The runs that tell how far a real cluster differs from itself."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Select,
    and_,
    bindparam,
    func,
    literal_column,
    select,
)

from podmeter.db.base import Json
from podmeter.db.models import FingerprintRecord, Run, RunCluster
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import Outcome, RunState


class FinishedRun(NamedTuple):
    """A run of one cluster: its latest event, and when it was measured."""

    id: uuid.UUID
    last_event: int
    started_at: datetime


_ORGANIZATION: BindParameter[uuid.UUID] = bindparam("organization_id")
_STARTED = func.coalesce(Run.started_at, Run.created_at)


def _statement(*conditions: ColumnElement[bool]) -> Select[uuid.UUID, int, datetime]:
    """The latest runs that measured one real cluster alone.

    Put together once, which takes as long as its execution. Runs are gone through in the order of
    their index until there are enough (hence the offset, which keeps them a query of their own):
    looking at all of them took longer the more there were.
    """
    runs = (
        select(Run.id, Run.organization_id, Run.last_event, _STARTED.label("started"))
        .where(
            Run.organization_id == _ORGANIZATION,
            Run.state == RunState.FINISHED,
            Run.outcome.in_((Outcome.SUCCEEDED, Outcome.PARTIAL)),
            *conditions,
        )
        .order_by(_STARTED.desc(), Run.id)
        .offset(literal_column("0"))
        .subquery()
    )
    alone = (
        select(
            and_(
                func.count() == 1,
                func.min(RunCluster.cluster_uid) == bindparam("uid"),
                func.min(RunCluster.authority) == bindparam("authority"),
            )
        )
        .where(RunCluster.organization_id == runs.c.organization_id, RunCluster.run_id == runs.c.id)
        .scalar_subquery()
    )
    return (
        select(runs.c.id, runs.c.last_event, runs.c.started)
        .where(alone)
        .order_by(runs.c.started.desc(), runs.c.id)
        .limit(bindparam("most"))
    )


_FINISHED = _statement()
_FINISHED_OF_KIND = _statement(Run.kind == bindparam("kind"))


class FloorRepository(OrganizationRepository):
    """One organization's runs on a real cluster, through whichever registrations."""

    def finished(
        self, real: RealCluster, limit: int, kind: str | None = None
    ) -> Sequence[FinishedRun]:
        """The latest runs, of one kind if it is given, that measured this cluster alone."""
        given = {
            "organization_id": self.organization_id,
            "uid": real.uid,
            "authority": real.authority,
            "most": limit,
        }
        query = _FINISHED if kind is None else _FINISHED_OF_KIND
        rows = self.session.execute(query, given if kind is None else given | {"kind": kind})
        return [FinishedRun(*row) for row in rows]

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
