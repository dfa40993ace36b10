"""What the results table is made of: trials with their measurements, read as a stream."""

import uuid
from collections.abc import Collection, Iterator

from sqlalchemy import and_, bindparam, select

from podmeter.db.base import among
from podmeter.db.models import CaseRecord, MeasurementRecord, Trial
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.domain.trial import MEASURED, TrialStatus

#: So many are read at once; all of a run may be a million.
_PORTION = 10_000
_ROWS = (
    select(
        Trial.case_id,
        Trial.id,
        Trial.round,
        Trial.status,
        Trial.failure_code,
        MeasurementRecord.metric,
        MeasurementRecord.subject,
        MeasurementRecord.value,
    )
    .outerjoin(
        MeasurementRecord,
        and_(MeasurementRecord.trial_id == Trial.id, Trial.status.in_(MEASURED)),
    )
    .where(Trial.organization_id == bindparam("organization_id"), among(Trial.run_id, "run_ids"))
    .order_by(Trial.id, MeasurementRecord.metric, MeasurementRecord.subject)
    .execution_options(yield_per=_PORTION)
)
_CASES = (
    select(CaseRecord.id, CaseRecord.run_id, CaseRecord.key, CaseRecord.point)
    .where(
        CaseRecord.organization_id == bindparam("organization_id"),
        among(CaseRecord.run_id, "run_ids"),
    )
    .order_by(CaseRecord.position, CaseRecord.id)
)


class RowRepository(OrganizationRepository):
    """What is stored of one organization's trials."""

    def cases(
        self, run_ids: Collection[uuid.UUID]
    ) -> list[tuple[int, uuid.UUID, str, dict[str, str | int]]]:
        """(id, run, key, point) of the runs' cases, in matrix order."""
        found = self.session.execute(_CASES, self._parameters(run_ids))
        return [(id_, run_id, key, point) for id_, run_id, key, point in found]

    def stored(
        self, run_ids: Collection[uuid.UUID]
    ) -> Iterator[
        tuple[int, int, int, TrialStatus, str | None, str | None, str | None, float | None]
    ]:
        """(case, trial, round, status, failure code, metric, subject, value), trial by trial.

        A trial without measurements is there once, with None for the last three.
        """
        for row in self.session.execute(_ROWS, self._parameters(run_ids)):
            case, trial, round_, status, failure, metric, subject, value = row
            yield case, trial, round_, status, failure, metric, subject, value
