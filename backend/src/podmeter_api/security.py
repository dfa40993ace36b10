"""Who is asking: a browser by its session cookie, a program by its token."""

import hashlib
import hmac
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyCookie, APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer

from podmeter.db.models import Role
from podmeter.domain.messages import say
from podmeter.services.accounts import login, tokens
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import AuthenticationError
from podmeter_api.errors import HttpProblemError
from podmeter_api.problems import Fault
from podmeter_api.unit_of_work import WorkDep

COOKIE = "podmeter_session"
CSRF_HEADER = "X-CSRF-Token"
_SAFE = {"GET", "HEAD", "OPTIONS"}

bearer = HTTPBearer(auto_error=False, description="An API token", scheme_name="token")
cookie = APIKeyCookie(
    name=COOKIE, auto_error=False, scheme_name="session", description="A browser's login"
)
csrf = APIKeyHeader(
    name=CSRF_HEADER,
    auto_error=False,
    scheme_name="csrf",
    description="With a session, on everything that changes something: `csrf_token` of /me",
)


def csrf_token(session_token: str) -> str:
    """The CSRF token of a session: follows from the cookie, which no other origin can read."""
    return hashlib.sha256(b"podmeter-csrf:" + session_token.encode()).hexdigest()


def check_origin(request: Request, public_url: str) -> None:
    """Refuse a browser's request from another origin. Raises HttpProblemError."""
    origin = request.headers.get("origin")
    if origin is None:
        return
    known = urlsplit(public_url)
    allowed = {f"{known.scheme}://{known.netloc}", f"{request.url.scheme}://{request.url.netloc}"}
    if origin not in allowed:
        raise HttpProblemError(
            HTTPStatus.FORBIDDEN,
            "origin",
            say("origin_refused", origin=origin),
            Fault.at(say("origin_another"), header="Origin"),
        )


def get_principal(
    request: Request,
    work: WorkDep,
    token: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)],
    session_token: Annotated[str | None, Security(cookie)],
    csrf_header: Annotated[str | None, Security(csrf)],
) -> Principal:
    """Whoever asks. Raises AuthenticationError when nobody known does."""
    if token is not None:
        return tokens.authenticate(work, token.credentials)
    if session_token is None:
        raise AuthenticationError(say("not_logged_in"))
    principal = login.authenticate(work, session_token)
    if request.method not in _SAFE:
        check_origin(request, request.app.state.podmeter.settings.public_url)
        expected = csrf_token(session_token)
        if csrf_header is None or not hmac.compare_digest(csrf_header.encode(), expected.encode()):
            raise HttpProblemError(
                HTTPStatus.FORBIDDEN,
                "csrf",
                say("csrf_needed", header=CSRF_HEADER),
                Fault.at(say("csrf_wrong"), header=CSRF_HEADER),
            )
    return principal


def known_unless(everybody: Callable[[Request], bool]) -> Callable[..., None]:
    """A dependency for what is not everybody's: someone known asks, or `everybody` says it is."""

    def check(
        request: Request,
        work: WorkDep,
        token: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)],
        session_token: Annotated[str | None, Security(cookie)],
    ) -> None:
        if not everybody(request):
            get_principal(request, work, token, session_token, None)

    return check


PrincipalDep = Annotated[Principal, Depends(get_principal)]


async def _operator(principal: PrincipalDep) -> Principal:
    principal.require(Role.OPERATOR)
    return principal


async def _admin(principal: PrincipalDep) -> Principal:
    principal.require(Role.ADMIN)
    return principal


#: Anyone who belongs to the organization; who may run experiments; who may change clusters.
Viewer = PrincipalDep
Operator = Annotated[Principal, Depends(_operator)]
Admin = Annotated[Principal, Depends(_admin)]
