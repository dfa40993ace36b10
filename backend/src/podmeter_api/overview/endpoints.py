"""GET /overview."""

from fastapi import APIRouter, Response
from pydantic import TypeAdapter

from podmeter.services.overview.costs import overview
from podmeter.services.overview.document import Overview
from podmeter_api.documents import answer
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import InTurn, WorkDep

router = APIRouter(prefix="/overview", tags=["overview"])
_DOCUMENT = TypeAdapter(Overview)


@router.get("", operation_id="get_overview", response_model=Overview, dependencies=[InTurn])
def get_overview(principal: Viewer, work: WorkDep) -> Response:
    """What each cluster's network costs, as its latest run of each kind found it."""
    return answer(_DOCUMENT, overview(work, principal))
