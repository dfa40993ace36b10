"""Runs with their blocks and cases, and which real clusters they hold."""

import uuid
from datetime import datetime

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Sequence,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from podmeter.db.base import (
    Base,
    Created,
    Json,
    Name,
    OrganizationId,
    Said,
    SaidList,
    Serial,
    Uuid,
    words,
)
from podmeter.db.models.marks import Marked
from podmeter.domain.run import CaseStatus, Outcome, RunState

#: Each taking of a run by a worker gets a higher token than every one before it.
FENCING_TOKENS = Sequence("fencing_tokens", metadata=Base.metadata)


def of_run() -> ForeignKeyConstraint:
    """The constraint that a row's run belongs to the row's organization; deleted with the run."""
    return ForeignKeyConstraint(
        ["organization_id", "run_id"], ["runs.organization_id", "runs.id"], ondelete="CASCADE"
    )


class Run(Marked, Base):
    """One execution of an experiment, with the spec and environment it ran with, frozen.

    `spec` is the document of `podmeter.domain.experiment.ResolvedSpec`, `written` the
    experiment's own document as it was when the run was started.
    `waiting` is the document of `podmeter.domain.by_hand.Waiting` while the run is in that state.
    `ended_early` is why the attempt measures no more, for the worker that continues from there.
    Anyone who holds the unexpired lease with the highest `fencing_token` may change it.
    """

    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("organization_id", "id"),
        Index(None, "organization_id", "created_at", "id"),
        Index(None, "organization_id", "name", "id"),
        Index(None, "experiment_id"),
        Index(None, "sought", postgresql_using="gin"),
        Index(None, "tags", postgresql_using="gin"),
        Index(None, "labels", postgresql_using="gin"),
        Index("ix_runs_tagged", "organization_id", postgresql_where=text("tags <> '{}'::text[]")),
        Index(
            "ix_runs_unfinished", "lease_expires_at", postgresql_where=text("state != 'finished'")
        ),
        Index(
            "ix_runs_measured",
            "organization_id",
            text("coalesce(started_at, created_at) DESC"),
            "id",
            postgresql_where=text("state = 'finished'"),
        ),
        Index("ix_runs_fencing_token", "organization_id", "fencing_token"),
        CheckConstraint(
            "(state IN ('cleaning', 'finished')) = (outcome IS NOT NULL)", name="outcome_known"
        ),
    )
    _sought = (
        "sought_words(((ARRAY[name, kind, state, outcome]::text[] || tags) || labels), "
        "jsonb_path_query_array(spec, '$.axes[*].values[*]'::jsonpath), notes)"
    )

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    experiment_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("experiments.id", ondelete="SET NULL")
    )
    name: Mapped[Name]
    kind: Mapped[str] = mapped_column(String(32))
    spec: Mapped[Json]
    written: Mapped[Json]
    environment: Mapped[Json | None]
    state: Mapped[RunState] = mapped_column(words(RunState), default=RunState.QUEUED)
    outcome: Mapped[Outcome | None] = mapped_column(words(Outcome))
    reason: Mapped[Said]
    attempt: Mapped[int] = mapped_column(SmallInteger, default=1)
    cancel_requested_at: Mapped[datetime | None]
    conclude_requested_at: Mapped[datetime | None]
    holder: Mapped[str | None] = mapped_column(String(200))
    fencing_token: Mapped[int | None] = mapped_column(BigInteger)
    lease_expires_at: Mapped[datetime | None]
    #: When the lease was first found to have run out; its worker has a little time from then on.
    lease_found_expired_at: Mapped[datetime | None]
    last_event: Mapped[int] = mapped_column(BigInteger, default=0)
    waiting: Mapped[Json | None]
    ended_early: Mapped[Said]
    warnings: Mapped[SaidList]
    forced: Mapped[SaidList]
    #: Each as `key=value`, sorted; they never change.
    labels: Mapped[list[str]] = mapped_column(
        ARRAY(Text), default=list, server_default=text("'{}'::text[]")
    )
    created_by: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("users.id", ondelete="SET NULL"), index=True
    )
    created_at: Mapped[Created]
    queued_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class RunCluster(Base):
    """A cluster that a run measures; `name` is what the spec's axis `cluster` calls it."""

    __tablename__ = "run_clusters"
    __table_args__ = (of_run(), Index(None, "cluster_uid"))

    organization_id: Mapped[OrganizationId] = mapped_column(primary_key=True)
    run_id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    name: Mapped[Name] = mapped_column(primary_key=True)
    cluster_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("clusters.id", ondelete="SET NULL"), index=True
    )
    cluster_uid: Mapped[str] = mapped_column(String(64))
    authority: Mapped[str] = mapped_column(String(64), default="", server_default="")


class RunDigest(Base):
    """What is computed once of a finished run, as JSON text: a cache, which may be lost.

    It holds while the run is finished, has had no event after `last_event`, and what reads it
    computes as `version` says. `samples` are those of what its cases are about, `losses` of these
    by the default thresholds, `blocks` what a noise floor takes of them. `answer` is the first
    sentence of its headline with caveats, "" where that compares nothing, None until it was made.
    """

    __tablename__ = "run_digests"
    __table_args__ = (of_run(),)

    organization_id: Mapped[OrganizationId] = mapped_column(primary_key=True)
    run_id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    last_event: Mapped[int] = mapped_column(BigInteger)
    version: Mapped[str] = mapped_column(String(64))
    samples: Mapped[str]
    losses: Mapped[str]
    blocks: Mapped[str]
    answer: Mapped[str | None]


class ClusterClaim(Base):
    """The run that has a real cluster to itself, from preflight until it is cleaned up.

    Kept while its worker is gone: another run may begin only once this one's traces are removed.
    """

    __tablename__ = "cluster_claims"
    __table_args__ = (of_run(), Index(None, "organization_id", "run_id"))

    cluster_uid: Mapped[str] = mapped_column(String(64), primary_key=True)
    authority: Mapped[str] = mapped_column(
        String(64), primary_key=True, default="", server_default=""
    )
    organization_id: Mapped[OrganizationId]
    run_id: Mapped[uuid.UUID]
    claimed_at: Mapped[Created]


class Block(Base):
    """Cases of a run that share one set of modes in one round; times in seconds.

    `standing` is what brought the modes about, as it was before the first trial.
    """

    __tablename__ = "blocks"
    __table_args__ = (of_run(), UniqueConstraint("organization_id", "run_id", "position"))

    id: Mapped[Serial]
    organization_id: Mapped[OrganizationId]
    run_id: Mapped[uuid.UUID]
    position: Mapped[int]
    round: Mapped[int] = mapped_column(SmallInteger)
    modes: Mapped[Json]
    status: Mapped[CaseStatus] = mapped_column(words(CaseStatus), default=CaseStatus.PENDING)
    reason: Mapped[Said]
    fingerprint_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("fingerprints.id", ondelete="SET NULL"), index=True
    )
    standing: Mapped[Json | None]
    switching_seconds: Mapped[float | None]
    preparing_seconds: Mapped[float | None]
    cleaning_seconds: Mapped[float | None]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]


class CaseRecord(Base):
    """One point of a run's matrix. `point` maps axis to value; `key` is its stable name."""

    __tablename__ = "cases"
    __table_args__ = (of_run(), UniqueConstraint("organization_id", "run_id", "key"))

    id: Mapped[Serial]
    organization_id: Mapped[OrganizationId]
    run_id: Mapped[uuid.UUID]
    position: Mapped[int]
    key: Mapped[str]
    point: Mapped[Json]
    once: Mapped[bool] = mapped_column(default=False)
    status: Mapped[CaseStatus] = mapped_column(words(CaseStatus), default=CaseStatus.PENDING)
    reason: Mapped[Said]
    fingerprint_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("fingerprints.id", ondelete="SET NULL"), index=True
    )
    placement: Mapped[Json | None]
