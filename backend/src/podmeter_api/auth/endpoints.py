"""POST /auth/login and /auth/logout."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from podmeter.services.accounts import login as accounts
from podmeter.services.errors import AuthenticationError
from podmeter_api.auth.schemas import Login
from podmeter_api.me.schemas import Me
from podmeter_api.problems import may
from podmeter_api.rate_limit import LoginLimit
from podmeter_api.security import COOKIE, Viewer, check_origin, csrf_token
from podmeter_api.state import AppState, get_state
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/auth", tags=["accounts"])


@router.post("/login", operation_id="log_in", responses=may(401, 403, 429))
def log_in(
    body: Login,
    request: Request,
    response: Response,
    work: WorkDep,
    state: Annotated[AppState, Depends(get_state)],
) -> Me:
    """Start a session: sets its cookie, and answers with the CSRF token for changes."""
    check_origin(request, state.settings.public_url)
    address = request.client.host if request.client else "unknown"
    limit = LoginLimit(state.redis, state.settings.login_attempts)
    limit.check(address, body.email)
    hours = state.settings.session_hours
    try:
        principal, token = accounts.log_in(
            work, state.passwords, body.email, body.password.get_secret_value(), hours
        )
    except AuthenticationError:
        limit.failed(address, body.email)
        raise
    response.set_cookie(
        COOKIE,
        token,
        max_age=hours * 3600,
        httponly=True,
        samesite="lax",
        secure=_secure(request, state),
        path="/",
    )
    return Me.of(principal, csrf_token(token))


@router.post("/logout", operation_id="log_out", status_code=HTTPStatus.NO_CONTENT)
def log_out(
    principal: Viewer,
    request: Request,
    response: Response,
    work: WorkDep,
    state: Annotated[AppState, Depends(get_state)],
) -> None:
    """End the session; for an API token this does nothing."""
    if principal.session_id is not None:
        accounts.log_out(work, principal.session_id)
        response.delete_cookie(
            COOKIE, httponly=True, samesite="lax", secure=_secure(request, state), path="/"
        )


def _secure(request: Request, state: AppState) -> bool:
    return state.settings.public_url.startswith("https:") or request.url.scheme == "https"
