"""GET /audit and GET /audit/export."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime

from podmeter.db.repositories.audit import AuditFilter
from podmeter.services.audit import read
from podmeter.services.audit.read import LogFormat
from podmeter_api.audit.schemas import AuditEntryView
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.problems import may
from podmeter_api.security import Admin
from podmeter_api.state import AppState, get_state
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/audit", tags=["accounts"])

_MEDIA_TYPES = {
    LogFormat.CSV: "text/csv; charset=utf-8; header=present",
    LogFormat.JSON_LINES: "application/jsonl",
}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "content": {
            media_type.partition(";")[0]: {"schema": {"type": "string"}}
            for media_type in _MEDIA_TYPES.values()
        },
    }
}
#: PostgreSQL stores no NUL.
_TEXT = r"^[^\x00]+$"


async def _wanted(
    who: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=320,
            pattern=_TEXT,
            description="a part of the user's address or the token's name, or the id of either",
        ),
    ] = None,
    operation: Annotated[str | None, Query(max_length=64, pattern=_TEXT)] = None,
    object_kind: Annotated[str | None, Query(max_length=32, pattern=_TEXT)] = None,
    object_named: Annotated[
        str | None,
        Query(
            alias="object",
            min_length=1,
            max_length=320,
            pattern=_TEXT,
            description="a part of the object's name, or its id",
        ),
    ] = None,
    refused: Annotated[bool | None, Query()] = None,
    since: Annotated[AwareDatetime | None, Query(description="from then on")] = None,
    until: Annotated[AwareDatetime | None, Query(description="before then")] = None,
) -> AuditFilter:
    return AuditFilter(who, operation, object_kind, object_named, refused, since, until)


Wanted = Annotated[AuditFilter, Depends(_wanted)]


@router.get("", operation_id="list_audit", responses=may(403))
def list_audit(
    principal: Admin, work: WorkDep, page: PageDep, wanted: Wanted
) -> ListOf[AuditEntryView]:
    """Who did what in the organization, the latest first; for its administrators."""
    return listed(read.page(work, principal, wanted, page), AuditEntryView.of)


@router.get(
    "/export",
    operation_id="export_audit",
    response_class=Response,
    responses=_FILE | may(403),
)
def export_audit(
    principal: Admin,
    state: Annotated[AppState, Depends(get_state)],
    wanted: Wanted,
    format_: Annotated[
        LogFormat, Query(alias="format", description="jsonl is one JSON object a line")
    ] = LogFormat.JSON_LINES,
) -> Response:
    """All these entries as a file, the latest first; for the organization's administrators."""
    lines = read.lines(state.sessions, principal, wanted, format_)
    disposition = f'attachment; filename="audit.{format_}"'
    return StreamingResponse(
        lines, media_type=_MEDIA_TYPES[format_], headers={"Content-Disposition": disposition}
    )
