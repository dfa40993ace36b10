"""Organizations, users, and what lets a user in."""

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, LargeBinary, String, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from podmeter.db.base import Base, Created, Name, OrganizationId, Uuid, words


class Role(StrEnum):
    """What a member may do: read; run experiments besides; change clusters and members besides."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        """Higher includes lower."""
        return list(Role).index(self)


class Organization(Base):
    """Who owns rows: nothing is visible across organizations."""

    __tablename__ = "organizations"

    id: Mapped[Uuid]
    name: Mapped[Name] = mapped_column(unique=True)
    created_at: Mapped[Created]


class User(Base):
    """A person. The password is an argon2 hash; the address is unique whatever its case."""

    __tablename__ = "users"
    __table_args__ = (Index("uq_users_email_lower", text("lower(email)"), unique=True),)

    id: Mapped[Uuid]
    email: Mapped[str] = mapped_column(String(320))
    password_hash: Mapped[str]
    disabled_at: Mapped[datetime | None]
    created_at: Mapped[Created]


class Membership(Base):
    """A user's role in an organization."""

    __tablename__ = "memberships"

    organization_id: Mapped[OrganizationId] = mapped_column(primary_key=True)
    user_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[Role] = mapped_column(words(Role))
    created_at: Mapped[Created]

    user: Mapped[User] = relationship(lazy="raise")
    organization: Mapped[Organization] = relationship(lazy="raise")


class LoginSession(Base):
    """A browser that logged in. Only the hash of its cookie is kept."""

    __tablename__ = "sessions"

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    user_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[Created]
    expires_at: Mapped[datetime] = mapped_column(index=True)


class ApiToken(Base):
    """A token for programs: its beginning to recognise it, its hash, the most it may do."""

    __tablename__ = "api_tokens"
    __table_args__ = (Index(None, "organization_id", "created_at", "id"),)

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    user_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[Name]
    hint: Mapped[str] = mapped_column(String(32))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[Role] = mapped_column(words(Role))
    created_at: Mapped[Created]
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]


class IdempotencyKey(Base):
    """An answer already given, so that a repeated POST gets it again instead of a second effect.

    The body is encrypted: the answer to making a token holds the token.
    """

    __tablename__ = "idempotency_keys"

    organization_id: Mapped[OrganizationId] = mapped_column(primary_key=True)
    user_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    request_hash: Mapped[bytes] = mapped_column(LargeBinary)
    status: Mapped[int | None]
    location: Mapped[str | None]
    etag: Mapped[str | None]
    body: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[Created]
    expires_at: Mapped[datetime] = mapped_column(index=True)
