"""Comparisons that were made, and frozen snapshots behind unguessable links."""

import uuid
from datetime import datetime

from sqlalchemy import ForeignKey, Index, LargeBinary, String
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.orm import Mapped, mapped_column, synonym

from podmeter.db.base import Base, Created, Json, Name, OrganizationId, Uuid
from podmeter.db.models.marks import Findable

#: Of a comparison's.
LONGEST_NAME = 200


class ComparisonRecord(Findable, Base):
    """A comparison: what was asked (baseline, contender) and what came of it.

    It is called by its sides, and found by whether its contenders may be compared, too. `content`
    is text to the database, kept as it was written: taking large ones apart to store them took
    three times as long. What lists and searches need of it is the `outline`: baseline, contenders,
    and each contender's gate.
    """

    __tablename__ = "comparisons"
    __table_args__ = (
        Index(None, "organization_id", "created_at", "id"),
        Index(None, "sought", postgresql_using="gin"),
    )
    _sought = "sought_words(ARRAY[name, kind]::text[], (outline -> 'gates'::text), ''::text)"

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    name: Mapped[Name]
    kind: Mapped[str] = mapped_column(String(32))
    request: Mapped[Json]
    outline: Mapped[Json]
    content: Mapped[Json] = mapped_column(JSON)
    created_by: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("users.id", ondelete="SET NULL"), index=True
    )
    created_at: Mapped[Created]


class Snapshot(Findable, Base):
    """Frozen, redacted content; only the hash of the link's token is kept."""

    __tablename__ = "snapshots"
    __table_args__ = (
        Index(None, "organization_id", "created_at", "id"),
        Index(None, "sought", postgresql_using="gin"),
    )
    _sought = "sought_words(ARRAY[title]::text[], '[]'::jsonb, ''::text)"

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    title: Mapped[Name]
    #: As all that is found is called.
    name: Mapped[str] = synonym("title")
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    request: Mapped[Json]
    content: Mapped[Json]
    #: A PNG for previews of the link; read where it is shown alone.
    picture: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)
    created_by: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("users.id", ondelete="SET NULL"), index=True
    )
    created_at: Mapped[Created]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
