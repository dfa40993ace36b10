"""Whose CI is let in without a stored secret, and to what."""

import uuid
from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column, relationship

from podmeter.db.base import Base, Created, Json, Name, OrganizationId, Uuid, words
from podmeter.db.models.accounts import Role, User


class CiTrust(Base):
    """Tokens of an issuer are exchanged for Podmeter's where audience and claims are these.

    `claims` has a pattern (`podmeter.domain.ci_claims`) for each claim. What is exchanged acts as
    the administrator who saved the trust last, and never as more than `role`.
    """

    __tablename__ = "ci_trusts"
    __table_args__ = (
        Index(None, "organization_id", "created_at", "id"),
        CheckConstraint("role <> 'admin'", name="no_admin"),
    )

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    user_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[Name]
    issuer: Mapped[str]
    audience: Mapped[str]
    claims: Mapped[Json]
    pull_requests: Mapped[bool]
    role: Mapped[Role] = mapped_column(words(Role))
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Created]
    updated_at: Mapped[datetime]

    user: Mapped[User] = relationship(lazy="raise")
    experiments: Mapped[list["CiTrustExperiment"]] = relationship(
        lazy="selectin", cascade="all, delete-orphan", passive_deletes=True
    )


class CiTrustExperiment(Base):
    """An experiment that a trust's tokens reach."""

    __tablename__ = "ci_trust_experiments"

    organization_id: Mapped[OrganizationId]
    trust_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("ci_trusts.id", ondelete="CASCADE"), primary_key=True
    )
    experiment_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("experiments.id", ondelete="CASCADE"), primary_key=True, index=True
    )
