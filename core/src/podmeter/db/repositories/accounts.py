"""Users and what lets them in. These are the queries that run before an organization is known."""

import uuid
from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, func, select, update
from sqlalchemy.orm import Session, joinedload

from podmeter.db.base import now
from podmeter.db.models import ApiToken, LoginSession, Membership, Organization, User
from podmeter.db.paging import Page, PageRequest, newest_first

_WITH_BOTH = (joinedload(Membership.user), joinedload(Membership.organization))


class AccountRepository:
    """Users, memberships, sessions and tokens."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def user_by_email(self, email: str) -> User | None:
        """The user with this address, whatever its case."""
        return self.session.scalar(select(User).where(func.lower(User.email) == email.lower()))

    def any_user(self) -> bool:
        """Whether there is any user at all."""
        return bool(self.session.scalar(select(select(User.id).exists())))

    def lock_accounts(self) -> None:
        """Keep two processes from making the first user at the same time, until the commit."""
        self.session.execute(select(func.pg_advisory_xact_lock(0x61646D69)))

    def first_membership(self, user_id: uuid.UUID) -> Membership | None:
        """The user's oldest membership, with user and organization."""
        return self.session.scalar(
            select(Membership)
            .where(Membership.user_id == user_id)
            .order_by(Membership.created_at, Membership.organization_id)
            .limit(1)
            .options(*_WITH_BOTH)
        )

    def add(self, row: Organization | User | Membership | LoginSession | ApiToken) -> None:
        """Add a row and let the database number it."""
        self.session.add(row)
        self.session.flush()

    def login_session(self, token_hash: str) -> tuple[LoginSession, Membership] | None:
        """The unexpired session with this cookie, and its user's membership if it still is."""
        query = (
            select(LoginSession, Membership)
            .join(Membership, _same_member(LoginSession))
            .where(LoginSession.token_hash == token_hash, LoginSession.expires_at > now())
            .options(*_WITH_BOTH)
        )
        found = self.session.execute(query).one_or_none()
        return (found[0], found[1]) if found else None

    def delete_login_session(self, session_id: uuid.UUID) -> None:
        """Log a browser out."""
        self.session.execute(delete(LoginSession).where(LoginSession.id == session_id))

    def delete_expired_sessions(self) -> None:
        """Forget sessions that nobody can use any more."""
        self.session.execute(delete(LoginSession).where(LoginSession.expires_at <= now()))

    def api_token(self, token_hash: str) -> tuple[ApiToken, Membership] | None:
        """The unexpired token with this hash, and its maker's membership if it still is."""
        query = (
            select(ApiToken, Membership)
            .join(Membership, _same_member(ApiToken))
            .where(ApiToken.token_hash == token_hash, ApiToken.expires_at > now())
            .options(*_WITH_BOTH)
        )
        found = self.session.execute(query).one_or_none()
        return (found[0], found[1]) if found else None

    def touch_token(self, token_id: uuid.UUID, moment: datetime) -> None:
        """Note the use of a token."""
        self.session.execute(
            update(ApiToken).where(ApiToken.id == token_id).values(last_used_at=moment)
        )

    def api_tokens(
        self, organization_id: uuid.UUID, user_id: uuid.UUID, request: PageRequest
    ) -> Page[ApiToken]:
        """A user's tokens in an organization, newest first."""
        query = select(ApiToken).where(
            ApiToken.organization_id == organization_id, ApiToken.user_id == user_id
        )
        return newest_first(self.session, query, ApiToken, request)

    def delete_api_token(
        self, organization_id: uuid.UUID, user_id: uuid.UUID, token_id: uuid.UUID
    ) -> bool:
        """Revoke a user's token; False if there is none."""
        found = self.session.execute(
            delete(ApiToken)
            .where(
                ApiToken.id == token_id,
                ApiToken.organization_id == organization_id,
                ApiToken.user_id == user_id,
            )
            .returning(ApiToken.id)
        )
        return found.first() is not None


def _same_member(model: type[LoginSession] | type[ApiToken]) -> ColumnElement[bool]:
    """One query instead of two for what every request asks."""
    return and_(
        Membership.organization_id == model.organization_id, Membership.user_id == model.user_id
    )
