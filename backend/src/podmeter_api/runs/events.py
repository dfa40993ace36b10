"""/runs/{id}/events: what happens in a run, as it happens (SSE), from any event on."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header
from fastapi.concurrency import run_in_threadpool
from sse_starlette import EventSourceResponse, ServerSentEvent

from podmeter.db.models import RunEvent
from podmeter.domain.messages import say
from podmeter.services.accounts.principal import Principal
from podmeter.services.accounts.standing import stands
from podmeter.services.errors import AuthenticationError, NotFoundError
from podmeter.services.runs import read
from podmeter.services.work import Work
from podmeter_api.runs.event_schemas import AnyEvent, EndEvent, event_of
from podmeter_api.security import Viewer
from podmeter_api.state import AppState, get_state
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/runs/{run_id}", tags=["runs"])
POLL_SECONDS = 0.5
PING_SECONDS = 15
_STREAM = {
    "type": "string",
    "description": "server-sent events; the `data` of each is JSON of the schema named here",
    "contentMediaType": "application/json",
    "contentSchema": {"$ref": "#/components/schemas/RunEvent"},
}


@router.get(
    "/events",
    operation_id="stream_events",
    response_class=EventSourceResponse,
    responses={200: {"content": {"text/event-stream": {"schema": _STREAM}}}},
)
def stream_events(
    run_id: uuid.UUID,
    principal: Viewer,
    work: WorkDep,
    state: Annotated[AppState, Depends(get_state)],
    last_event_id: Annotated[
        str | None, Header(description="the id of the last event seen; what follows is sent")
    ] = None,
) -> EventSourceResponse:
    """The run's events, those already past first. Ends with an event `end` after the last one.

    Each has the id that Last-Event-ID takes, an event type (state, block, case, trial, log,
    cancel_requested) and as data the RunEvent of that `type`.
    """
    read.get(work, principal, run_id)
    seen = int(last_event_id) if last_event_id and _is_number(last_event_id) else 0
    return EventSourceResponse(_events(state, principal, run_id, seen), ping=PING_SECONDS)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _sent(event: AnyEvent, number: str | None = None) -> ServerSentEvent:
    return ServerSentEvent(id=number, event=event.type, data=event.model_dump_json())


async def _events(
    state: AppState, principal: Principal, run_id: uuid.UUID, seen: int
) -> AsyncIterator[ServerSentEvent]:
    """Reads the database anew for each portion, so no connection is held while nothing happens.

    Ends without a word where who asked is not let in any more: asking again says why.
    """

    def portion() -> tuple[list[RunEvent], bool]:
        with state.sessions() as session:
            work = Work(session)
            if not stands(work, principal):
                raise AuthenticationError(say("not_logged_in"))
            rows, over = read.events_after(work, principal.organization_id, run_id, seen)
            return list(rows), over

    while True:
        try:
            rows, over = await run_in_threadpool(portion)
        except AuthenticationError:
            return
        except NotFoundError:  # deleted while it was watched
            rows, over = [], True
        for row in rows:
            seen = row.number
            if event := event_of(row):
                yield _sent(event, str(row.number))
        if over:
            yield _sent(EndEvent())
            return
        if not rows:
            await asyncio.sleep(POLL_SECONDS)
