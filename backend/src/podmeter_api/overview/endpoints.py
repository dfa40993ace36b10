"""GET /overview, GET /overview/changes."""

from fastapi import APIRouter, Response
from pydantic import TypeAdapter

from podmeter.services.changes.document import LatestChanges
from podmeter.services.changes.latest import latest_changes
from podmeter.services.overview.costs import overview
from podmeter.services.overview.document import Overview
from podmeter_api.documents import answer
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import ComputeSlot, WorkDep

router = APIRouter(prefix="/overview", tags=["overview"])
_DOCUMENT = TypeAdapter(Overview)
_CHANGES = TypeAdapter(LatestChanges)


@router.get("", operation_id="get_overview", response_model=Overview, dependencies=[ComputeSlot])
def get_overview(principal: Viewer, work: WorkDep) -> Response:
    """What each cluster's network costs, as its latest run of each kind found it."""
    return answer(_DOCUMENT, overview(work, principal))


@router.get(
    "/changes",
    operation_id="get_latest_changes",
    response_model=LatestChanges,
    dependencies=[ComputeSlot],
)
def get_latest_changes(principal: Viewer, work: WorkDep) -> Response:
    """What changed on each cluster: its latest runs against those before, and what it is like now.

    Clusters of which there is nothing to tell are left out.
    """
    return answer(_CHANGES, latest_changes(work, principal))
