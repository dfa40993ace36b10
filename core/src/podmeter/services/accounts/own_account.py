"""What a user does with their own account: password, sessions, organizations."""

import uuid
from collections.abc import Sequence
from dataclasses import replace

from podmeter.credentials.passwords import Passwords
from podmeter.db.base import now
from podmeter.db.models import LoginSession, Membership
from podmeter.db.repositories import members as repository
from podmeter.db.repositories.members import MemberRepository
from podmeter.domain.messages import say
from podmeter.services.accounts.active_principals import lock_user
from podmeter.services.accounts.members import end
from podmeter.services.accounts.password_logins import EVERYBODY, PasswordLogins
from podmeter.services.accounts.principal import Principal
from podmeter.services.accounts.tokens import revoke_all
from podmeter.services.errors import (
    AuthenticationError,
    ConflictError,
    NotFoundError,
    WrongPasswordError,
)
from podmeter.services.work import Work


def change_password(
    work: Work,
    principal: Principal,
    passwords: Passwords,
    current: str,
    new: str,
    whose: PasswordLogins = EVERYBODY,
    *,
    keep_tokens: bool = False,
) -> None:
    """Set another password. All other sessions end, links that would set one are worth nothing.

    API tokens and CI trusts end unless `keep_tokens`: anyone who had the password may have made
    some.

    Raises:
        RoleError: a token asks.
        ConflictError: the account is the provider's.
        WrongPasswordError: `current` is not the password.
        PasswordRefusedError: `new` is none.
    """
    principal.require_person()
    user = lock_user(work, principal)
    if not whose.may_have_one(user):
        raise ConflictError(say("password_of_provider"))
    if not passwords.check(current, user.password_hash).correct:
        raise WrongPasswordError(say("password_wrong"))
    user.password_hash = passwords.hash(new, [user.email])
    repository.delete_resets_of(work.session, user.id)
    repository.end_sessions(work.session, user.id, keep=principal.session_id)
    work.audit.details |= {"revoked_tokens": 0} if keep_tokens else revoke_all(work, user.id)


def sessions(work: Work, principal: Principal) -> Sequence[tuple[LoginSession, str]]:
    """The user's sessions, each with its organization's name, newest first. Raises RoleError."""
    principal.require_person()
    return repository.sessions_of(work.session, principal.user_id)


def end_session(work: Work, principal: Principal, session_id: uuid.UUID) -> None:
    """End one of the user's sessions. Raises RoleError, NotFoundError."""
    principal.require_person()
    if not repository.end_session(work.session, principal.user_id, session_id):
        raise NotFoundError("session")


def end_other_sessions(work: Work, principal: Principal) -> None:
    """End all of the user's sessions except the current one. Raises RoleError."""
    principal.require_person()
    repository.end_sessions(work.session, principal.user_id, keep=principal.session_id)


def organizations(work: Work, principal: Principal) -> Sequence[Membership]:
    """Where the user is a member, by name. Raises RoleError."""
    principal.require_person()
    return repository.memberships_of(work.session, principal.user_id)


def switch(work: Work, principal: Principal, organization_id: uuid.UUID) -> Principal:
    """Let the session act in another organization of the user's.

    Raises RoleError, NotFoundError.
    """
    principal.require_person()
    member = MemberRepository(work.session, organization_id).get(principal.user_id)
    if member is None or member.deactivated_at is not None:
        raise NotFoundError("organization")
    return _acting_in(work, principal, member)


def leave(work: Work, principal: Principal, organization_id: uuid.UUID) -> None:
    """End the user's own membership.

    A session that acts there acts in another organization of theirs then, or ends.

    Raises:
        RoleError, NotFoundError: as they say.
        ConflictError: nobody would be left to administer the organization.
    """
    principal.require_person()
    members = MemberRepository(work.session, organization_id)
    if members.get(principal.user_id) is None:
        raise NotFoundError("organization")
    members.lock()
    member = members.get(principal.user_id)  # as it is now that nobody else changes it
    if member is None:
        raise NotFoundError("organization")
    if organization_id == principal.organization_id:
        rest = repository.memberships_of(work.session, principal.user_id)
        others = [one for one in rest if one.organization_id != organization_id]
        if others:
            _acting_in(work, principal, others[0])
    end(work, members, member)
    work.audit.organization_id = organization_id
    work.audit.to("organization", organization_id, member.organization.name)


def _acting_in(work: Work, principal: Principal, member: Membership) -> Principal:
    login = work.session.get(LoginSession, principal.session_id, with_for_update=True)
    if login is None:
        raise AuthenticationError(say("session_ended"))
    work.audit.organization_id = member.organization_id
    work.audit.to("organization", member.organization_id, member.organization.name)
    login.organization_id = member.organization_id
    member.last_used_at = now()
    work.session.flush()
    return replace(
        principal,
        organization_id=member.organization_id,
        organization=member.organization.name,
        role=member.role,
    )
