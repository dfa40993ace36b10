"""Idempotency-Key: a POST repeated with its key gets the first answer again, not a second effect.

The key is taken and the answer kept in the request's own transaction. So a key exists exactly
if its effect does, and a second request with it waits until the first has ended. Answers that
are errors undo the transaction and are not kept: the repeated request is tried again.
"""

import hashlib
from collections.abc import Callable, Coroutine
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute

from podmeter.credentials.envelope import seal, unseal
from podmeter.db.base import now
from podmeter.db.models import IdempotencyKey
from podmeter.db.repositories.idempotency import IdempotencyRepository
from podmeter.domain.messages import say
from podmeter.services.keys.sealed import answer_binding
from podmeter_api.errors import HttpProblemError
from podmeter_api.problems import Fault
from podmeter_api.security import PrincipalDep
from podmeter_api.state import AppState, state_of
from podmeter_api.unit_of_work import WorkDep


class AnsweredBeforeError(Exception):
    """The key was used before; carries the answer it got."""

    def __init__(self, response: Response) -> None:
        self.response = response


class IdempotentRoute(APIRoute):
    """A route that keeps its answer with the key the request took, and gives it again."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, wrapped."""
        handle = super().get_route_handler()

        async def keeping(request: Request) -> Response:
            try:
                response = await handle(request)
            except AnsweredBeforeError as before:
                return before.response
            taken: IdempotencyKey | None = getattr(request.state, "idempotency_key", None)
            if taken is not None:
                # Only sets fields: the unit of work writes them when it commits, after this.
                _keep(taken, response, state_of(request))
            return response

        return keeping


async def idempotent(
    request: Request,
    principal: PrincipalDep,
    work: WorkDep,
    idempotency_key: Annotated[
        str | None,
        Header(
            min_length=1,
            max_length=200,
            pattern=r"^[\x21-\x7e]+$",
            description="unique for this request; repeated with it, the first answer is given",
        ),
    ] = None,
) -> None:
    """Take the request's key, or answer as before."""
    if idempotency_key is None:
        return
    digest = hashlib.sha256(
        b"\n".join(
            [
                request.method.encode(),
                str(request.url.path).encode(),
                # The answer to another credential of the user may tell of what this one does not
                # reach, or hold a secret that it may not get.
                repr((principal.scope, principal.role, principal.session_id is not None)).encode(),
                await request.body(),
            ]
        )
    ).digest()
    state = state_of(request)
    keys = IdempotencyRepository(work.session, principal.organization_id, principal.user_id)
    expires = now() + timedelta(hours=state.settings.idempotency_hours)
    before = await run_in_threadpool(keys.claim, idempotency_key, digest, expires)
    if before is None:
        request.state.idempotency_key = await run_in_threadpool(keys.row, idempotency_key)
        return
    if before.request_hash != digest:
        raise HttpProblemError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "idempotency_key_reused",
            say("key_reused"),
            Fault.at(say("key_reused"), header="Idempotency-Key"),
        )
    request.state.answered_before = True
    raise AnsweredBeforeError(_answer(before, state))


Idempotent = Depends(idempotent)


def _keep(row: IdempotencyKey, response: Response, state: AppState) -> None:
    row.status = response.status_code
    row.location = response.headers.get("location")
    row.etag = response.headers.get("etag")
    row.body = seal(bytes(response.body), answer_binding(row), state.keys)


def _answer(row: IdempotencyKey, state: AppState) -> Response:
    if row.status is None or row.body is None:
        raise RuntimeError("an idempotency key was committed without its answer")
    headers = {"Idempotency-Replayed": "true"}
    headers |= {"Location": row.location} if row.location else {}
    headers |= {"ETag": row.etag} if row.etag else {}
    body = unseal(row.body, answer_binding(row), state.keys)
    return Response(body, row.status, headers, media_type="application/json" if body else None)
