"""Who did what to which object, from where. Rows are added and read, never changed.

The database holds to that itself, by triggers that the migration makes (0021): nothing is updated,
and nothing deleted before its time. So there are no foreign keys either: an entry outlives what it
names.
"""

import uuid
from enum import StrEnum

from sqlalchemy import CheckConstraint, Index, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from podmeter.db.base import Base, Created, Json, Serial, words

#: Nothing is deleted before, whatever the setting says.
LEAST_DAYS = 30


class Via(StrEnum):
    """By what somebody was let in."""

    PASSWORD = "password"  # noqa: S105
    PROVIDER = "provider"
    SESSION = "session"
    TOKEN = "token"  # noqa: S105
    LINK = "link"
    COMMAND = "command"
    UPKEEP = "upkeep"


class AuditEntry(Base):
    """One operation that changed something, or one login, `refused` where it let nobody in, or
    where upkeep could not do it.

    `organization_id` is None for what concerns the installation. `who` is the user's address, or of
    a command the account and machine it was given on; `user_id` and `token_id` may be gone. The
    names of the token and of the object are those they had then. `details` has no secrets.
    """

    __tablename__ = "audit_entries"
    __table_args__ = (Index(None, "organization_id", "created_at", "id"),)

    id: Mapped[Serial]
    organization_id: Mapped[uuid.UUID | None]
    created_at: Mapped[Created]
    via: Mapped[Via] = mapped_column(words(Via))
    user_id: Mapped[uuid.UUID | None]
    who: Mapped[str] = mapped_column(String(320))
    token_id: Mapped[uuid.UUID | None]
    token_name: Mapped[str | None]
    address: Mapped[str | None]
    request_id: Mapped[str | None]
    operation: Mapped[str] = mapped_column(String(64))
    refused: Mapped[bool]
    object_kind: Mapped[str | None] = mapped_column(String(32))
    object_id: Mapped[str | None]
    object_name: Mapped[str | None]
    details: Mapped[Json]


class AuditRetention(Base):
    """One row: for how many days entries are kept. Written by who migrates alone."""

    __tablename__ = "audit_retention"
    __table_args__ = (
        CheckConstraint("id = 1", name="one"),
        CheckConstraint(f"days >= {LEAST_DAYS}", name="long_enough"),
    )

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    days: Mapped[int]
