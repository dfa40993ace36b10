"""/runs/{id}/trials and /runs/{id}/measurements."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import ValidationError

from podmeter.db.repositories.trials import MeasurementFilter
from podmeter.domain.stored import StoredDocumentError
from podmeter.domain.trial import TrialStatus
from podmeter.services.runs import read
from podmeter_api.fields import RowId
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.runs.trial_schemas import MeasurementView, TrialDetail, TrialSummary
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/runs/{run_id}", tags=["runs"])
CaseId = Annotated[int | None, Query(ge=1, lt=2**63)]


@router.get("/trials", operation_id="list_trials")
def list_trials(
    run_id: uuid.UUID,
    principal: Viewer,
    work: WorkDep,
    page: PageDep,
    case_id: CaseId = None,
    status: Annotated[TrialStatus | None, Query()] = None,
) -> ListOf[TrialSummary]:
    """A run's trials in the order they were stored, those that failed or are void included."""
    return listed(read.trials(work, principal, run_id, case_id, status, page), TrialSummary.of)


@router.get("/trials/{trial_id}", operation_id="get_trial")
def get_trial(run_id: uuid.UUID, trial_id: RowId, principal: Viewer, work: WorkDep) -> TrialDetail:
    """One trial with its commands, raw output, measurements and series."""
    view = read.trial(work, principal, run_id, trial_id)
    try:
        return TrialDetail.of_view(view)
    except ValidationError as error:
        raise StoredDocumentError("trial") from error


@router.get("/measurements", operation_id="list_measurements")
def list_measurements(
    run_id: uuid.UUID,
    principal: Viewer,
    work: WorkDep,
    page: PageDep,
    metric: Annotated[str | None, Query(pattern=r"^[a-z][a-z0-9_]{0,63}$")] = None,
    case_id: CaseId = None,
    status: Annotated[TrialStatus | None, Query()] = None,
) -> ListOf[MeasurementView]:
    """A run's measurements, trial by trial; only those with status `counted` are in samples."""
    wanted = MeasurementFilter(metric, case_id, status)
    return listed(read.measurements(work, principal, run_id, wanted, page), MeasurementView.of)
