"""How long blocks of earlier runs took on a cluster."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVarTuple

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, load_only

from podmeter.db.models import Block, CaseRecord, Run, RunCluster
from podmeter.domain.run import CaseStatus

_Columns = TypeVarTuple("_Columns")
#: What planning needs of a case.
_CASE = (CaseRecord.run_id, CaseRecord.point, CaseRecord.once)


@dataclass(frozen=True)
class TimedRun:
    """A run's specification, what it calls the cluster, and its cases and blocks in order."""

    spec: dict[str, Any]
    cluster: str
    cases: Sequence[CaseRecord]
    blocks: Sequence[Block]


class PaceRepository:
    """The latest runs of one organization's clusters, by when they began."""

    def __init__(self, session: Session, organization_id: uuid.UUID) -> None:
        self.session = session
        self.organization_id = organization_id

    def switching_seconds(
        self, cluster_id: uuid.UUID, runs: int
    ) -> list[tuple[dict[str, Any], float]]:
        """The modes of each block that the cluster's latest runs switched, and how long it took."""
        latest = self._latest(select(Run.id), cluster_id, runs)
        query = select(Block.modes, Block.switching_seconds).where(
            Block.organization_id == self.organization_id, Block.run_id.in_(latest)
        )
        rows = self.session.execute(query)
        return [(modes, seconds) for modes, seconds in rows if seconds is not None]

    def timed(self, cluster_id: uuid.UUID, kind: str, runs: int) -> list[TimedRun]:
        """The latest runs of a kind that measured a block there, and did so in one go."""
        measured = select(Block.run_id).where(
            Block.organization_id == self.organization_id, Block.status == CaseStatus.SUCCEEDED
        )
        query = select(Run.id, Run.spec, RunCluster.name).where(
            Run.kind == kind, Run.attempt == 1, Run.id.in_(measured)
        )
        found = self.session.execute(self._latest(query, cluster_id, runs)).all()
        ids = [run_id for run_id, _, _ in found]
        cases = self._of_runs(select(CaseRecord).options(load_only(*_CASE)), CaseRecord, ids)
        blocks = self._of_runs(select(Block), Block, ids)
        return [TimedRun(spec, name, cases[id_], blocks[id_]) for id_, spec, name in found]

    def _latest(
        self, query: Select[*_Columns], cluster_id: uuid.UUID, runs: int
    ) -> Select[*_Columns]:
        return (
            query.join(
                RunCluster,
                (RunCluster.run_id == Run.id) & (RunCluster.organization_id == Run.organization_id),
            )
            .where(
                Run.organization_id == self.organization_id,
                RunCluster.cluster_id == cluster_id,
                Run.started_at.is_not(None),
            )
            .order_by(Run.started_at.desc())
            .limit(runs)
        )

    def _of_runs(
        self, query: Select[Any], model: Any, ids: Sequence[uuid.UUID]
    ) -> dict[uuid.UUID, list[Any]]:
        found: dict[uuid.UUID, list[Any]] = {one: [] for one in ids}
        if not ids:
            return found
        of_these = query.where(
            model.organization_id == self.organization_id, model.run_id.in_(ids)
        ).order_by(model.position)
        for row in self.session.scalars(of_these):
            found[row.run_id].append(row)
        return found
