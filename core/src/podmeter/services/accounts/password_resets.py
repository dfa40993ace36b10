"""Setting a password that was forgotten, by a link that an administrator hands over."""

import uuid
from datetime import timedelta

from podmeter.credentials.link_tokens import hash_link_token, make_link_token
from podmeter.credentials.passwords import Passwords
from podmeter.db.base import now
from podmeter.db.models import PasswordReset, Role
from podmeter.db.repositories import members as repository
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.db.repositories.members import MemberRepository
from podmeter.domain.messages import say
from podmeter.services.accounts.active_principals import lock_user
from podmeter.services.accounts.password_logins import EVERYBODY, PasswordLogins
from podmeter.services.accounts.principal import Principal
from podmeter.services.accounts.tokens import revoke_all
from podmeter.services.errors import ConflictError, NotFoundError
from podmeter.services.work import Work

LIFETIME = timedelta(hours=24)


def make(
    work: Work, principal: Principal, user_id: uuid.UUID, whose: PasswordLogins = EVERYBODY
) -> tuple[PasswordReset, str]:
    """A link for a member; the row, and the link's secret. Earlier links are worth nothing then.

    Raises:
        RoleError, NotFoundError: as they say.
        ConflictError: the member belongs to an organization, too, that the principal does not
            administer, or the account is the single sign-on provider's.
    """
    principal.require_person()
    principal.require(Role.ADMIN)
    members = MemberRepository(work.session, principal.organization_id)
    if members.get(user_id) is None:
        raise NotFoundError("member")
    # Locked, so that it is not linked meanwhile, and the link outlives that.
    lock_user(work, principal, user_id)
    member = members.get(user_id)
    if member is None:
        raise NotFoundError("member")
    if not whose.may_have_one(member.user):
        raise ConflictError(say("password_of_provider"))
    if not repository.administers_all_of(work.session, principal.user_id, user_id):
        raise ConflictError(say("reset_elsewhere"))
    work.audit.to("member", user_id, member.user.email)
    return _made(work, user_id, principal.user_id)


def make_for(work: Work, email: str) -> tuple[PasswordReset, str]:
    """A link for any user, made by anyone who runs the installation. Raises NotFoundError."""
    accounts = AccountRepository(work.session)
    user = accounts.user_by_email(email)
    if user is None:
        raise NotFoundError("user")
    membership = accounts.latest_membership(user.id)
    work.audit.organization_id = membership.organization_id if membership else None
    work.audit.to("member", user.id, user.email)
    return _made(work, user.id, None)


def read(work: Work, token: str, whose: PasswordLogins = EVERYBODY) -> PasswordReset:
    """The reset behind a link, with its user. Raises NotFoundError."""
    return _open(work, token, whose)


def _open(work: Work, token: str, whose: PasswordLogins, *, lock: bool = False) -> PasswordReset:
    found = repository.password_reset(work.session, hash_link_token(token), lock=lock)
    if found is None or not _may(work, found, whose):
        raise NotFoundError("password_reset")
    return found


def use(
    work: Work,
    passwords: Passwords,
    token: str,
    password: str,
    whose: PasswordLogins = EVERYBODY,
) -> None:
    """Set the password; the link is used up, and the user's sessions, API tokens and CI trusts end.

    Somebody else may have had the account.

    Raises NotFoundError, PasswordRefusedError.
    """
    user_id = read(work, token, whose).user_id
    accounts = AccountRepository(work.session)
    # The user first, as wherever links are ended; then the link as it is now.
    user = accounts.user(user_id)
    found = _open(work, token, whose, lock=True)
    user.password_hash = passwords.hash(password, [user.email])
    membership = accounts.latest_membership(user_id)
    work.audit.by_link(found.user, membership.organization_id if membership else None)
    repository.delete_resets_of(work.session, user_id)
    repository.end_sessions(work.session, user_id)
    work.audit.details |= revoke_all(work, user_id)


def _may(work: Work, found: PasswordReset, whose: PasswordLogins) -> bool:
    """Whether its maker might make it still: the user may have joined somebody else since, or be
    the provider's.
    """
    maker = found.created_by
    if maker is None:
        return True
    administers = repository.administers_all_of(work.session, maker, found.user_id)
    return administers and whose.may_have_one(found.user)


def _made(
    work: Work, user_id: uuid.UUID, created_by: uuid.UUID | None
) -> tuple[PasswordReset, str]:
    repository.delete_resets_of(work.session, user_id)
    token, moment = make_link_token(), now()
    row = PasswordReset(
        user_id=user_id,
        token_hash=hash_link_token(token),
        created_by=created_by,
        created_at=moment,
        expires_at=moment + LIFETIME,
    )
    work.session.add(row)
    work.session.flush()
    return row, token
