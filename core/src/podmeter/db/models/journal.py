"""What happened in a run: events for programs, log lines for people."""

import uuid

from sqlalchemy import BigInteger, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from podmeter.db.base import Base, Created, Json, OrganizationId, Said, Serial, words
from podmeter.db.models.runs import of_run
from podmeter.domain.ports import LogLevel


class RunEvent(Base):
    """An event of a run; `number` counts from 1 without gaps, in the order of commits."""

    __tablename__ = "run_events"
    __table_args__ = (of_run(),)

    organization_id: Mapped[OrganizationId] = mapped_column(primary_key=True)
    run_id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    type: Mapped[str] = mapped_column(String(64))
    content: Mapped[Json]
    created_at: Mapped[Created]


class RunLogLine(Base):
    """A line of a run's log."""

    __tablename__ = "run_log"
    __table_args__ = (of_run(), Index(None, "organization_id", "run_id", "id"))

    id: Mapped[Serial]
    organization_id: Mapped[OrganizationId]
    run_id: Mapped[uuid.UUID]
    attempt: Mapped[int]
    level: Mapped[LogLevel] = mapped_column(words(LogLevel))
    message: Mapped[Said]
    created_at: Mapped[Created]
