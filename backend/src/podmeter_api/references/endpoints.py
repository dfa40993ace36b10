"""/references: list and read. They are part of this version; nobody changes them."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import TypeAdapter

from podmeter.domain.experiment import KindName
from podmeter.services.references import read
from podmeter.services.references.document import ReferenceDocument, ReferenceSummary
from podmeter.services.reproduction.document import Reproduction
from podmeter.services.reproduction.read import reproduction
from podmeter_api.documents import answer
from podmeter_api.paging import ListOf
from podmeter_api.problems import may
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import ComputeSlot, WorkDep

router = APIRouter(prefix="/references", tags=["references"])

_REPRODUCTION = TypeAdapter(Reproduction)
_Id = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]


@router.get("", operation_id="list_references")
def list_references(
    _: Viewer,
    kind: Annotated[KindName | None, Query(description="a kind of experiment")] = None,
) -> ListOf[ReferenceSummary]:
    """Published result sets, each with its citation."""
    return ListOf(items=read.page(kind), next_cursor=None)


@router.get("/{reference_id}", operation_id="get_reference", responses=may(404))
def get_reference(reference_id: _Id, _: Viewer) -> ReferenceDocument:
    """A published result set: its tables as printed, its claims beside what their figures give."""
    return read.get(reference_id)


@router.get(
    "/{reference_id}/reproduction",
    operation_id="get_reproduction",
    responses=may(404),
    response_model=Reproduction,
    # The turn comes first: anyone who waits for it holds no connection.
    dependencies=[ComputeSlot],
)
def get_reproduction(
    reference_id: _Id,
    principal: Viewer,
    work: WorkDep,
    run_id: Annotated[
        list[uuid.UUID],
        Query(min_length=1, max_length=10, description="runs of the article's experiments"),
    ],
) -> Response:
    """The tables of a published result set beside our own, and its claims of our figures.

    No claim is said to hold, or not to, beyond what the comparison of its two sides says.
    """
    return answer(_REPRODUCTION, reproduction(work, principal, reference_id, run_id))
