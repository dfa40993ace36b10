"""GET /search."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import TypeAdapter

from podmeter.services.search.search import SearchAnswer, search
from podmeter_api.documents import answer
from podmeter_api.marks.list_filters import Words
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/search", tags=["search"])
_DOCUMENT = TypeAdapter(SearchAnswer)


@router.get("", operation_id="search", response_model=SearchAnswer)
def search_everything(
    principal: Viewer,
    work: WorkDep,
    q: Words,
    limit: Annotated[int, Query(ge=1, le=50, description="of each sort of things at most")] = 10,
) -> Response:
    """What has all of the words, of clusters, experiments, runs, comparisons and snapshots.

    Of each sort the newest first. No words find nothing. Lists take the same `q`, and page.
    """
    return answer(_DOCUMENT, search(work, principal, q, limit))
