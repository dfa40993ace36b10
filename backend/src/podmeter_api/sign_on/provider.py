"""Asking the provider, before and outside of the request's unit of work.

A provider that is slow holds no connection to the database, and few threads, which are its own.
"""

import secrets
from collections.abc import Callable
from typing import Annotated, TypeVar

import redis
from fastapi import Depends, Request, Response
from fastapi.concurrency import run_in_threadpool

from podmeter.domain.messages import say
from podmeter.services.errors import ConflictError
from podmeter.services.sign_on.attempt import LIFETIME, Attempt, unsealed
from podmeter.services.sign_on.errors import SignOnRefusedError
from podmeter.services.sign_on.flow import Answer, SignOn
from podmeter.services.sign_on.identity import Identity
from podmeter_api.callers import caller_of
from podmeter_api.lanes import lanes_of
from podmeter_api.rate_limit import LoginDelay, broker_needed, login_limit
from podmeter_api.security import browser_of, check_origin, is_secure
from podmeter_api.sign_on.schemas import NewSignOn, SignOnAnswer
from podmeter_api.state import AppState, StateDep

#: A browser may have begun in several windows: each has its own, by the beginning of its state.
_COOKIE = "podmeter_sign_on_"
_PATH = "/api/v1/auth/sign-on"
#: Unfinished sign-ons that a browser keeps. Their cookies must fit into the headers of a request.
_MAX_UNFINISHED = 10
_T = TypeVar("_T")


async def own_origin(request: Request, state: StateDep) -> None:
    """Raises HttpProblemError for a request that another origin's page makes."""
    check_origin(request, state.settings.public_url)


async def _begun(body: NewSignOn, request: Request, response: Response, state: StateDep) -> str:
    """Where the browser goes; it keeps what it began. Raises ConflictError, ProviderError."""
    sign_on = _sign_on(state)
    location, attempt = await _asked(
        request, lambda: sign_on.begin(body.next, new_account=body.new_account)
    )
    unfinished = [name for name in request.cookies if name.startswith(_COOKIE)]
    if len(unfinished) >= _MAX_UNFINISHED:
        for name in unfinished:
            _forget(response, name)
    response.set_cookie(
        _cookie(attempt.state),
        attempt.sealed(state.keys),
        max_age=LIFETIME,
        httponly=True,
        samesite="lax",
        secure=is_secure(request, state.settings.public_url),
        path=_PATH,
    )
    return location


async def _answered(
    body: SignOnAnswer, request: Request, response: Response, state: StateDep
) -> "Answered":
    """Whom the provider let in. Raises ConflictError, ProviderError, HttpProblemError.

    An attempt counts once, whatever comes of it.
    """
    sign_on = _sign_on(state)
    attempt = unsealed(request.cookies.get(_cookie(body.state), ""), state.keys)
    _forget(response, _cookie(body.state))
    limit, address = login_limit(state), browser_of(request).address
    turns: LoginDelay = request.app.state.login_turns
    await turns.wait(address)

    def ask() -> Answered:
        with limit.counting(address):
            known = attempt is not None and _is_same(attempt.state, body.state)
            if attempt is None or not known or not _first(state.redis, attempt):
                minutes = LIFETIME // 60
                raise SignOnRefusedError(say("sign_on_unknown", minutes=minutes))
        code = body.code.get_secret_value() if body.code else None
        try:
            identity = sign_on.finish(attempt, Answer(code, body.error, body.iss))
        except SignOnRefusedError as refused:
            # Nobody guessed; that it is not done without end counts by the address alone.
            limit.failed(address, None)
            return Answered(attempt, refused)
        return Answered(attempt, identity)

    return await _asked(request, ask)


class Answered:
    """What came of an attempt: who it was, or why nobody is let in."""

    def __init__(self, attempt: Attempt, found: Identity | SignOnRefusedError) -> None:
        self.way_back, self.new_account = attempt.way_back, attempt.new_account
        self.found = found


Begun = Annotated[str, Depends(_begun)]
AnsweredDep = Annotated[Answered, Depends(_answered)]


def _sign_on(state: AppState) -> SignOn:
    if state.sign_on is None:
        raise ConflictError(say("sign_on_off"))
    return state.sign_on


async def _asked(request: Request, ask: Callable[[], _T]) -> _T:
    async with lanes_of(request).provider.place(caller_of(request)):
        return await run_in_threadpool(ask)


def _is_same(state: str, sent: str) -> bool:
    # As bytes: `compare_digest` takes no text but ASCII, and what was sent may be any.
    return secrets.compare_digest(state.encode(), sent.encode())


def _first(client: redis.Redis, attempt: Attempt) -> bool:
    """Whether it was not finished before; noted for as long as it could be tried again."""
    with broker_needed():
        return bool(client.set(f"podmeter:sign_on:{attempt.digest}", 1, nx=True, ex=LIFETIME))


def _forget(response: Response, cookie: str) -> None:
    response.delete_cookie(cookie, path=_PATH, httponly=True, samesite="lax")


def _cookie(state: str) -> str:
    plain = "".join(one for one in state[:12] if one.isalnum() and one.isascii())
    return f"{_COOKIE}{plain}"


__all__ = ["AnsweredDep", "Begun", "own_origin"]
