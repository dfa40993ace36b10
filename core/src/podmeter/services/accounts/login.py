"""Logging in with a password, and knowing a browser again by its cookie."""

import hashlib
import secrets
import uuid
from datetime import timedelta

from podmeter.credentials.passwords import Passwords
from podmeter.db.base import now
from podmeter.db.models import LoginSession
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.domain.messages import say
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import AuthenticationError
from podmeter.services.work import Work

#: One text for every reason, so that nobody learns which addresses have an account.


def log_in(
    work: Work, passwords: Passwords, email: str, password: str, hours: int
) -> tuple[Principal, str]:
    """A new session lasting `hours`; the principal, and the token for the cookie.

    Raises:
        AuthenticationError: address, password or account is not good.
    """
    accounts = AccountRepository(work.session)
    user = accounts.user_by_email(email)
    check = passwords.check(password, user.password_hash if user else None)
    membership = accounts.first_membership(user.id) if user else None
    if user is None or membership is None or not check.correct or user.disabled_at is not None:
        raise AuthenticationError(say("login_refused"))
    if check.renewed_hash is not None:
        user.password_hash = check.renewed_hash
    token = secrets.token_urlsafe(32)
    login = LoginSession(
        organization_id=membership.organization_id,
        user_id=user.id,
        token_hash=_hash(token),
        expires_at=now() + timedelta(hours=hours),
    )
    accounts.add(login)
    principal = Principal(
        user_id=user.id,
        email=user.email,
        organization_id=membership.organization_id,
        organization=membership.organization.name,
        role=membership.role,
        session_id=login.id,
        expires_at=login.expires_at,
    )
    return principal, token


def authenticate(work: Work, token: str) -> Principal:
    """Whoever holds the session's token. Raises AuthenticationError."""
    known = AccountRepository(work.session).login_session(_hash(token))
    if known is None or known.disabled_at is not None:
        raise AuthenticationError(say("session_ended"))
    return Principal(
        user_id=known.user_id,
        email=known.email,
        organization_id=known.organization_id,
        organization=known.organization,
        role=known.role,
        session_id=known.id,
        expires_at=known.expires_at,
    )


def log_out(work: Work, session_id: uuid.UUID) -> None:
    """End a session."""
    AccountRepository(work.session).delete_login_session(session_id)


def _hash(token: str) -> str:
    """What is stored of a session's token: 256 random bits need no slow hash."""
    return hashlib.sha256(b"podmeter session\0" + token.encode()).hexdigest()
