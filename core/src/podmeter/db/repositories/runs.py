"""Runs of one organization, with their clusters, blocks and cases."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVarTuple

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    Select,
    SQLColumnExpression,
    Text,
    and_,
    bindparam,
    delete,
    false,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by, distinct_on
from sqlalchemy.orm import Session, aliased, defer

from podmeter.db.base import among
from podmeter.db.models import Block, CaseRecord, Run, RunCluster, SavedMode
from podmeter.db.paging import Page, PageRequest, fetch_page
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.db.repositories.marks import EVERYTHING, ListFilter, in_order
from podmeter.domain.axes import BLOCK_AXES
from podmeter.domain.experiment import FIRST_LOOK
from podmeter.domain.modes import ARM
from podmeter.domain.run import CaseStatus, Outcome, RunState, RunStatus

_Columns = TypeVarTuple("_Columns")

#: Lists show neither specs nor environment, which are most of a row.
LISTED = tuple(defer(column, raiseload=True) for column in (Run.spec, Run.written, Run.environment))

#: The outcomes of runs that measured something.
_MEASURED = (Outcome.SUCCEEDED, Outcome.PARTIAL)
#: How many of the last runs are checked for enough rounds: there may be thousands.
_MOST_LOOKED_AT = 20

# What every list asks for; putting a statement together takes longer than reading its rows.
_CLUSTERS = (
    select(RunCluster.run_id, RunCluster.name, RunCluster.cluster_id, RunCluster.cluster_uid)
    .where(
        RunCluster.organization_id == bindparam("organization_id"),
        among(RunCluster.run_id, "run_ids"),
    )
    .order_by(RunCluster.name)
)


class ClusterOfRun(NamedTuple):
    """A cluster of a run; `cluster_id` is None once it is not registered any more."""

    name: str
    cluster_id: uuid.UUID | None
    cluster_uid: str


@dataclass(frozen=True)
class RunFilter:
    """Which runs to list: of one of the states, of one of the outcomes, and what is `wanted` of
    all that can be found; what is empty or None does not filter.
    """

    states: Collection[RunState] = ()
    outcomes: Collection[Outcome] = ()
    kind: str | None = None
    experiment_id: uuid.UUID | None = None
    cluster_id: uuid.UUID | None = None
    wanted: ListFilter = EVERYTHING
    #: Each as `key=value`; it has all of them.
    labels: Collection[str] = ()


def filtered(
    query: Select[*_Columns], organization_id: uuid.UUID, wanted: RunFilter
) -> Select[*_Columns]:
    """The query, for an organization's runs that are wanted; words and marks apart."""
    query = query.where(Run.organization_id == organization_id)
    if wanted.states:
        query = query.where(Run.state.in_(wanted.states))
    if wanted.outcomes:
        query = query.where(Run.outcome.in_(wanted.outcomes))
    if wanted.kind is not None:
        query = query.where(Run.kind == wanted.kind)
    if wanted.experiment_id is not None:
        query = query.where(Run.experiment_id == wanted.experiment_id)
    if wanted.cluster_id is not None:
        on_cluster = select(RunCluster.run_id).where(
            RunCluster.organization_id == organization_id,
            RunCluster.cluster_id == wanted.cluster_id,
        )
        query = query.where(Run.id.in_(on_cluster))
    if wanted.labels:
        query = query.where(Run.labels.contains(list(wanted.labels)))
    return query


class RunRepository(OrganizationRepository):
    """The runs of one organization."""

    def page(self, wanted: RunFilter, request: PageRequest) -> Page[Run]:
        """Runs, newest first unless another order is wanted."""
        query = filtered(select(Run), self.organization_id, wanted).options(*LISTED)
        return in_order(self.session, query, Run, wanted.wanted, request)

    def get(self, run_id: uuid.UUID, *, lock: bool = False) -> Run | None:
        """One run, locked until the commit if it must be changed."""
        query = select(Run).where(Run.organization_id == self.organization_id, Run.id == run_id)
        if lock:
            query = query.with_for_update().execution_options(populate_existing=True)
        return self.session.scalar(query)

    def add(
        self,
        run: Run,
        clusters: Iterable[RunCluster],
        blocks: Iterable[Block],
        cases: Iterable[CaseRecord],
    ) -> None:
        """Add a run with all it consists of; the run first, for the others refer to it."""
        self.session.add(run)
        self.session.flush()
        self.session.add_all([*clusters, *blocks, *cases])
        self.session.flush()

    def delete(self, run: Run) -> None:
        """Forget a run with everything it left."""
        self.session.execute(
            delete(SavedMode).where(
                SavedMode.organization_id == self.organization_id,
                SavedMode.run_id == run.id,
                SavedMode.restored_at.is_not(None),
            )
        )
        self.session.delete(run)
        self.session.flush()

    def clusters(self, run_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[ClusterOfRun]]:
        """The clusters of each of the runs."""
        found: dict[uuid.UUID, list[ClusterOfRun]] = {run_id: [] for run_id in run_ids}
        for run_id, name, id_, uid in self.session.execute(_CLUSTERS, self._parameters(run_ids)):
            found[run_id].append(ClusterOfRun(name, id_, uid))
        return found

    def cases(self, run_id: uuid.UUID, request: PageRequest) -> Page[CaseRecord]:
        """A run's cases in the order of the matrix."""
        query = select(CaseRecord).where(
            CaseRecord.organization_id == self.organization_id, CaseRecord.run_id == run_id
        )
        columns = [CaseRecord.position, CaseRecord.id]
        return fetch_page(self.session, query, columns, lambda row: (row.position, row.id), request)

    def all_cases(self, run_id: uuid.UUID) -> list[CaseRecord]:
        """All cases of a run in the order of the matrix."""
        query = select(CaseRecord).where(
            CaseRecord.organization_id == self.organization_id, CaseRecord.run_id == run_id
        )
        return list(self.session.scalars(query.order_by(CaseRecord.position)))

    def blocks(self, run_id: uuid.UUID) -> list[Block]:
        """A run's blocks in the order they run."""
        query = select(Block).where(
            Block.organization_id == self.organization_id, Block.run_id == run_id
        )
        return list(self.session.scalars(query.order_by(Block.position)))

    def block_at(self, run_id: uuid.UUID, position: int) -> Block:
        """The run's block at a position; NoResultFound if it has no such block."""
        query = select(Block).where(
            Block.organization_id == self.organization_id,
            Block.run_id == run_id,
            Block.position == position,
        )
        return self.session.scalars(query).one()

    def change_status(self, run: Run, new: RunStatus, *, fencing_token: int | None) -> bool:
        """Write `new` unless the run moved on since `run` was read, or another worker has it.

        The status read, the attempt and the fencing token are conditions of the one UPDATE.
        """
        changed = self.session.execute(
            update(Run)
            .where(
                Run.organization_id == self.organization_id,
                Run.id == run.id,
                Run.state == run.state,
                Run.attempt == run.attempt,
                Run.fencing_token.is_not_distinct_from(fencing_token),
            )
            .values(state=new.state, outcome=new.outcome, reason=new.reason, attempt=new.attempt)
            .execution_options(synchronize_session=False)
        )
        self.session.refresh(run)
        return bool(changed.rowcount)  # type: ignore[attr-defined]

    def requeue_unfinished(self, run_id: uuid.UUID) -> None:
        """Set all cases and blocks that did not succeed back to pending."""
        for model in (CaseRecord, Block):
            self.session.execute(
                update(model)
                .where(
                    model.organization_id == self.organization_id,
                    model.run_id == run_id,
                    model.status != CaseStatus.SUCCEEDED,
                )
                .values(status=CaseStatus.PENDING, reason="")
            )

    def latest_measured(self) -> dict[uuid.UUID, list[uuid.UUID]]:
        """By registered cluster its latest run of each kind that measured it, and it alone.

        Of the last ones, a run with enough rounds for a verdict goes before a later one without.
        Those that compare a cluster with itself say nothing of what it costs.
        """
        alone = (
            select(RunCluster.run_id, func.min(RunCluster.cluster_id.cast(Text)).label("cluster"))
            .where(RunCluster.organization_id == self.organization_id)
            .group_by(RunCluster.run_id)
            .having(func.count() == 1)
            .subquery()
        )
        age = (
            func.row_number()
            .over(partition_by=(alone.c.cluster, Run.kind), order_by=Run.finished_at.desc())
            .label("age")
        )
        measured = (
            select(alone.c.cluster, Run.id, Run.kind, age)
            .join(alone, alone.c.run_id == Run.id)
            .where(
                Run.organization_id == self.organization_id,
                Run.outcome.in_(_MEASURED),
                alone.c.cluster.is_not(None),
                ~Run.spec["axes"].contains([{"name": ARM}]),
            )
            .subquery()
        )
        query = (
            select(measured.c.cluster, measured.c.id)
            .where(measured.c.age <= _MOST_LOOKED_AT)
            .ext(distinct_on(measured.c.cluster, measured.c.kind))
            .order_by(
                measured.c.cluster,
                measured.c.kind,
                _is_decisive(self.organization_id, measured.c.id).desc(),
                measured.c.age,
            )
        )
        found: dict[uuid.UUID, list[uuid.UUID]] = {}
        for cluster, run_id in self.session.execute(query):
            found.setdefault(uuid.UUID(cluster), []).append(run_id)
        return found

    def before(self, run_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, uuid.UUID]:
        """By run the latest one before it that measured the same: of its experiment and kind, on
        the same real clusters. Of the last of these, a run with enough rounds for a verdict goes
        before a later one without. Runs without one before them are left out.
        """
        # A session that is held to a scope narrows the model, not what is another name of it.
        later = aliased(Run)
        latest = (
            select(Run.id, Run.created_at)
            .where(
                Run.organization_id == later.organization_id,
                Run.experiment_id == later.experiment_id,
                Run.kind == later.kind,
                Run.state == RunState.FINISHED,
                Run.outcome.in_(_MEASURED),
                Run.created_at < later.created_at,
                _real_clusters(Run) == _real_clusters(later),
            )
            .order_by(Run.created_at.desc(), Run.id.desc())
            .limit(_MOST_LOOKED_AT)
            .correlate(later)
            .subquery()
        )
        previous = (
            select(latest.c.id)
            .order_by(
                _is_decisive(self.organization_id, latest.c.id).desc(),
                latest.c.created_at.desc(),
                latest.c.id.desc(),
            )
            .limit(1)
            .scalar_subquery()
        )
        query = select(later.id, previous).where(
            later.organization_id == self.organization_id, later.id.in_(run_ids)
        )
        return {one: other for one, other in self.session.execute(query) if other is not None}


def _is_decisive(
    organization_id: uuid.UUID, run_id: SQLColumnExpression[uuid.UUID]
) -> ColumnElement[bool]:
    """Whether a run measured enough rounds for a verdict: if it compares modes, of two of them.

    One such block is enough to ask for another with other modes, so few blocks are read.
    """
    first, second, other = aliased(Block), aliased(Block), aliased(Block)

    def has_enough_rounds(block: type[Block]) -> ColumnElement[bool]:
        return and_(block.round >= FIRST_LOOK, block.status == CaseStatus.SUCCEEDED)

    def in_other_modes(block: type[Block]) -> Select[int]:
        return select(block.id).where(
            block.organization_id == organization_id,
            block.run_id == first.run_id,
            # Enough for most, and quicker than to leave the rung out.
            block.modes != first.modes,
            _without_rung(block) != _without_rung(first),
        )

    compares = in_other_modes(second).where(has_enough_rounds(second)).exists()
    has_one_mode = ~in_other_modes(other).exists()
    decisive = (
        select(or_(compares, has_one_mode))
        .where(
            first.organization_id == organization_id,
            first.run_id == run_id,
            has_enough_rounds(first),
        )
        .limit(1)
        .scalar_subquery()
    )
    return func.coalesce(decisive, false())


def _without_rung(block: type[Block]) -> ColumnElement[Any]:
    """A block's modes without the rung of a ladder that is climbed once."""
    return func.jsonb_build_array(*(block.modes[axis] for axis in BLOCK_AXES))


def _real_clusters(run: type[Run]) -> ScalarSelect[Any]:
    """Which real clusters a run measured, in one order."""
    real = func.concat(RunCluster.cluster_uid, " ", RunCluster.authority)
    return (
        select(func.array_agg(aggregate_order_by(real, real)))
        .where(RunCluster.organization_id == run.organization_id, RunCluster.run_id == run.id)
        .correlate(run)
        .scalar_subquery()
    )


def latest_on(session: Session, cluster_id: uuid.UUID, limit: int = 5) -> list[uuid.UUID]:
    """The runs that used a registered cluster last, the latest first."""
    query = (
        select(Run.id)
        .join(RunCluster, RunCluster.run_id == Run.id)
        .where(RunCluster.cluster_id == cluster_id, Run.started_at.is_not(None))
        .group_by(Run.id)
        .order_by(Run.started_at.desc())
        .limit(limit)
    )
    return list(session.scalars(query))
