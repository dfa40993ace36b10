"""/references: list and read. They are part of this version; nobody changes them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from podmeter.domain.experiment import KindName
from podmeter.services.references import read
from podmeter.services.references.document import ReferenceDocument, ReferenceSummary
from podmeter_api.paging import ListOf
from podmeter_api.problems import may
from podmeter_api.security import Viewer

router = APIRouter(prefix="/references", tags=["references"])

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
