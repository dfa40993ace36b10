"""Trials and what they left: invocations of tools, measurements, series."""

import uuid
from datetime import datetime

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Double,
    ForeignKey,
    Index,
    LargeBinary,
    SmallInteger,
    String,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from podmeter.db.base import (
    Base,
    Created,
    Json,
    JsonList,
    OrganizationId,
    Said,
    SaidList,
    Serial,
    words,
)
from podmeter.db.models.runs import of_run
from podmeter.domain.trial import TrialStatus


class Trial(Base):
    """One timed execution of a tool in a case, stored the moment it ended.

    `seconds` is all it took, `tool_seconds` the tool's part of it, `overhead_seconds` from its
    start until it was stored, less the tool's part and what the cluster was waited for before.
    Of an imported trial these are null where the pasted text does not tell, as when it started.
    """

    __tablename__ = "trials"
    __table_args__ = (
        of_run(),
        Index(None, "organization_id", "run_id", "id"),
        # A trial that counted is never measured a second time, however often a task is delivered.
        Index(
            "uq_trials_kept",
            "case_id",
            "round",
            "warmup",
            "number",
            unique=True,
            postgresql_where=text("status IN ('counted', 'warmup')"),
        ),
        Index(None, "case_id", "id"),
    )

    id: Mapped[Serial]
    organization_id: Mapped[OrganizationId]
    run_id: Mapped[uuid.UUID]
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id", ondelete="CASCADE"))
    block_id: Mapped[int] = mapped_column(ForeignKey("blocks.id", ondelete="CASCADE"), index=True)
    round: Mapped[int] = mapped_column(SmallInteger)
    number: Mapped[int] = mapped_column(SmallInteger)
    warmup: Mapped[bool]
    attempt: Mapped[int] = mapped_column(SmallInteger)
    status: Mapped[TrialStatus] = mapped_column(words(TrialStatus))
    failure_code: Mapped[str | None] = mapped_column(String(64))
    failure_message: Mapped[Said]
    failure_temporary: Mapped[bool | None]
    warnings: Mapped[SaidList]
    facts: Mapped[Json] = mapped_column(default=dict)
    seconds: Mapped[float | None]
    tool_seconds: Mapped[float | None]
    overhead_seconds: Mapped[float | None]
    started_at: Mapped[datetime | None]
    stored_at: Mapped[Created]


class InvocationRecord(Base):
    """One execution of a tool: its command and all it printed, zlib-compressed UTF-8.

    The output is None once its retention has passed; the rest stays. Of a pasted output the exit
    code is unknown, and the time where the text does not tell it.
    """

    __tablename__ = "invocations"

    trial_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("trials.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    tool: Mapped[str] = mapped_column(String(64))
    version: Mapped[str] = mapped_column(String(200))
    argv: Mapped[JsonList]
    place: Mapped[str]
    exit_code: Mapped[int | None]
    seconds: Mapped[float | None]
    stdout: Mapped[bytes | None] = mapped_column(LargeBinary)
    stderr: Mapped[bytes | None] = mapped_column(LargeBinary)


class MeasurementRecord(Base):
    """One metric's value of one trial, in the metric's base unit.

    Narrow, with the primary key as its only index: a run's measurements are read trial by trial
    through it, and a million rows stay small. It belongs to an organization through its trial.
    """

    __tablename__ = "measurements"

    trial_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("trials.id", ondelete="CASCADE"), primary_key=True
    )
    metric: Mapped[str] = mapped_column(String(64), primary_key=True)
    subject: Mapped[str] = mapped_column(String(253), primary_key=True, default="")
    value: Mapped[float] = mapped_column(Double)


class SeriesRecord(Base):
    """A metric over the time of one trial: `values[i]` at `offsets[i]` seconds after its start."""

    __tablename__ = "series"

    trial_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("trials.id", ondelete="CASCADE"), primary_key=True
    )
    metric: Mapped[str] = mapped_column(String(64), primary_key=True)
    subject: Mapped[str] = mapped_column(String(253), primary_key=True, default="")
    offsets: Mapped[list[float]] = mapped_column(ARRAY(Double))
    values: Mapped[list[float]] = mapped_column(ARRAY(Double))
