"""/members and /invitations: who belongs to the organization that the caller acts in."""

import uuid
from http import HTTPStatus

from fastapi import APIRouter, Response

from podmeter.services.accounts import invitations, members, password_resets
from podmeter.services.accounts.members import MemberChange
from podmeter_api.idempotency import Idempotent, IdempotentRoute
from podmeter_api.members.schemas import (
    InvitationView,
    MadeInvitation,
    MadeReset,
    Member,
    MemberPatch,
    NewInvitation,
)
from podmeter_api.paging import ListOf, PageDep, listed
from podmeter_api.problems import may
from podmeter_api.security import Admin, Viewer
from podmeter_api.state import AppState, StateDep
from podmeter_api.unit_of_work import WorkDep
from podmeter_api.versions import IfMatch, etag

router = APIRouter(tags=["accounts"], route_class=IdempotentRoute)


@router.get("/members", operation_id="list_members")
def list_members(principal: Viewer, work: WorkDep, page: PageDep) -> ListOf[Member]:
    """Who belongs to the organization, the one first who has for longest."""
    return listed(members.page(work, principal, page), Member.of)


@router.patch("/members/{user_id}", operation_id="update_member", responses=may(409))
def update_member(
    user_id: uuid.UUID,
    body: MemberPatch,
    principal: Admin,
    work: WorkDep,
    version: IfMatch,
    response: Response,
) -> Member:
    """Change what a member may do. Deactivated, they lose sessions, tokens and streams at once."""
    row = members.change(work, principal, user_id, MemberChange(body.role, body.active), version)
    response.headers["ETag"] = etag(row.version)
    return Member.of(row)


@router.delete(
    "/members/{user_id}",
    operation_id="delete_member",
    status_code=HTTPStatus.NO_CONTENT,
    responses=may(409),
)
def delete_member(user_id: uuid.UUID, principal: Admin, work: WorkDep, version: IfMatch) -> None:
    """End a membership, with its sessions, tokens and event streams, at once."""
    members.remove(work, principal, user_id, version)


@router.post(
    "/members/{user_id}/password-reset",
    operation_id="reset_member",
    status_code=HTTPStatus.CREATED,
    dependencies=[Idempotent],
    responses=may(409),
)
def reset_member(user_id: uuid.UUID, principal: Admin, work: WorkDep, state: StateDep) -> MadeReset:
    """Make a link by which a member sets another password, once and within 24 hours.

    409 for one who belongs to an organization, too, that the caller does not administer.
    """
    row, token = password_resets.make(work, principal, user_id, state.password_logins)
    email = password_resets.read(work, token, state.password_logins).user.email
    return MadeReset(email=email, link=_link(state, "reset", token), expires_at=row.expires_at)


@router.post(
    "/invitations",
    operation_id="create_invitation",
    status_code=HTTPStatus.CREATED,
    dependencies=[Idempotent],
    responses=may(409),
)
def create_invitation(
    body: NewInvitation, principal: Admin, work: WorkDep, state: StateDep
) -> MadeInvitation:
    """Invite somebody by a link that is good once. It is in this answer alone; no mail is sent."""
    days, whose = body.expires_in_days, state.password_logins
    row, token = invitations.invite(work, principal, body.email, body.role, days, whose)
    shown = InvitationView.of(row).model_dump()
    return MadeInvitation(**shown, link=_link(state, "join", token))


@router.get("/invitations", operation_id="list_invitations", responses=may(403))
def list_invitations(principal: Admin, work: WorkDep, page: PageDep) -> ListOf[InvitationView]:
    """Invitations that can still be accepted, newest first."""
    return listed(invitations.page(work, principal, page), InvitationView.of)


@router.delete(
    "/invitations/{invitation_id}",
    operation_id="delete_invitation",
    status_code=HTTPStatus.NO_CONTENT,
)
def delete_invitation(invitation_id: uuid.UUID, principal: Admin, work: WorkDep) -> None:
    """Take an invitation back: its link is worth nothing from now on."""
    invitations.revoke_invitation(work, principal, invitation_id)


def _link(state: AppState, page: str, token: str) -> str:
    # Behind the #, so that no server's log and no other page ever gets it.
    return f"{state.settings.public_url.rstrip('/')}/{page}#{token}"
