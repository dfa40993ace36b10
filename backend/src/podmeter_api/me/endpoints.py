"""/me: who is asking, their password, their sessions, the organizations that they belong to."""

import uuid
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Request

from podmeter.services.accounts import own_account
from podmeter_api.me.schemas import (
    Me,
    NewPassword,
    OwnOrganization,
    OwnOrganizations,
    SessionView,
    SessionViews,
    Switch,
)
from podmeter_api.problems import may
from podmeter_api.rate_limit import login_limit
from podmeter_api.security import COOKIE, Viewer, browser_of, csrf_token
from podmeter_api.state import AppState, get_state
from podmeter_api.unit_of_work import WorkDep

router = APIRouter(tags=["accounts"])


@router.get("/me", operation_id="get_me")
def get_me(principal: Viewer, request: Request) -> Me:
    """Who is asking, and with a session its CSRF token."""
    token = request.cookies.get(COOKIE) if principal.session_id else None
    return Me.of(principal, csrf_token(token, principal.organization_id) if token else None)


@router.put(
    "/me/password",
    operation_id="change_password",
    status_code=HTTPStatus.NO_CONTENT,
    responses=may(409, 429),
)
def change_password(
    body: NewPassword,
    principal: Viewer,
    request: Request,
    work: WorkDep,
    state: Annotated[AppState, Depends(get_state)],
) -> None:
    """Set another password. The user's other sessions end; API tokens and CI trusts unless kept.

    422 where the old password is another, which counts as a failed login.
    """
    principal.require_person()
    with login_limit(state).counting(browser_of(request).address, principal.email):
        own_account.change_password(
            work,
            principal,
            state.passwords,
            body.current_password.get_secret_value(),
            body.new_password.get_secret_value(),
            state.password_logins,
            keep_tokens=body.keep_tokens,
        )


@router.get("/me/sessions", operation_id="list_sessions", responses=may(403))
def list_sessions(principal: Viewer, work: WorkDep) -> SessionViews:
    """Where the user is logged in, the newest login first."""
    found = own_account.sessions(work, principal)
    return SessionViews(
        items=[
            SessionView.of(row, organization, current=row.id == principal.session_id)
            for row, organization in found
        ]
    )


@router.delete("/me/sessions", operation_id="delete_sessions", status_code=HTTPStatus.NO_CONTENT)
def delete_sessions(principal: Viewer, work: WorkDep) -> None:
    """End all of the user's sessions except the current one."""
    own_account.end_other_sessions(work, principal)


@router.delete(
    "/me/sessions/{session_id}",
    operation_id="delete_session",
    status_code=HTTPStatus.NO_CONTENT,
)
def delete_session(session_id: uuid.UUID, principal: Viewer, work: WorkDep) -> None:
    """End one of the user's sessions, at once."""
    own_account.end_session(work, principal, session_id)


@router.get("/me/organizations", operation_id="list_own_organizations", responses=may(403))
def list_own_organizations(principal: Viewer, work: WorkDep) -> OwnOrganizations:
    """The organizations that the user belongs to, by name."""
    return OwnOrganizations(
        items=[
            OwnOrganization.of(one, current=one.organization_id == principal.organization_id)
            for one in own_account.organizations(work, principal)
        ]
    )


@router.put("/me/organization", operation_id="switch_organization", responses=may(404))
def switch_organization(body: Switch, principal: Viewer, request: Request, work: WorkDep) -> Me:
    """Let the session act in another organization of the user's.

    What was read before, in other tabs too, is of the one before: its CSRF token changes nothing
    any more, and its event streams end.
    """
    now_in = own_account.switch(work, principal, body.organization_id)
    token = request.cookies[COOKIE]
    return Me.of(now_in, csrf_token(token, now_in.organization_id))


@router.delete(
    "/me/organizations/{organization_id}",
    operation_id="leave_organization",
    status_code=HTTPStatus.NO_CONTENT,
)
def leave_organization(organization_id: uuid.UUID, principal: Viewer, work: WorkDep) -> None:
    """Belong to an organization no more. The last one who administers it cannot leave.

    A session that acts there continues in another organization of the user's, or ends.
    """
    own_account.leave(work, principal, organization_id)
