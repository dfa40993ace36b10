"""Inviting somebody by a link that is handed over: it lets in once, and for a time."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from podmeter.credentials.link_tokens import hash_link_token, make_link_token
from podmeter.credentials.passwords import Passwords
from podmeter.db.base import now
from podmeter.db.models import Invitation, Membership, Role, User
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories import members as repository
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.db.repositories.members import MemberRepository
from podmeter.domain.messages import say
from podmeter.services.accounts.active_principals import lock_user
from podmeter.services.accounts.password_logins import EVERYBODY, PasswordLogins
from podmeter.services.accounts.principal import Principal
from podmeter.services.accounts.tokens import revoke_all
from podmeter.services.audit.context import Detail
from podmeter.services.errors import AuthenticationError, ConflictError, NotFoundError
from podmeter.services.work import Work


@dataclass(frozen=True)
class Offer:
    """What a link offers. `known` says that there is an account with the address.

    Anyone who holds the link would learn that by accepting it.
    """

    organization: str
    email: str
    role: Role
    expires_at: datetime
    known: bool


def invite(
    work: Work,
    principal: Principal,
    email: str,
    role: Role,
    days: int,
    whose: PasswordLogins = EVERYBODY,
) -> tuple[Invitation, str]:
    """An invitation that lasts `days`; the row, and the secret of its link.

    Raises:
        RoleError: the principal is no administrator, or a token.
        ConflictError: somebody with the address is a member, or no password would let them in.
    """
    principal.require_person()
    principal.require(Role.ADMIN)
    if not whose.allows_password(email):
        raise ConflictError(say("invitation_needs_password"))
    members = MemberRepository(work.session, principal.organization_id)
    members.lock()
    lock_user(work, principal)
    if members.has_address(email):
        raise ConflictError(say("member_already", email=email))
    token = make_link_token()
    moment = now()
    row = Invitation(
        organization_id=principal.organization_id,
        email=email,
        role=role,
        token_hash=hash_link_token(token),
        created_by=principal.user_id,
        created_at=moment,
        expires_at=moment + timedelta(days=days),
    )
    work.session.add(row)
    work.session.flush()
    work.audit.to("invitation", row.id, email, role=role)
    return row, token


def page(work: Work, principal: Principal, request: PageRequest) -> Page[Invitation]:
    """Invitations that can still be accepted, newest first. Raises RoleError."""
    principal.require(Role.ADMIN)
    return MemberRepository(work.session, principal.organization_id).invitations(request)


def revoke_invitation(work: Work, principal: Principal, invitation_id: uuid.UUID) -> None:
    """Make an invitation's link worth nothing. Raises RoleError, NotFoundError."""
    principal.require_person()
    principal.require(Role.ADMIN)
    members = MemberRepository(work.session, principal.organization_id)
    if (email := members.delete_invitation(invitation_id)) is None:
        raise NotFoundError("invitation")
    work.audit.to("invitation", invitation_id, email)


def read(work: Work, token: str) -> Offer:
    """What the link offers. Raises NotFoundError."""
    found = _open(work, token)
    user = AccountRepository(work.session).user_by_email(found.email)
    return Offer(
        organization=found.organization.name,
        email=found.email,
        role=found.role,
        expires_at=found.expires_at,
        known=user is not None,
    )


def accept(
    work: Work,
    passwords: Passwords,
    token: str,
    password: str,
    whose: PasswordLogins = EVERYBODY,
    new_password: str | None = None,
) -> str:
    """Make the invited person a member; their address. The link is used up.

    The password is that of the account with the address, or of a new one where there is none. With
    `new_password` an account that is there gets another one, and whatever let anybody in before is
    over: anyone who made the account, or reset its password, would come in to this organization,
    too.

    Raises:
        NotFoundError: the link is unknown, used, expired, or its maker may invite nobody any more.
        ConflictError: no password would let them in.
        AuthenticationError: the password of the account is another.
        PasswordRefusedError: it is none for a new account, or the new one is none.
    """
    accounts = AccountRepository(work.session)
    # Two people who become the first user of an address at the same time. Always in this order:
    # accounts, organization, user; the link last, as it is now.
    accounts.lock_accounts()
    members = MemberRepository(work.session, _open(work, token).organization_id)
    members.lock()
    found = _open(work, token, lock=True)
    if not whose.allows_password(found.email):
        raise ConflictError(say("invitation_needs_password"))
    user = accounts.user_by_email(found.email)
    revoked: dict[str, Detail] = {}
    if user is None:
        # Having the link proves nothing: Podmeter sends no mail, and its creator has it too.
        user = User(email=found.email, password_hash=passwords.hash(password, [found.email]))
        accounts.add(user)
    else:
        user = accounts.user(user.id)
        if user.disabled_at or not passwords.check(password, user.password_hash).correct:
            raise AuthenticationError(say("login_refused"))
        if new_password is not None:
            user.password_hash = passwords.hash(new_password, [user.email])
            repository.delete_resets_of(work.session, user.id)
            repository.end_sessions(work.session, user.id)
            revoked = revoke_all(work, user.id)
    if members.get(user.id) is None:
        member = Membership(
            organization_id=found.organization_id,
            user_id=user.id,
            role=found.role,
            last_used_at=now(),
        )
        accounts.add(member)
    members.delete_invitations_of(found.email)
    work.audit.organization_id = found.organization_id
    work.audit.to("member", user.id, user.email, **revoked)
    # An organization whose trusts end has it in its log too, and the role is not in that one.
    work.audit.note_in(found.organization_id, role=found.role)
    return user.email


def _open(work: Work, token: str, *, lock: bool = False) -> Invitation:
    found = repository.invitation(work.session, hash_link_token(token), lock=lock)
    if found is None:
        raise NotFoundError("invitation")
    return found
