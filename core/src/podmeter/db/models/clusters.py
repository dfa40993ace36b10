"""Registered clusters, their fingerprints, and what stood there before a mode was switched."""

import uuid
from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    Connection,
    ForeignKey,
    Index,
    LargeBinary,
    SmallInteger,
    String,
    UniqueConstraint,
    event,
    inspect,
    text,
)
from sqlalchemy.orm import Mapped, Mapper, mapped_column

from podmeter.db.base import Base, Created, Json, Name, OrganizationId, Said, Uuid, words


class PreflightState(StrEnum):
    """Where the latest preflight of a cluster is."""

    NEVER = "never"
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class Cluster(Base):
    """A registered cluster.

    `kubeconfig` is the sanitized one, encrypted; nothing but the worker reads it. `cluster_uid`
    is the UID of the kube-system namespace, known from the first preflight on; two registrations
    with one UID are one real cluster. `capabilities` is the latest preflight's report. `version`
    changes with whatever is shown of a cluster: an ETag is made of it. `restore_attempts` counts
    the tries to put it right that failed in a row; none is made before `restore_after`.
    """

    __tablename__ = "clusters"
    __table_args__ = (
        UniqueConstraint("organization_id", "name"),
        UniqueConstraint("organization_id", "id"),
        Index(None, "organization_id", "created_at", "id"),
    )

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    name: Mapped[Name]
    description: Mapped[str] = mapped_column(default="")
    server: Mapped[str]
    kubeconfig: Mapped[bytes] = mapped_column(LargeBinary)
    credential_expires_at: Mapped[datetime | None]
    cluster_uid: Mapped[str | None] = mapped_column(String(64), index=True)
    capabilities: Mapped[Json | None]
    preflight_state: Mapped[PreflightState] = mapped_column(
        words(PreflightState), default=PreflightState.NEVER
    )
    preflight_error: Mapped[Said]
    preflighted_at: Mapped[datetime | None]
    allow_mode_switch: Mapped[bool] = mapped_column(default=False)
    needs_restore: Mapped[bool] = mapped_column(default=False)
    needs_restore_reason: Mapped[Said]
    restore_attempts: Mapped[int] = mapped_column(SmallInteger, default=0)
    restore_after: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Created]
    updated_at: Mapped[Created]


#: Seen by nobody, so no new version.
_UNSEEN = {"version", "kubeconfig", "restore_attempts", "restore_after"}


@event.listens_for(Cluster, "before_update")
def _new_version(_: Mapper[Cluster], __: Connection, cluster: Cluster) -> None:
    changed = {one.key for one in inspect(cluster).attrs if one.history.has_changes()}
    if changed - _UNSEEN:
        cluster.version += 1


class FingerprintRecord(Base):
    """What a cluster was like, each distinct state once; `digest` is SHA-256 of the content.

    What a run was measured in stays when the cluster is deregistered, with no `cluster_id` then.
    """

    __tablename__ = "fingerprints"
    __table_args__ = (
        UniqueConstraint("cluster_id", "digest"),
        Index(None, "cluster_id", "observed_at", "id"),
    )

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId] = mapped_column(index=True)
    cluster_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("clusters.id", ondelete="SET NULL")
    )
    digest: Mapped[bytes] = mapped_column(LargeBinary)
    content: Mapped[Json]
    observed_at: Mapped[datetime]
    last_observed_at: Mapped[datetime]


class SavedMode(Base):
    """What stood on a cluster before a switcher changed it; written before the change.

    One open row for each real cluster and axis: a second switch keeps the first one's past. With
    no `run_id` it is what another Podmeter noted in the cluster, and an administrator confirmed.
    """

    __tablename__ = "saved_modes"
    __table_args__ = (
        Index(
            "uq_saved_modes_open",
            "cluster_uid",
            "axis",
            unique=True,
            postgresql_where=text("restored_at IS NULL"),
        ),
    )

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId] = mapped_column(index=True)
    cluster_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("clusters.id", ondelete="RESTRICT"), index=True
    )
    cluster_uid: Mapped[str] = mapped_column(String(64))
    run_id: Mapped[uuid.UUID | None] = mapped_column(
        ForeignKey("runs.id", ondelete="RESTRICT"), index=True
    )
    axis: Mapped[str] = mapped_column(String(64))
    content: Mapped[Json]
    created_at: Mapped[Created]
    restored_at: Mapped[datetime | None]
