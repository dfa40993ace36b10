"""What a session is held to where who works with it reaches one cluster or some experiments alone.

Every query for these rows finds nothing else: a service that looks for what it
was given by its id answers as if the rest were not there.
"""

import uuid
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    Text,
    and_,
    cast,
    event,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import ORMExecuteState, Session, with_loader_criteria

from podmeter.db.models import Cluster, ComparisonRecord, Experiment, Run, RunCluster, Snapshot

#: An execution option of queries that count all rows, for every caller.
UNSCOPED = "podmeter_unscoped"
#: Where what was asked names runs: of a comparison, and of articles beside runs.
_RUN_IDS: ColumnElement[str] = literal_column("'$.**.run_id'::jsonpath")
_ARTICLES_RUN_IDS: ColumnElement[str] = literal_column("'$.reproduction[*].run_ids[*]'::jsonpath")


@dataclass(frozen=True)
class Scope:
    """One cluster; or experiments, which may be none any more.

    Who may start runs of the experiments reads all clusters, to say where: `reads_clusters`.
    """

    cluster_id: uuid.UUID | None = None
    experiment_ids: tuple[uuid.UUID, ...] = ()
    reads_clusters: bool = False


def restrict_session(session: Session, scope: Scope) -> None:
    """Have the session find nothing outside of the scope, from now on.

    Runs that measured another cluster besides are outside of one; experiments that name another
    one are; comparisons and snapshots are by what they are of, which has to be inside wholly: a
    snapshot of an experiment is outside of a cluster, and the other way round.
    """
    options = [with_loader_criteria(model, clause) for model, clause in _clauses(scope)]

    def narrow(state: ORMExecuteState) -> None:
        asks = state.is_orm_statement and not state.is_insert
        loads = state.is_column_load or state.is_relationship_load
        if asks and not (loads or state.execution_options.get(UNSCOPED)):
            state.statement = state.statement.options(*options)

    event.listen(session, "do_orm_execute", narrow)


def _clauses(scope: Scope) -> list[tuple[type[Any], ColumnElement[bool]]]:
    # Of tables instead of models, so that what holds a query is not held itself.
    compared = ComparisonRecord.__table__.c
    comparisons = select(cast(compared.id, Text)).where(_compares_only(compared.request, scope))
    runs = _runs(scope).subquery()
    shared = ("experiment_id", scope.experiment_ids)
    if scope.cluster_id is not None:
        shared = ("cluster_id", (scope.cluster_id,))
    found: list[tuple[type[Any], ColumnElement[bool]]] = [
        (Run, Run.id.in_(_runs(scope))),
        (ComparisonRecord, _compares_only(ComparisonRecord.request, scope)),
        (
            Snapshot,
            or_(
                _text(Snapshot.request, "run_id").in_(select(cast(runs.c.id, Text))),
                _text(Snapshot.request, "comparison_id").in_(comparisons),
                and_(
                    Snapshot.request.has_key("reproduction"),
                    _names_only(Snapshot.request, scope, _ARTICLES_RUN_IDS),
                ),
                _text(Snapshot.request, shared[0]).in_([str(one) for one in shared[1]]),
            ),
        ),
    ]
    if scope.cluster_id is None:
        none = [] if scope.reads_clusters else [(Cluster, false())]
        return [*found, (Experiment, Experiment.id.in_(scope.experiment_ids)), *none]
    clusters = Cluster.__table__.c
    name = select(clusters.name).where(clusters.id == scope.cluster_id).scalar_subquery()
    named = func.jsonb_extract_path(Experiment.spec, "axes", "cluster", type_=JSONB)
    only_this = or_(named.is_(None), named.contained_by(func.jsonb_build_array(name)))
    return [*found, (Cluster, Cluster.id == scope.cluster_id), (Experiment, only_this)]


def _runs(scope: Scope) -> Select[Any]:
    runs = Run.__table__.alias()
    if scope.cluster_id is None:
        return select(runs.c.id).where(runs.c.experiment_id.in_(scope.experiment_ids))
    of = RunCluster.__table__.alias()
    here = select(of.c.run_id).where(of.c.cluster_id == scope.cluster_id)
    elsewhere = select(of.c.run_id).where(of.c.cluster_id.is_distinct_from(scope.cluster_id))
    return select(runs.c.id).where(runs.c.id.in_(here), runs.c.id.not_in(elsewhere))


def _text(document: Any, key: str) -> ColumnElement[str]:
    return func.jsonb_extract_path_text(document, key, type_=Text)


def _compares_only(request: Any, scope: Scope) -> ColumnElement[bool]:
    """That every run which a comparison is of is inside of the scope."""
    return _names_only(request, scope, _RUN_IDS)


def _names_only(request: Any, scope: Scope, where: ColumnElement[str]) -> ColumnElement[bool]:
    runs = _runs(scope).subquery()
    ids = func.coalesce(func.jsonb_agg(cast(runs.c.id, Text)), literal([], JSONB), type_=JSONB)
    asked = func.jsonb_path_query_array(request, where, type_=JSONB)
    inside: ColumnElement[bool] = asked.contained_by(select(ids).scalar_subquery())
    return inside
