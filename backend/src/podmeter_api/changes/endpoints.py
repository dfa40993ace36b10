"""GET /runs/{id}/changes."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import TypeAdapter

from podmeter.services.changes.document import RunChanges
from podmeter.services.changes.runs import of_run
from podmeter_api.documents import answer
from podmeter_api.problems import may
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import ComputeSlot, WorkDep

router = APIRouter(prefix="/runs/{run_id}", tags=["runs"])
_DOCUMENT = TypeAdapter(RunChanges)


@router.get(
    "/changes",
    operation_id="get_run_changes",
    response_model=RunChanges,
    responses=may(409),
    dependencies=[ComputeSlot],
)
def get_run_changes(
    run_id: uuid.UUID,
    principal: Viewer,
    work: WorkDep,
    since_run_id: Annotated[
        uuid.UUID | None,
        Query(
            description="another run of the same experiment; without, the one before it on the "
            "same clusters"
        ),
    ] = None,
) -> Response:
    """What changed in a run since an earlier one: verdicts that turned, figures, environment."""
    return answer(_DOCUMENT, of_run(work, principal, run_id, since_run_id))
