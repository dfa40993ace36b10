"""GET /audit and GET /audit/export."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime

from podmeter.db.repositories.audit import AuditFilter
from podmeter.services.accounts.principal import Principal
from podmeter.services.audit import read
from podmeter.services.audit.read import LogFormat, Portion
from podmeter.services.work import Work
from podmeter_api.audit.schemas import AuditEntryView
from podmeter_api.callers import caller_of
from podmeter_api.lanes import lanes_of
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.problems import may
from podmeter_api.security import Admin
from podmeter_api.state import state_of
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
    work: WorkDep,
    request: Request,
    wanted: Wanted,
    format_: Annotated[
        LogFormat, Query(alias="format", description="jsonl is one JSON object a line")
    ] = LogFormat.JSON_LINES,
) -> Response:
    """All these entries as a file, the latest first; for the organization's administrators."""
    first = read.portion(work, principal, wanted, format_, None)
    portions = _portions(first, request, principal, wanted, format_)
    disposition = f'attachment; filename="audit.{format_}"'
    return StreamingResponse(
        portions, media_type=_MEDIA_TYPES[format_], headers={"Content-Disposition": disposition}
    )


async def _portions(
    first: Portion, request: Request, principal: Principal, wanted: AuditFilter, format_: LogFormat
) -> AsyncIterator[str]:
    """The file. What follows its first portion is read while it is sent, after the request's own
    unit of work has ended.

    Each portion takes a place as a request does, and gives it and its connection back before the
    portion is sent: a client may read as slowly as it likes.
    """

    def read_next(cursor: str) -> Portion:
        with state_of(request).reading() as session:
            return read.portion(Work(session), principal, wanted, format_, cursor)

    lane, caller = lanes_of(request).work, caller_of(request)
    text, cursor = first
    yield text
    while cursor is not None:
        async with lane.place(caller):
            text, cursor = await run_in_threadpool(read_next, cursor)
        yield text
