"""Trials of one organization's runs, with what they left."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Row, delete, func, select, update
from sqlalchemy.orm import Session

from podmeter.db.models import (
    CaseRecord,
    InvocationRecord,
    MeasurementRecord,
    SeriesRecord,
    Trial,
)
from podmeter.db.paging import Key, Page, PageRequest, fetch_page, fetch_rows
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.domain.axes import AxisValue
from podmeter.domain.trial import TrialStatus


@dataclass(frozen=True)
class MeasurementFilter:
    """Which measurements to list; None does not filter."""

    metric: str | None = None
    case_id: int | None = None
    status: TrialStatus | None = None


@dataclass(frozen=True)
class CaseCounts:
    """How many trials of a case counted, and the latest failure of one that did not, or ''."""

    counted: int
    failure: str


class TrialRepository(OrganizationRepository):
    """The trials of one organization's runs."""

    def page(
        self, run_id: uuid.UUID, case_id: int | None, status: TrialStatus | None, page: PageRequest
    ) -> Page[Trial]:
        """A run's trials in the order they were stored."""
        query = select(Trial).where(
            Trial.organization_id == self.organization_id, Trial.run_id == run_id
        )
        if case_id is not None:
            query = query.where(Trial.case_id == case_id)
        if status is not None:
            query = query.where(Trial.status == status)
        return fetch_page(self.session, query, [Trial.id], lambda row: (row.id,), page)

    def get(self, run_id: uuid.UUID, trial_id: int) -> Trial | None:
        """One trial of a run."""
        return self.session.scalar(
            select(Trial).where(
                Trial.organization_id == self.organization_id,
                Trial.run_id == run_id,
                Trial.id == trial_id,
            )
        )

    def kept(self, run_id: uuid.UUID) -> dict[tuple[int, int, bool, int], int]:
        """The attempt of each trial that need not be measured again, by (case id, round, warmup,
        number).
        """
        query = select(Trial.case_id, Trial.round, Trial.warmup, Trial.number, Trial.attempt).where(
            Trial.organization_id == self.organization_id,
            Trial.run_id == run_id,
            Trial.status.in_([TrialStatus.COUNTED, TrialStatus.WARMUP]),
        )
        return {(row[0], row[1], row[2], row[3]): row[4] for row in self.session.execute(query)}

    def counts(self, run_id: uuid.UUID, case_id: int | None = None) -> dict[int, CaseCounts]:
        """By case id, of the cases that have trials; of one case if it is given."""
        query = (
            select(
                Trial.case_id,
                func.count().filter(Trial.status == TrialStatus.COUNTED),
                func.max(Trial.id).filter(Trial.failure_code.is_not(None)),
            )
            .where(Trial.organization_id == self.organization_id, Trial.run_id == run_id)
            .group_by(Trial.case_id)
        )
        if case_id is not None:
            query = query.where(Trial.case_id == case_id)
        rows = self.session.execute(query).all()
        latest = [last for _, _, last in rows if last is not None]
        messages: dict[int, str | None] = {}
        if latest:
            failed = select(Trial.id, Trial.failure_message).where(Trial.id.in_(latest))
            messages = {row[0]: row[1] for row in self.session.execute(failed)}
        return {
            case: CaseCounts(counted, messages.get(last) or "" if last is not None else "")
            for case, counted, last in rows
        }

    def any_kept(self, block_id: int, attempt: int) -> bool:
        """Whether a trial of a block's attempt counts or was a warm-up."""
        query = select(Trial.id).where(
            Trial.organization_id == self.organization_id,
            Trial.block_id == block_id,
            Trial.attempt == attempt,
            Trial.status.in_([TrialStatus.COUNTED, TrialStatus.WARMUP]),
        )
        return bool(self.session.scalar(select(query.exists())))

    def void_block(
        self, block_id: int, attempt: int, code: str, reason: str
    ) -> list[tuple[int, int]]:
        """Make all kept trials of a block's attempt void, dropping what they measured.

        (trial id, case id) of each, in their order.
        """
        voided = self.session.execute(
            update(Trial)
            .where(
                Trial.organization_id == self.organization_id,
                Trial.block_id == block_id,
                Trial.attempt == attempt,
                Trial.status.in_([TrialStatus.COUNTED, TrialStatus.WARMUP]),
            )
            .values(
                status=TrialStatus.VOID,
                failure_code=code,
                failure_message=reason,
                failure_temporary=True,
            )
            .returning(Trial.id, Trial.case_id)
            .execution_options(synchronize_session=False)
        ).all()
        trials = [row[0] for row in voided]
        for model in (MeasurementRecord, SeriesRecord):
            self.session.execute(delete(model).where(model.trial_id.in_(trials)))
        return sorted((row[0], row[1]) for row in voided)

    def stored_id(self, case_id: int, started_at: datetime) -> int | None:
        """The id of a case's trial that began at this moment, if it was stored."""
        query = select(Trial.id).where(
            Trial.organization_id == self.organization_id,
            Trial.case_id == case_id,
            Trial.started_at == started_at,
        )
        return self.session.scalar(query)

    def overheads(self, run_id: uuid.UUID) -> list[float]:
        """Seconds that each counted trial took besides its tool, where it is known."""
        query = select(Trial.overhead_seconds).where(
            Trial.organization_id == self.organization_id,
            Trial.run_id == run_id,
            Trial.status == TrialStatus.COUNTED,
            Trial.overhead_seconds.is_not(None),
        )
        return [seconds for seconds in self.session.scalars(query) if seconds is not None]

    def add(
        self,
        trial: Trial,
        invocations: Sequence[InvocationRecord],
        measurements: Sequence[MeasurementRecord],
        series: Sequence[SeriesRecord],
    ) -> None:
        """Store a trial with all it left; IntegrityError if it is already there and counted."""
        self.session.add(trial)
        self.session.flush()
        left: list[InvocationRecord | MeasurementRecord | SeriesRecord]
        left = [*invocations, *measurements, *series]
        for record in left:
            record.trial_id = trial.id
        self.session.add_all(left)
        self.session.flush()

    def set_overhead(self, trial_id: int, seconds: float) -> None:
        """Note how long the trial took besides its tool, once it is stored."""
        self.session.execute(
            update(Trial)
            .where(Trial.organization_id == self.organization_id, Trial.id == trial_id)
            .values(overhead_seconds=seconds)
        )

    def invocations(self, trial_id: int) -> list[InvocationRecord]:
        """A trial's invocations in order; the trial was read in scope before."""
        query = select(InvocationRecord).where(InvocationRecord.trial_id == trial_id)
        return list(self.session.scalars(query.order_by(InvocationRecord.position)))

    def measurements(self, trial_id: int) -> list[MeasurementRecord]:
        """A trial's measurements; the trial was read in scope before."""
        query = select(MeasurementRecord).where(MeasurementRecord.trial_id == trial_id)
        return list(
            self.session.scalars(
                query.order_by(MeasurementRecord.metric, MeasurementRecord.subject)
            )
        )

    def points(self, case_ids: Collection[int]) -> dict[int, Mapping[str, AxisValue]]:
        """The points of cases by their ids."""
        query = select(CaseRecord.id, CaseRecord.point).where(
            CaseRecord.organization_id == self.organization_id, CaseRecord.id.in_(case_ids)
        )
        return {row[0]: row[1] for row in self.session.execute(query)}

    def values(
        self, trial_ids: Collection[int], metrics: Collection[str]
    ) -> dict[int, dict[tuple[str, str], float]]:
        """By trial its values of these metrics, by metric and subject; read in scope before."""
        model = MeasurementRecord
        query = select(model.trial_id, model.metric, model.subject, model.value).where(
            model.trial_id.in_(trial_ids), model.metric.in_(metrics)
        )
        found: dict[int, dict[tuple[str, str], float]] = {}
        for trial_id, metric, subject, value in self.session.execute(query):
            found.setdefault(trial_id, {})[metric, subject] = value
        return found

    def series(self, trial_id: int) -> list[SeriesRecord]:
        """A trial's series; the trial was read in scope before."""
        query = select(SeriesRecord).where(SeriesRecord.trial_id == trial_id)
        return list(self.session.scalars(query.order_by(SeriesRecord.metric, SeriesRecord.subject)))

    def measurements_page(
        self, run_id: uuid.UUID, wanted: MeasurementFilter, request: PageRequest
    ) -> Page[Row[MeasurementRecord, int, int, TrialStatus]]:
        """A run's measurements, each with its trial's case, round and status."""
        model = MeasurementRecord
        query = (
            select(model, Trial.case_id, Trial.round, Trial.status)
            .join(Trial, Trial.id == model.trial_id)
            .where(Trial.organization_id == self.organization_id, Trial.run_id == run_id)
        )
        if wanted.metric is not None:
            query = query.where(model.metric == wanted.metric)
        if wanted.case_id is not None:
            query = query.where(Trial.case_id == wanted.case_id)
        if wanted.status is not None:
            query = query.where(Trial.status == wanted.status)
        columns = [model.trial_id, model.metric, model.subject]
        return fetch_rows(self.session, query, columns, _place, request)


def _place(row: Row[MeasurementRecord, int, int, TrialStatus]) -> Key:
    return (row[0].trial_id, row[0].metric, row[0].subject)


def drop_old_output(session: Session, before: datetime, limit: int = 1000) -> int:
    """Forget raw output of trials stored before a moment, in all organizations; how many."""
    old = (
        select(InvocationRecord.trial_id, InvocationRecord.position)
        .join(Trial, Trial.id == InvocationRecord.trial_id)
        .where(Trial.stored_at < before, InvocationRecord.stdout.is_not(None))
        .limit(limit)
        .cte()
    )
    dropped = session.execute(
        update(InvocationRecord)
        .where(
            InvocationRecord.trial_id == old.c.trial_id,
            InvocationRecord.position == old.c.position,
        )
        .values(stdout=None, stderr=None)
        .returning(InvocationRecord.trial_id)
        .execution_options(synchronize_session=False)
    )
    return len(dropped.all())
