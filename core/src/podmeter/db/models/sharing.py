"""Comparisons that were made, and frozen snapshots behind unguessable links."""

import uuid
from datetime import datetime

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from podmeter.db.base import Base, Created, Json, Name, OrganizationId, Uuid


class ComparisonRecord(Base):
    """A comparison: what was asked (baseline, contender) and what came of it."""

    __tablename__ = "comparisons"
    __table_args__ = (Index(None, "organization_id", "created_at", "id"),)

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    request: Mapped[Json]
    content: Mapped[Json]
    created_by: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("users.id", ondelete="SET NULL"), index=True
    )
    created_at: Mapped[Created]


class Snapshot(Base):
    """Frozen, redacted content; only the hash of the link's token is kept."""

    __tablename__ = "snapshots"
    __table_args__ = (Index(None, "organization_id", "created_at", "id"),)

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    title: Mapped[Name]
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    request: Mapped[Json]
    content: Mapped[Json]
    created_by: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("users.id", ondelete="SET NULL"), index=True
    )
    created_at: Mapped[Created]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
