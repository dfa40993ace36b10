"""Logging in with a password, and knowing a browser again by its cookie."""

import hashlib
import secrets
import uuid
from dataclasses import dataclass
from datetime import timedelta

from podmeter.credentials.passwords import Passwords
from podmeter.db.base import now
from podmeter.db.models import LoginSession, Membership, Via
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.domain.messages import say
from podmeter.services.accounts.password_logins import EVERYBODY, PasswordLogins
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import AuthenticationError
from podmeter.services.work import Work

#: Noting each request of a session would write on every one.
_TOUCH_AFTER = timedelta(minutes=1)
_LONGEST_AGENT = 300


@dataclass(frozen=True)
class Browser:
    """Where a session is seen: its address, and what it calls itself."""

    address: str
    agent: str

    @property
    def told(self) -> str:
        """What it calls itself, as far as it is kept."""
        return self.agent.replace("\x00", "")[:_LONGEST_AGENT]


def log_in(
    work: Work,
    passwords: Passwords,
    email: str,
    password: str,
    hours: int,
    browser: Browser,
    whose: PasswordLogins = EVERYBODY,
) -> tuple[Principal, str]:
    """A new session lasting `hours`; the principal, and the token for the cookie.

    It acts in the organization that the user was in last. One text is said for every reason not
    to let somebody in, so that nobody learns which addresses have an account.

    Raises:
        AuthenticationError: address, password or account is not good.
    """
    accounts = AccountRepository(work.session)
    user = accounts.user_by_email(email) if whose.allows_password(email) else None
    check = passwords.check(password, user.password_hash if user else None)
    membership = accounts.latest_membership(user.id) if user else None
    if user is None or membership is None or not check.correct or user.disabled_at is not None:
        raise AuthenticationError(say("sign_on_only" if whose.only else "login_refused"))
    # Checking takes a while: the password may have been changed, or the account linked, since.
    checked_hash = user.password_hash
    if accounts.user(user.id).password_hash != checked_hash:
        raise AuthenticationError(say("login_refused"))
    if check.renewed_hash is not None:
        user.password_hash = check.renewed_hash
    return enter(work, membership, hours, browser, Via.PASSWORD)


def enter(
    work: Work,
    membership: Membership,
    hours: int,
    browser: Browser,
    via: Via,
    leave_url: str | None = None,
) -> tuple[Principal, str]:
    """A new session of a member who was found to be let in, as `log_in` gives it."""
    user, token, moment = membership.user, secrets.token_urlsafe(32), now()
    login = LoginSession(
        organization_id=membership.organization_id,
        user_id=user.id,
        token_hash=_hash(token),
        address=browser.address,
        agent=browser.told,
        last_seen_at=moment,
        expires_at=moment + timedelta(hours=hours),
        leave_url=leave_url,
    )
    AccountRepository(work.session).add(login)
    membership.last_used_at = moment
    principal = Principal(
        user_id=user.id,
        email=user.email,
        organization_id=membership.organization_id,
        organization=membership.organization.name,
        role=membership.role,
        of_provider=user.subject is not None,
        session_id=login.id,
        expires_at=login.expires_at,
    )
    work.audit.by(principal, via)
    return principal, token


def authenticate(work: Work, token: str, browser: Browser) -> Principal:
    """Anyone who holds the session's token. Raises AuthenticationError."""
    accounts = AccountRepository(work.session)
    known = accounts.login_session(_hash(token))
    if known is None or known.disabled_at is not None:
        raise AuthenticationError(say("session_ended"))
    moment = now()
    if known.last_used_at is None or known.last_used_at < moment - _TOUCH_AFTER:
        work.afterwards.append(
            lambda session: AccountRepository(session).touch_session(
                known.id, moment, browser.address, browser.told
            )
        )
    return Principal(
        user_id=known.user_id,
        email=known.email,
        organization_id=known.organization_id,
        organization=known.organization,
        role=known.role,
        of_provider=known.of_provider,
        session_id=known.id,
        expires_at=known.expires_at,
    )


def session_user(work: Work, token: str) -> uuid.UUID | None:
    """Whose session a cookie's token is of; None where it lets nobody in."""
    known = AccountRepository(work.session).login_session(_hash(token))
    return None if known is None or known.disabled_at is not None else known.user_id


def log_out(work: Work, session_id: uuid.UUID) -> str | None:
    """End a session; where its browser goes to leave the provider too, if one let it in."""
    return AccountRepository(work.session).delete_login_session(session_id)


def _hash(token: str) -> str:
    """What is stored of a session's token: 256 random bits need no slow hash."""
    return hashlib.sha256(b"podmeter session\0" + token.encode()).hexdigest()
