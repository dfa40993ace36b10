"""The members of an organization: what they may do, and that it keeps somebody who administers it.

All that changes who may enter is done by people who logged in: a token that leaked could otherwise
make itself a way in that stays when it is revoked.
"""

import uuid
from dataclasses import dataclass

from podmeter.db.base import now
from podmeter.db.models import Membership, Role
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.members import MemberRepository
from podmeter.domain.messages import say
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ConflictError, NotFoundError, StaleVersionError
from podmeter.services.work import Work


@dataclass(frozen=True)
class MemberChange:
    """What is changed of a member; None leaves it as it is."""

    role: Role | None = None
    active: bool | None = None


def page(work: Work, principal: Principal, request: PageRequest) -> Page[Membership]:
    """The members of the principal's organization, with their users."""
    return MemberRepository(work.session, principal.organization_id).page(request)


def change(
    work: Work, principal: Principal, user_id: uuid.UUID, change: MemberChange, version: int | None
) -> Membership:
    """Change what a member may do. One who is deactivated is shut out at once, and stays listed.

    Raises:
        RoleError, NotFoundError, StaleVersionError: as they say.
        ConflictError: nobody would be left to administer the organization.
    """
    members, member = _locked(work, principal, user_id, version)
    active = member.deactivated_at is None if change.active is None else change.active
    role = change.role or member.role
    if role is not Role.ADMIN or not active:
        _keep_an_admin(members, member)
    if not active and member.deactivated_at is None:
        members.revoke_access(user_id)
        member.deactivated_at = now()
    elif active:
        member.deactivated_at = None
    member.role = role
    member.version += 1
    work.session.flush()
    work.audit.to("member", user_id, member.user.email, role=role, active=active)
    return member


def remove(work: Work, principal: Principal, user_id: uuid.UUID, version: int | None) -> None:
    """End a membership: sessions, tokens and event streams in the organization end with it.

    Raises as `change`.
    """
    members, member = _locked(work, principal, user_id, version)
    end(work, members, member)


def end(work: Work, members: MemberRepository, member: Membership) -> None:
    """End a membership of a locked organization. Raises ConflictError."""
    _keep_an_admin(members, member)
    members.revoke_access(member.user_id)
    work.audit.to("member", member.user_id, member.user.email)
    work.session.delete(member)
    work.session.flush()


def _locked(
    work: Work, principal: Principal, user_id: uuid.UUID, version: int | None
) -> tuple[MemberRepository, Membership]:
    principal.require_person()
    principal.require(Role.ADMIN)
    members = MemberRepository(work.session, principal.organization_id)
    members.lock()
    member = members.get(user_id)
    if member is None:
        raise NotFoundError("member")
    if version is not None and version != member.version:
        raise StaleVersionError("member", member.version)
    return members, member


def _keep_an_admin(members: MemberRepository, member: Membership) -> None:
    administers = member.role is Role.ADMIN and member.deactivated_at is None
    if administers and not members.other_admin(member.user_id):
        raise ConflictError(say("last_admin"))
