"""What summaries and comparisons need of runs: a few queries, however many runs and cases."""

import uuid
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import (
    ARRAY,
    BindParameter,
    Row,
    String,
    Text,
    any_,
    bindparam,
    case,
    cast,
    func,
    select,
)
from sqlalchemy.dialects.postgresql import JSON, JSONB, aggregate_order_by
from sqlalchemy.orm import defer

from podmeter.db.base import JsonList, among
from podmeter.db.models import (
    Block,
    CaseRecord,
    FingerprintRecord,
    InvocationRecord,
    MeasurementRecord,
    Run,
    RunCluster,
    RunDigest,
    Trial,
)
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.domain.run import RunState
from podmeter.domain.trial import NOT_OF_THE_CASE, TrialStatus

_COUNTED = (TrialStatus.COUNTED,)


# Putting a statement together takes longer than reading its rows, so these are made once.
_NONE = func.jsonb_build_array(type_=JSONB)
_ORGANIZATION: BindParameter[uuid.UUID] = bindparam("organization_id")
_CLUSTERS = (
    select(
        func.jsonb_agg(
            aggregate_order_by(
                func.jsonb_build_array(
                    RunCluster.name, RunCluster.cluster_uid, RunCluster.authority
                ),
                RunCluster.name,
            )
        )
    )
    .where(RunCluster.organization_id == Run.organization_id, RunCluster.run_id == Run.id)
    .scalar_subquery()
)
_BLOCKS = (
    select(
        func.jsonb_agg(
            aggregate_order_by(
                func.jsonb_build_array(
                    Block.modes,
                    Block.fingerprint_id,
                    Block.switching_seconds,
                    Block.preparing_seconds,
                    Block.cleaning_seconds,
                ),
                Block.position,
            )
        )
    )
    .where(Block.organization_id == Run.organization_id, Block.run_id == Run.id)
    .scalar_subquery()
)
_CASES_OF = (
    select(
        func.json_agg(
            aggregate_order_by(
                func.json_build_array(
                    CaseRecord.id,
                    CaseRecord.key,
                    CaseRecord.point,
                    CaseRecord.status,
                    CaseRecord.reason,
                    CaseRecord.fingerprint_id,
                    CaseRecord.placement,
                ),
                CaseRecord.position,
            ),
            type_=JSON,
        )
    )
    .where(CaseRecord.organization_id == Run.organization_id, CaseRecord.run_id == Run.id)
    .scalar_subquery()
)
_LEAN = (defer(Run.environment, raiseload=True), defer(Run.written, raiseload=True))
_OF_ORGANIZATION = Run.organization_id == _ORGANIZATION
_RUNS = (
    select(Run, func.coalesce(_CLUSTERS, _NONE), func.coalesce(_BLOCKS, _NONE))
    .where(_OF_ORGANIZATION, among(Run.id, "run_ids"))
    .options(*_LEAN)
)
# One statement, since each costs the API more than what it reads.
_WITH_CASES = (
    select(
        Run,
        func.coalesce(_CLUSTERS, _NONE),
        func.coalesce(_BLOCKS, _NONE),
        func.coalesce(_CASES_OF, func.json_build_array(type_=JSON)),
        RunDigest.samples,
        RunDigest.losses,
    )
    .outerjoin(
        RunDigest,
        (RunDigest.organization_id == Run.organization_id)
        & (RunDigest.run_id == Run.id)
        & (Run.state == RunState.FINISHED)
        & (RunDigest.last_event == Run.last_event)
        & (RunDigest.version == any_(bindparam("versions", type_=ARRAY(String)))),
    )
    .where(_OF_ORGANIZATION)
    .options(*_LEAN)
)
_ANY_WITH_CASES = _WITH_CASES.where(among(Run.id, "run_ids"))
# How long an array will be the database does not know when it plans for all, so that it plans again
# each time, which takes longer than reading. Two is what is compared mostly.
_TWO_WITH_CASES = _WITH_CASES.where(Run.id.in_([bindparam("one"), bindparam("two")]))
_CASES = (
    select(
        CaseRecord.run_id,
        CaseRecord.id,
        CaseRecord.key,
        CaseRecord.point,
        CaseRecord.status,
        CaseRecord.reason,
        CaseRecord.fingerprint_id,
        CaseRecord.placement,
    )
    .where(CaseRecord.organization_id == _ORGANIZATION, among(CaseRecord.run_id, "run_ids"))
    .order_by(CaseRecord.position)
)
#: A row for each sample and round: a fifth of the rows, and of the time it takes to read them.
_SAMPLES = (
    select(
        Trial.case_id,
        MeasurementRecord.metric,
        MeasurementRecord.subject,
        Trial.round,
        func.array_agg(aggregate_order_by(MeasurementRecord.value, Trial.id)),
        func.array_agg(aggregate_order_by(Trial.id, Trial.id)),
    )
    .join(MeasurementRecord, MeasurementRecord.trial_id == Trial.id)
    .where(
        Trial.organization_id == _ORGANIZATION,
        among(Trial.run_id, "run_ids"),
        Trial.status.in_(_COUNTED),
    )
    .group_by(Trial.case_id, MeasurementRecord.metric, MeasurementRecord.subject, Trial.round)
)
#: How many of a case's trials of a round failed, in runs in which any did.
_UNFIT = (TrialStatus.FAILED, TrialStatus.VOID)
_FAILED = Trial.status.in_(_UNFIT) & Trial.failure_code.not_in(NOT_OF_THE_CASE)
_WITH_FAILURES = select(Trial.run_id).where(
    Trial.organization_id == _ORGANIZATION, among(Trial.run_id, "run_ids"), _FAILED
)
_FAILURES = (
    select(
        Trial.case_id,
        Trial.round,
        func.avg(case((_FAILED, 1.0), else_=0.0)),
        func.coalesce(func.min(Trial.id).filter(_FAILED), func.min(Trial.id)),
    )
    .where(
        Trial.organization_id == _ORGANIZATION,
        Trial.run_id.in_(_WITH_FAILURES),
        Trial.status.in_(_COUNTED) | _FAILED,
    )
    .group_by(Trial.case_id, Trial.round)
    .order_by(Trial.case_id, Trial.round)
)
_SAMPLES_OF = _SAMPLES.where(among(MeasurementRecord.metric, "metrics"))


class WholeRun(NamedTuple):
    """A run with all that its samples are judged by, and of its digest, where it holds, two texts.

    A cluster is [name, UID, authority], in the order of the names; a block [modes, fingerprint id,
    switching, preparing and cleaning seconds], in order; a case [id, key, point, status, reason,
    fingerprint id, placement], in matrix order.
    """

    run: Run
    clusters: JsonList
    blocks: JsonList
    cases: JsonList
    samples: str | None
    losses: str | None


class SampleRepository(OrganizationRepository):
    """Samples of one organization's runs, and what is needed to judge them."""

    def runs(self, run_ids: Collection[uuid.UUID]) -> Sequence[Row[Run, JsonList, JsonList]]:
        """(run, its clusters by name, its blocks in order) of the runs that there are.

        A cluster is [name, UID, authority], a block [modes, fingerprint id, switching, preparing
        and cleaning seconds]. The runs' environments, which are large, are not read, nor what was
        written.
        """
        return self.session.execute(_RUNS, self._parameters(run_ids)).all()

    def whole_runs(
        self, run_ids: Collection[uuid.UUID], versions: Collection[str] = ()
    ) -> list[WholeRun]:
        """The runs that there are, with the same not read; digests are of these versions."""
        ids = list(run_ids)
        asked: dict[str, object] = {
            "organization_id": self.organization_id,
            "versions": list(versions),
        }
        if 0 < len(ids) <= 2:
            rows = self.session.execute(_TWO_WITH_CASES, asked | {"one": ids[0], "two": ids[-1]})
        else:
            rows = self.session.execute(_ANY_WITH_CASES, asked | {"run_ids": ids})
        return [WholeRun(*row) for row in rows]

    def cases(self, run_ids: Collection[uuid.UUID]) -> Sequence[Row]:  # type: ignore[type-arg]
        """(run, id, key, point, status, reason, fingerprint, placement), in matrix order."""
        return self.session.execute(_CASES, self._parameters(run_ids)).all()

    def samples(
        self, run_ids: Collection[uuid.UUID], metrics: Collection[str] | None = None
    ) -> Sequence[Row]:  # type: ignore[type-arg]
        """(case, metric, subject, round, values, trials) of the counted trials, as stored."""
        of = self._parameters(run_ids)
        if metrics is None:
            return self.session.execute(_SAMPLES, of).all()
        return self.session.execute(_SAMPLES_OF, of | {"metrics": list(metrics)}).all()

    def failures(self, run_ids: Collection[uuid.UUID]) -> Sequence[Row[int, int, float, int]]:
        """(case, round, share of trials that failed or were void, one of them) of runs with any.

        Trials whose failure says nothing of their case are left out.
        """
        return self.session.execute(_FAILURES, self._parameters(run_ids)).all()

    def overheads(self, run_id: uuid.UUID) -> Sequence[Row]:  # type: ignore[type-arg]
        """(case, round, trial, overhead in seconds) of the counted trials, where it is known."""
        query = (
            select(Trial.case_id, Trial.round, Trial.id, Trial.overhead_seconds)
            .where(
                Trial.organization_id == self.organization_id,
                Trial.run_id == run_id,
                Trial.status.in_(_COUNTED),
                Trial.overhead_seconds.is_not(None),
            )
            .order_by(Trial.id)
        )
        return self.session.execute(query).all()

    def trial_counts(self, run_id: uuid.UUID) -> Sequence[Row]:  # type: ignore[type-arg]
        """(case, status, failure code, how many, the first message) of a run's trials."""
        query = (
            select(
                Trial.case_id,
                Trial.status,
                Trial.failure_code,
                func.count(),
                func.array_agg(aggregate_order_by(Trial.failure_message, Trial.id))[1],
            )
            .where(Trial.organization_id == self.organization_id, Trial.run_id == run_id)
            .group_by(Trial.case_id, Trial.status, Trial.failure_code)
            .order_by(Trial.case_id, Trial.status, Trial.failure_code)
        )
        return self.session.execute(query).all()

    def routes(
        self, run_ids: Collection[uuid.UUID]
    ) -> dict[int, set[tuple[str | None, str | None]]]:
        """By case what its counted trials tell of their way: the client's, and its node's.

        None is one that was not recorded.
        """
        told = Trial.facts["route"].astext, Trial.facts["node_route"].astext
        query = (
            select(Trial.case_id, *told)
            .where(
                Trial.organization_id == self.organization_id,
                Trial.run_id.in_(run_ids),
                Trial.status.in_(_COUNTED),
            )
            .distinct()
        )
        found: dict[int, set[tuple[str | None, str | None]]] = {}
        for case_id, route, node_route in self.session.execute(query):
            found.setdefault(case_id, set()).add((route, node_route))
        return found

    def fingerprints(self, ids: Collection[uuid.UUID]) -> dict[uuid.UUID, dict[str, object]]:
        """The contents of fingerprints."""
        query = select(FingerprintRecord.id, FingerprintRecord.content).where(
            FingerprintRecord.organization_id == self.organization_id,
            FingerprintRecord.id.in_(ids),
        )
        return {row[0]: row[1] for row in self.session.execute(query)}

    def commands(self, run_ids: Collection[uuid.UUID], limit: int) -> Sequence[Row]:  # type: ignore[type-arg]
        """(tool, version, argv, how often) of what the counted trials ran, each command once."""
        argv = cast(InvocationRecord.argv, Text)
        query = (
            select(
                InvocationRecord.tool,
                InvocationRecord.version,
                func.min(argv),
                func.count(),
            )
            .join(Trial, Trial.id == InvocationRecord.trial_id)
            .where(
                Trial.organization_id == self.organization_id,
                Trial.run_id.in_(run_ids),
                Trial.status.in_(_COUNTED),
            )
            .group_by(InvocationRecord.tool, InvocationRecord.version, argv)
            .order_by(InvocationRecord.tool, InvocationRecord.version, func.count().desc(), argv)
            .limit(limit)
        )
        return self.session.execute(query).all()
