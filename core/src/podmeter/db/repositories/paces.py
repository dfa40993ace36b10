"""How long blocks of earlier runs took on a cluster."""

import uuid
from typing import Any, NamedTuple, TypeVarTuple

from sqlalchemy import Select, select

from podmeter.db.models import Block, CaseRecord, MeasurementRecord, Run, RunCluster, Trial
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.domain.planning import Case
from podmeter.domain.run import CaseStatus
from podmeter.domain.trial import CREATING

_Columns = TypeVarTuple("_Columns")

#: A later attempt begins without the Services of the block before, and leaves out what is measured.
_IN_ONE_GO = Run.attempt == 1


class MeasuredThere(NamedTuple):
    """A run, its last event, and what it calls the cluster."""

    id: uuid.UUID
    last_event: int
    cluster: str


class SwitchedBlock(NamedTuple):
    """A block and its run, with kind and parameters, its status and modes, and how long switching
    took; None without a switch.
    """

    id: int
    run_id: uuid.UUID
    kind: str
    parameters: dict[str, Any]
    status: CaseStatus
    modes: dict[str, Any]
    seconds: float | None


class MeasuredOutage(NamedTuple):
    """The outage of a switch in seconds, its run's kind, and the case and block that it was in."""

    kind: str
    case: Case
    seconds: float
    block_id: int


class PaceRepository(OrganizationRepository):
    """The latest runs of one organization's clusters, by when they began."""

    def switching_seconds(self, cluster_id: uuid.UUID, runs: int) -> list[SwitchedBlock]:
        """The blocks that the cluster's latest runs began, in their order, each run by itself."""
        latest = self._latest_in_one_go(cluster_id, runs)
        query = (
            select(
                Block.id,
                Run.id,
                Run.kind,
                Run.spec["parameters"],
                Block.status,
                Block.modes,
                Block.switching_seconds,
            )
            .join(Block, Block.run_id == Run.id)
            .where(
                Run.organization_id == self.organization_id,
                Run.id.in_(latest),
                Block.started_at.is_not(None) | Block.switching_seconds.is_not(None),
            )
            .order_by(Run.id, Block.position)
        )
        return [SwitchedBlock(*row) for row in self.session.execute(query)]

    def outages(self, cluster_id: uuid.UUID, runs: int, outage: str) -> list[MeasuredOutage]:
        """Each measured `outage` of a switch in the runs of `switching_seconds`."""
        latest = self._latest_in_one_go(cluster_id, runs)
        query = (
            select(
                Run.kind,
                CaseRecord.point,
                CaseRecord.once,
                MeasurementRecord.value,
                Trial.block_id,
            )
            .join(Trial, Trial.run_id == Run.id)
            .join(CaseRecord, CaseRecord.id == Trial.case_id)
            .join(MeasurementRecord, MeasurementRecord.trial_id == Trial.id)
            .where(
                Run.organization_id == self.organization_id,
                Run.id.in_(latest),
                # A switch is a trial once a round; of the many others none is looked through.
                CaseRecord.once,
                MeasurementRecord.metric == outage,
            )
        )
        return [
            MeasuredOutage(kind, Case.at(point, once=once), seconds, block_id)
            for kind, point, once, seconds, block_id in self.session.execute(query)
            if seconds is not None
        ]

    def measured(self, cluster_id: uuid.UUID, kind: str, runs: int) -> list[MeasuredThere]:
        """The latest runs of a kind that measured a block there, and did so in one go."""
        measured = select(Block.run_id).where(
            Block.organization_id == self.organization_id, Block.status == CaseStatus.SUCCEEDED
        )
        query = select(Run.id, Run.last_event, RunCluster.name).where(
            Run.kind == kind, _IN_ONE_GO, Run.id.in_(measured)
        )
        rows = self.session.execute(self._latest(query, cluster_id, runs))
        return [MeasuredThere(*row) for row in rows]

    def facts_of_creating(self, run_ids: list[uuid.UUID]) -> list[dict[str, str]]:
        """The facts of the trials of these runs that tell how long creating objects took."""
        query = select(Trial.facts).where(
            Trial.organization_id == self.organization_id,
            Trial.run_id.in_(run_ids),
            Trial.facts.has_key(CREATING),
        )
        return list(self.session.scalars(query))

    def _latest_in_one_go(self, cluster_id: uuid.UUID, runs: int) -> Select[uuid.UUID]:
        return self._latest(select(Run.id).where(_IN_ONE_GO), cluster_id, runs)

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
