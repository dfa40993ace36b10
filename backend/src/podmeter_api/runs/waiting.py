"""GET /runs/{id}: a run with its ETag, at once or when it has finished.

Who waits holds neither a thread nor a connection of the database: the process's one watch wakes
all who wait for runs.
"""

import asyncio
import hashlib
import uuid
from contextlib import aclosing
from http import HTTPStatus
from typing import Any

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import TypeAdapter
from starlette.types import Receive, Scope, Send

from podmeter.db.scopes import restrict_session
from podmeter.domain.messages import say
from podmeter.services.accounts.active_principals import active_principals
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import AuthenticationError
from podmeter.services.runs import read
from podmeter.services.work import Work
from podmeter_api.callers import caller_of
from podmeter_api.documents import MEDIA_TYPE
from podmeter_api.lanes import lanes_of
from podmeter_api.runs.events import refusal
from podmeter_api.runs.schemas import RunDetail
from podmeter_api.runs.watch import RunWatch
from podmeter_api.state import state_of

#: The longest wait: proxies end a request that is silent for longer.
MOST_SECONDS = 60
_DETAIL = TypeAdapter(RunDetail)


def shown(work: Work, principal: Principal, run_id: uuid.UUID, known: str | None) -> Response:
    """The run, or 304 where `known`, of If-None-Match, is what it still is.

    Raises NotFoundError.
    """
    view = read.get(work, principal, run_id)
    left = read.left(work, principal, view.run)
    detail = RunDetail.with_blocks(view, read.blocks(work, principal, run_id), left)
    content = _DETAIL.dump_json(detail)
    # Of what is shown: progress and the place in the queue change without a change of the run.
    headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()[:32]}"'}
    if known is not None and headers["ETag"] in known:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, HTTPStatus.OK, headers, MEDIA_TYPE)


class Awaited(Response):
    """Answers once the run has finished, or after so many seconds, with the run as it is then."""

    def __init__(
        self, request: Request, principal: Principal, run_id: uuid.UUID, seen: int, seconds: float
    ) -> None:
        """`seen` is the number of the run's last event."""
        super().__init__()
        self._request, self._principal, self._run_id = request, principal, run_id
        self._seen, self._seconds = seen, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wait and respond; refuse more waits than a user may have, as for streams."""
        watch: RunWatch = self._request.app.state.run_watch
        with watch.place(self._principal.user_id) as free:
            if not free:
                await refusal(watch)(scope, receive, send)
                return
            if await self._is_left(watch, receive):
                return
        async with lanes_of(self._request).work.place(caller_of(self._request)):
            answer = await run_in_threadpool(self._now)
        await answer(scope, receive, send)

    async def _is_left(self, watch: RunWatch, receive: Receive) -> bool:
        """Wait; whether the client has gone meanwhile."""
        over, left = asyncio.create_task(self._over(watch)), asyncio.create_task(_left(receive))
        try:
            ended, _ = await asyncio.wait(
                {over, left}, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            over.cancel()
            left.cancel()
            await asyncio.gather(over, left, return_exceptions=True)
        return left in ended

    async def _over(self, watch: RunWatch) -> None:
        events = watch.follow(self._principal, self._run_id, self._seen)
        async with aclosing(events) as portions:
            async for _, over in portions:
                if over:
                    return

    def _now(self) -> Response:
        """Raises AuthenticationError for who is not let in any more, NotFoundError."""
        with state_of(self._request).reading() as session:
            work = Work(session)
            if self._principal not in active_principals(work, {self._principal}):
                raise AuthenticationError(say("not_logged_in"))
            if self._principal.scope is not None:
                restrict_session(session, self._principal.scope)
            return shown(work, self._principal, self._run_id, None)


async def _left(receive: Receive) -> None:
    message: Any = await receive()
    while message["type"] != "http.disconnect":
        message = await receive()
