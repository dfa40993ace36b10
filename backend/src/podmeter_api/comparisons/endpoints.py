"""/comparisons: make, list, read, delete."""

import uuid
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import TypeAdapter

from podmeter.services.comparisons import compare
from podmeter.services.comparisons.document import (
    Comparison,
    ComparisonSummary,
    ShownComparison,
)
from podmeter.statistics import METHOD_VERSION
from podmeter_api.comparisons.schemas import NewComparison
from podmeter_api.documents import answer
from podmeter_api.fields import OfferedKind
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.marks.list_filters import SearchQueryDep
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.problems import may
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import ComputeSlot, WorkDep

router = APIRouter(prefix="/comparisons", tags=["comparisons"], route_class=IdempotentRoute)
_SHOWN = TypeAdapter(ShownComparison)


@router.post(
    "",
    operation_id="create_comparison",
    responses=may(404),
    status_code=HTTPStatus.CREATED,
    response_model=Comparison,
    # The turn comes first: anyone who waits for it holds no connection.
    dependencies=[ComputeSlot, Idempotent],
)
def create_comparison(body: NewComparison, principal: Viewer, work: WorkDep) -> Response:
    """Compare contenders with a baseline, and keep it as it is now.

    What may not be compared is refused contender by contender, with the fields that differ.
    """
    found = compare.create(work, principal, body.request())
    headers = {"Location": f"/api/v1/comparisons/{found.id}"}
    return answer(compare.DOCUMENT, found, headers, HTTPStatus.CREATED)


@router.get("", operation_id="list_comparisons")
def list_comparisons(
    principal: Viewer,
    work: WorkDep,
    page: PageDep,
    wanted: SearchQueryDep,
    run_id: Annotated[uuid.UUID | None, Query(description="a run that a side is of")] = None,
    kind: Annotated[OfferedKind | None, Query()] = None,
) -> ListOf[ComparisonSummary]:
    """Comparisons, newest first unless `sort` says otherwise."""
    found = compare.page(work, principal, page, wanted, run_id=run_id, kind=kind)
    return listed(found, lambda one: one)


@router.get("/{comparison_id}", operation_id="get_comparison", response_model=ShownComparison)
def get_comparison(comparison_id: uuid.UUID, principal: Viewer, work: WorkDep) -> Response:
    """A comparison as it was made; it changes neither with its runs nor with the method.

    An `outdated` comparison was computed by an older method: post its sides again for a new one.
    """
    found = compare.get(work, principal, comparison_id)
    return answer(_SHOWN, ShownComparison.of(found, METHOD_VERSION))


@router.delete(
    "/{comparison_id}", operation_id="delete_comparison", status_code=HTTPStatus.NO_CONTENT
)
def delete_comparison(comparison_id: uuid.UUID, principal: Viewer, work: WorkDep) -> None:
    """Delete a comparison, as an operator or as the person who made it; snapshots of it stay."""
    compare.delete(work, principal, comparison_id)
