"""/runs/{id}/events: what happens in a run, as it happens (SSE), from any event on."""

import re
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import ASGIApp, Receive, Scope, Send

from podmeter.domain.messages import say
from podmeter.services.accounts.principal import Principal
from podmeter.services.runs import read
from podmeter_api.callers import caller_in
from podmeter_api.problems import problem
from podmeter_api.runs.event_schemas import AnyEvent, EndEvent, event_of
from podmeter_api.runs.watch import RunWatch
from podmeter_api.security import Viewer
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/runs/{run_id}", tags=["runs"])
PING_SECONDS = 15
_EVENTS = re.compile(r"/api/v1/runs/[^/]+/events")
_STREAM = {
    "type": "string",
    "description": "server-sent events; the `data` of each is JSON of the schema named here",
    "contentMediaType": "application/json",
    "contentSchema": {"$ref": "#/components/schemas/RunEvent"},
}


class StreamLimit:
    """Refuses a known user's stream too many before it is routed, or the database is asked."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or hand on."""
        if scope["type"] == "http" and _EVENTS.fullmatch(scope["path"]):
            caller, watch = caller_in(scope), scope["app"].state.run_watch
            if caller.known and watch.is_full(caller.name):
                await refusal(watch)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def refusal(watch: RunWatch) -> Response:
    """The answer to a stream, or a wait, that is too many for its user."""
    return problem(
        HTTPStatus.TOO_MANY_REQUESTS,
        "too_many_streams",
        say("streams_too_many", most=watch.per_user),
        headers={"Retry-After": "5"},
    )


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
    request: Request,
    last_event_id: Annotated[
        str | None, Header(description="the id of the last event seen; what follows is sent")
    ] = None,
) -> EventSourceResponse:
    """The run's events, those already past first. Ends with an event `end` after the last one.

    Each has the id that Last-Event-ID takes, an event type (state, block, case, trial, log,
    cancel_requested) and as data the RunEvent of that `type`. A user may have so many streams open
    (PODMETER_STREAMS_PER_USER in each process); one more is answered with 429, code
    `too_many_streams`: poll the run instead.
    """
    read.get(work, principal, run_id)
    seen = int(last_event_id) if last_event_id and _is_number(last_event_id) else 0
    return _Stream(request.app.state.run_watch, principal, run_id, seen)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _sent(event: AnyEvent, number: str | None = None) -> ServerSentEvent:
    return ServerSentEvent(id=number, event=event.type, data=event.model_dump_json())


class _Stream(EventSourceResponse):
    """Counts as one of its user's streams as long as it is open; one too many is refused."""

    def __init__(self, watch: RunWatch, principal: Principal, run_id: uuid.UUID, seen: int) -> None:
        super().__init__(_events(watch, principal, run_id, seen), ping=PING_SECONDS)
        self._watch, self._user_id = watch, principal.user_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream, or the refusal."""
        with self._watch.place(self._user_id) as free:
            if free:
                await super().__call__(scope, receive, send)
                return
        await refusal(self._watch)(scope, receive, send)


async def _events(
    watch: RunWatch, principal: Principal, run_id: uuid.UUID, seen: int
) -> AsyncIterator[ServerSentEvent]:
    """Ends without a word where who asked is not let in any more: asking again says why."""
    async with aclosing(watch.follow(principal, run_id, seen)) as portions:
        async for rows, over in portions:
            for row in rows:
                if event := event_of(row):
                    yield _sent(event, str(row.number))
            if over:
                yield _sent(EndEvent(type="end"))
