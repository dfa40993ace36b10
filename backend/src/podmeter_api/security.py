"""Who is asking: a browser by its session cookie, a program by its token."""

import hashlib
import hmac
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response, Security
from fastapi.security import APIKeyCookie, APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer

from podmeter.db.models import Role
from podmeter.domain.messages import say
from podmeter.services.accounts import login, tokens
from podmeter.services.accounts.login import Browser
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import AuthenticationError
from podmeter.settings import Settings
from podmeter_api.audited import SAFE
from podmeter_api.callers import SESSION_COOKIE, KnownCredentials
from podmeter_api.errors import HttpProblemError
from podmeter_api.problems import Fault
from podmeter_api.token_scopes import check_scope
from podmeter_api.unit_of_work import WorkDep

COOKIE = SESSION_COOKIE
CSRF_HEADER = "X-CSRF-Token"
ORGANIZATION_HEADER = "X-Podmeter-Organization"

bearer = HTTPBearer(auto_error=False, description="An API token", scheme_name="token")
cookie = APIKeyCookie(
    name=COOKIE,
    auto_error=False,
    scheme_name="session",
    description="A browser's login. It acts in one organization, and PUT /me/organization switches "
    f"it. A request that names another one's id in the header {ORGANIZATION_HEADER} is refused "
    "with 409: so a page that shows one organization never gets or changes what is another's",
)
csrf = APIKeyHeader(
    name=CSRF_HEADER,
    auto_error=False,
    scheme_name="csrf",
    description="With a session, on everything that changes something: `csrf_token` of /me. "
    "Each organization has its own",
)


def csrf_token(session_token: str, organization_id: uuid.UUID) -> str:
    """The CSRF token of a session: follows from the cookie, which no other origin can read.

    And from the organization: what was open before the session was switched changes nothing.
    """
    said = f"podmeter-csrf:{organization_id}:{session_token}"
    return hashlib.sha256(said.encode()).hexdigest()


def browser_of(request: Request) -> Browser:
    """Where a request comes from."""
    address = request.client.host if request.client else "unknown"
    return Browser(address, request.headers.get("user-agent", ""))


def is_secure(request: Request, public_url: str) -> bool:
    """Whether cookies are for https alone."""
    return public_url.startswith("https:") or request.url.scheme == "https"


def set_session(request: Request, response: Response, token: str, settings: Settings) -> None:
    """Let the browser keep the token of a session that begins."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=settings.session_hours * 3600,
        httponly=True,
        samesite="lax",
        secure=is_secure(request, settings.public_url),
        path="/",
    )


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
    """Anyone who asks. Raises AuthenticationError when nobody known does."""
    if token is not None:
        with _lately_known(request, token.credentials) as note:
            holder = note(tokens.authenticate(work, token.credentials))
        check_scope(request, holder.scope)
        work.audit.by(holder)
        return holder
    if session_token is None:
        raise AuthenticationError(say("not_logged_in"))
    with _lately_known(request, session_token) as note:
        principal = note(login.authenticate(work, session_token, browser_of(request)))
    named = request.headers.get(ORGANIZATION_HEADER)
    if named is not None and named != str(principal.organization_id):
        raise HttpProblemError(
            HTTPStatus.CONFLICT,
            "another_organization",
            say("another_organization"),
            Fault.at(say("another_organization"), header=ORGANIZATION_HEADER),
        )
    if request.method not in SAFE:
        check_origin(request, request.app.state.podmeter.settings.public_url)
        expected = csrf_token(session_token, principal.organization_id)
        if csrf_header is None or not hmac.compare_digest(csrf_header.encode(), expected.encode()):
            raise HttpProblemError(
                HTTPStatus.FORBIDDEN,
                "csrf",
                say("csrf_needed", header=CSRF_HEADER),
                Fault.at(say("csrf_wrong"), header=CSRF_HEADER),
            )
    work.audit.by(principal)
    return principal


@contextmanager
def _lately_known(request: Request, credential: str) -> Iterator[Callable[[Principal], Principal]]:
    """Requests with the credential count for its user from now on, or no more: see `callers`."""
    known: KnownCredentials = request.app.state.known_credentials

    def note(principal: Principal) -> Principal:
        known.note(credential, principal.user_id)
        return principal

    try:
        yield note
    except AuthenticationError:
        known.forget(credential)
        raise


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
