"""GET /kinds."""

from fastapi import APIRouter

from podmeter.kinds.registry import KINDS
from podmeter_api.kinds.schemas import KindView
from podmeter_api.paging import ListOf
from podmeter_api.security import Viewer

router = APIRouter(prefix="/kinds", tags=["experiments"])


@router.get("", operation_id="list_kinds")
def list_kinds(_: Viewer) -> ListOf[KindView]:
    """The kinds of experiment that this version runs."""
    return ListOf(items=[KindView.of(kind) for kind in KINDS.values()], next_cursor=None)
