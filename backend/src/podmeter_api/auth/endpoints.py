"""Logging in and out, and the links that let somebody in: an invitation, a password to be set."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from podmeter.domain.email_address import address_key
from podmeter.services.accounts import invitations, password_resets
from podmeter.services.accounts import login as accounts
from podmeter.services.work import Work
from podmeter_api.audited import CHANGES_NOTHING, logins
from podmeter_api.auth.schemas import (
    Acceptance,
    Link,
    LinkAndPassword,
    LoggedOut,
    Login,
    Offer,
    ResetOffer,
)
from podmeter_api.callers import count_for, network_of
from podmeter_api.me.schemas import Me
from podmeter_api.problems import may
from podmeter_api.rate_limit import LoginDelay, login_limit
from podmeter_api.security import (
    COOKIE,
    Viewer,
    browser_of,
    check_origin,
    csrf_token,
    is_secure,
    set_session,
)
from podmeter_api.state import AppState, StateDep
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(prefix="/auth", tags=["accounts"])


async def _own_origin(request: Request, state: StateDep) -> None:
    check_origin(request, state.settings.public_url)


OwnOrigin = Depends(_own_origin)


async def _login_turn(body: Login, request: Request) -> Login:
    turns: LoginDelay = request.app.state.login_turns
    address = browser_of(request).address
    if await turns.wait(address, body.email):
        # For others, from however many addresses, it is not to wait.
        count_for(request, f"{network_of(address)} {address_key(body.email)}")
    return body


async def _link_turn(request: Request) -> None:
    turns: LoginDelay = request.app.state.login_turns
    await turns.wait(browser_of(request).address)


#: Before a place is taken: anyone who waits takes none from others.
DelayedLogin = Annotated[Login, Depends(_login_turn)]
LinkTurn = Depends(_link_turn)


@router.post(
    "/login",
    operation_id="log_in",
    responses=may(401, 403, 429),
    dependencies=[OwnOrigin],
)
def log_in(
    body: DelayedLogin, request: Request, response: Response, work: WorkDep, state: StateDep
) -> Me:
    """Start a session: sets its cookie, and answers with the CSRF token for changes.

    It acts in the organization that the user was in last; /me/organization switches it.
    """
    return _enter(request, response, work, state, body.email, body.password.get_secret_value())


@router.post("/logout", operation_id="log_out")
def log_out(
    principal: Viewer, request: Request, response: Response, work: WorkDep, state: StateDep
) -> LoggedOut:
    """End the session; for an API token this does nothing."""
    if principal.session_id is None:
        return LoggedOut(leave_url=None)
    leave_url = accounts.log_out(work, principal.session_id)
    secure = is_secure(request, state.settings.public_url)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=secure, path="/")
    return LoggedOut(leave_url=leave_url)


@router.post(
    "/invitation",
    operation_id="read_invitation",
    openapi_extra=CHANGES_NOTHING,
    responses=may(403, 404, 429),
    dependencies=[OwnOrigin, LinkTurn],
)
def read_invitation(body: Link, request: Request, work: WorkDep, state: StateDep) -> Offer:
    """What an invitation's link offers. Nothing is used up."""
    with login_limit(state).counting(browser_of(request).address):
        return Offer.of(invitations.read(work, body.token.get_secret_value()))


@router.post(
    "/invitation/accept",
    operation_id="accept_invitation",
    responses=may(401, 403, 404, 409, 429),
    dependencies=[OwnOrigin, LinkTurn],
)
def accept_invitation(
    body: Acceptance, request: Request, response: Response, work: WorkDep, state: StateDep
) -> Me:
    """Become a member, and start a session there. The link is used up.

    The password is that of the account with the invitation's address; where there is no such
    account, one is made with it.
    """
    token, password = body.token.get_secret_value(), body.password.get_secret_value()
    limit, address = login_limit(state), browser_of(request).address
    with limit.counting(address):
        offer = invitations.read(work, token)
    another = body.new_password if offer.known else None
    new = another.get_secret_value() if another else None
    whose = state.password_logins
    with logins(request, work, offer.email), limit.counting(address, offer.email):
        email = invitations.accept(work, state.passwords, token, password, whose, new)
    return _enter(request, response, work, state, email, new or password)


@router.post(
    "/password-reset",
    operation_id="read_password_reset",
    openapi_extra=CHANGES_NOTHING,
    responses=may(403, 404, 429),
    dependencies=[OwnOrigin, LinkTurn],
)
def read_password_reset(body: Link, request: Request, work: WorkDep, state: StateDep) -> ResetOffer:
    """Whose password a link sets. Nothing is used up."""
    with login_limit(state).counting(browser_of(request).address):
        token = body.token.get_secret_value()
        found = password_resets.read(work, token, state.password_logins)
    return ResetOffer(email=found.user.email, expires_at=found.expires_at)


@router.post(
    "/password-reset/use",
    operation_id="use_password_reset",
    status_code=HTTPStatus.NO_CONTENT,
    responses=may(403, 404, 429),
    dependencies=[OwnOrigin, LinkTurn],
)
def use_password_reset(
    body: LinkAndPassword, request: Request, work: WorkDep, state: StateDep
) -> None:
    """Set the password. The link is used up; the user's sessions, API tokens and CI trusts end."""
    token, password = body.token.get_secret_value(), body.password.get_secret_value()
    with login_limit(state).counting(browser_of(request).address):
        password_resets.use(work, state.passwords, token, password, state.password_logins)


def _enter(
    request: Request, response: Response, work: Work, state: AppState, email: str, password: str
) -> Me:
    browser, hours = browser_of(request), state.settings.session_hours
    limit = login_limit(state)
    with logins(request, work, email), limit.counting(browser.address, email):
        principal, token = accounts.log_in(
            work, state.passwords, email, password, hours, browser, state.password_logins
        )
    limit.succeeded(browser.address, email)
    set_session(request, response, token, state.settings)
    return Me.of(principal, csrf_token(token, principal.organization_id))
