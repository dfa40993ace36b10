"""Organizations, users, and what lets a user in."""

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
    text,
)
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
    """Who owns rows: nothing is visible across organizations, so several may have one name."""

    __tablename__ = "organizations"

    id: Mapped[Uuid]
    name: Mapped[Name]
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Created]


class AddressProof(StrEnum):
    """How it is known that an account belongs to the owner of its address.

    An invitation or a reset proves nothing: Podmeter sends no mail, and anyone who made the link
    may have used it.
    """

    #: The first administrator, whom anyone who runs the installation named.
    SETUP = "setup"
    #: Anyone who runs the installation said so: `podmeter-admin confirm-address`.
    COMMAND = "command"
    #: The single sign-on provider, which verified the address.
    PROVIDER = "provider"


class User(Base):
    """A person. The address is unique whatever its case.

    The password is an argon2 hash, None where there is none. `issuer` and `subject` are the single
    sign-on provider whose account it is and its name for it. `address_proof` says how the address
    was proved, and `address_proved_at` when; None where nobody proved it.
    """

    __tablename__ = "users"
    __table_args__ = (
        Index("uq_users_email_lower", text('lower(email COLLATE "C")'), unique=True),
        UniqueConstraint("issuer", "subject"),
        CheckConstraint("num_nonnulls(issuer, subject) <> 1", name="subject_of_issuer"),
        CheckConstraint(
            "num_nonnulls(address_proof, address_proved_at) <> 1", name="proof_with_time"
        ),
    )

    id: Mapped[Uuid]
    email: Mapped[str] = mapped_column(String(320))
    password_hash: Mapped[str | None]
    issuer: Mapped[str | None]
    subject: Mapped[str | None]
    address_proof: Mapped[AddressProof | None] = mapped_column(words(AddressProof))
    address_proved_at: Mapped[datetime | None]
    disabled_at: Mapped[datetime | None]
    created_at: Mapped[Created]


class Membership(Base):
    """A user's role in an organization; deactivated, it lets nobody in.

    `last_used_at` is when the user last logged in to it or switched to it.
    """

    __tablename__ = "memberships"

    organization_id: Mapped[OrganizationId] = mapped_column(primary_key=True)
    user_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[Role] = mapped_column(words(Role))
    version: Mapped[int] = mapped_column(default=1)
    deactivated_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    created_at: Mapped[Created]

    user: Mapped[User] = relationship(lazy="raise")
    organization: Mapped[Organization] = relationship(lazy="raise")


class LoginSession(Base):
    """A browser that logged in, and the organization it acts in. Only its cookie's hash is kept.

    `address` and `agent` (as the browser calls itself) are those of when it was last seen.
    `leave_url` is where the provider that let it in ends its own session.
    """

    __tablename__ = "sessions"

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    user_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    address: Mapped[str | None]
    agent: Mapped[str | None]
    created_at: Mapped[Created]
    last_seen_at: Mapped[datetime | None]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    leave_url: Mapped[str | None]


class ApiToken(Base):
    """A token for programs: its beginning to recognise it, its hash, the most it may do.

    A token limited to a cluster or an experiment is deleted with it. The token of a CI job is
    limited to the experiments that its trust names, and is deleted with the trust.
    """

    __tablename__ = "api_tokens"
    __table_args__ = (
        Index(None, "organization_id", "created_at", "id"),
        CheckConstraint(
            "num_nonnulls(cluster_id, experiment_id, ci_trust_id) <= 1", name="one_scope"
        ),
    )

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    user_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[Name]
    hint: Mapped[str] = mapped_column(String(32))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[Role] = mapped_column(words(Role))
    cluster_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("clusters.id", ondelete="CASCADE"), index=True
    )
    experiment_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), index=True
    )
    ci_trust_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("ci_trusts.id", ondelete="CASCADE"), index=True
    )
    created_at: Mapped[Created]
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]

    user: Mapped[User] = relationship(lazy="raise")


class Invitation(Base):
    """A link by which anyone who has it becomes a member, once: then the row is gone."""

    __tablename__ = "invitations"
    __table_args__ = (Index(None, "organization_id", "created_at", "id"),)

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    email: Mapped[str] = mapped_column(String(320))
    role: Mapped[Role] = mapped_column(words(Role))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_by: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    created_at: Mapped[Created]
    expires_at: Mapped[datetime]

    organization: Mapped[Organization] = relationship(lazy="raise")


class PasswordReset(Base):
    """A link by which anyone who has it sets a user's password, once: then the row is gone.

    `created_by` is None where anyone who runs the installation made it.
    """

    __tablename__ = "password_resets"

    id: Mapped[Uuid]
    user_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_by: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    created_at: Mapped[Created]
    expires_at: Mapped[datetime]

    user: Mapped[User] = relationship(lazy="raise", foreign_keys=[user_id])


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
