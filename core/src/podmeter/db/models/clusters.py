"""Registered clusters, their fingerprints, and what stood there before a mode was switched."""

import uuid
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlalchemy import (
    BigInteger,
    Connection,
    ForeignKey,
    Index,
    LargeBinary,
    SmallInteger,
    String,
    UniqueConstraint,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.orm import Mapped, Mapper, aliased, column_property, mapped_column

from podmeter.db.base import Base, Created, Json, Name, OrganizationId, Said, Uuid, words
from podmeter.db.models.marks import Marked
from podmeter.domain.bench_image import OwnImage
from podmeter.domain.by_hand import DEFAULT_MINUTES
from podmeter.domain.load import LoadLimits
from podmeter.domain.real_cluster import RealCluster


class PreflightState(StrEnum):
    """Where the latest preflight of a cluster is."""

    NEVER = "never"
    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class ReplacementState(StrEnum):
    """What became of a kubeconfig that was given while the cluster had to stay the same one."""

    PENDING = "pending"
    REFUSED = "refused"
    ACCEPTED = "accepted"


class Cluster(Marked, Base):
    """A registered cluster.

    `kubeconfig` is the sanitized one, encrypted; nothing but the worker reads it. `cluster_uid`
    is the UID of the kube-system namespace and `authority` who vouches for it, both known from the
    first preflight on: what they say is in `podmeter.domain.real_cluster`. `capabilities` is the
    latest preflight's report. `version` changes with whatever is shown of a cluster: an ETag is
    made of it. `needs_restore` is of this registration's own runs; `restored_elsewhere` whether
    another registration of the same real cluster needs it. `restore_attempts` counts the tries to
    put it right that failed in a row; none is made before `restore_after`.

    `max_requests_per_second` and `max_bandwidth_bits_per_second` limit the load of runs; None is
    unlimited.

    `bench_image` and `image_pull_secret` are of its measuring pods; without the former it is the
    installation's. Nobody here knows what is in that Secret.

    `renew_credential` is whether its token is renewed by itself, `renew_at` when that is checked
    next (None: at once), `renewal_error` why it could not be the last time.

    `replacement` is where the latest kubeconfig is that had to wait until the same cluster was
    seen through it; `replacement_kubeconfig` is there while it is pending, encrypted also.
    """

    __tablename__ = "clusters"
    __table_args__ = (
        UniqueConstraint("organization_id", "name"),
        UniqueConstraint("organization_id", "id"),
        Index(None, "organization_id", "created_at", "id"),
        Index(None, "sought", postgresql_using="gin"),
    )
    _sought = (
        "sought_words((ARRAY[name, preflight_state]::text[] || tags), "
        "jsonb_path_query_array(capabilities, '$.modes.*.observed'::jsonpath), "
        "(description || ' '::text) || notes)"
    )

    id: Mapped[Uuid]
    organization_id: Mapped[OrganizationId]
    name: Mapped[Name]
    description: Mapped[str] = mapped_column(default="")
    server: Mapped[str]
    kubeconfig: Mapped[bytes] = mapped_column(LargeBinary)
    credential_expires_at: Mapped[datetime | None]
    renew_credential: Mapped[bool] = mapped_column(default=False)
    renew_at: Mapped[datetime | None]
    credential_renewed_at: Mapped[datetime | None]
    renewal_error: Mapped[Said]
    replacement: Mapped[ReplacementState | None] = mapped_column(words(ReplacementState))
    replacement_kubeconfig: Mapped[bytes | None] = mapped_column(LargeBinary)
    replacement_server: Mapped[str | None]
    replacement_expires_at: Mapped[datetime | None]
    replacement_reason: Mapped[Said]
    replacement_at: Mapped[datetime | None]
    cluster_uid: Mapped[str | None] = mapped_column(String(64), index=True)
    authority: Mapped[str] = mapped_column(String(64), default="", server_default="")
    capabilities: Mapped[Json | None]
    preflight_state: Mapped[PreflightState] = mapped_column(
        words(PreflightState), default=PreflightState.NEVER
    )
    preflight_error: Mapped[Said]
    preflighted_at: Mapped[datetime | None]
    allow_mode_switch: Mapped[bool] = mapped_column(default=False)
    allow_host_names: Mapped[bool] = mapped_column(default=False)
    allow_switch_by_hand: Mapped[bool] = mapped_column(default=False)
    switch_by_hand_minutes: Mapped[int] = mapped_column(SmallInteger, default=DEFAULT_MINUTES)
    max_requests_per_second: Mapped[int | None]
    max_bandwidth_bits_per_second: Mapped[int | None] = mapped_column(BigInteger)
    bench_image: Mapped[str | None]
    image_pull_secret: Mapped[str | None]
    needs_restore: Mapped[bool] = mapped_column(default=False)
    needs_restore_reason: Mapped[Said]
    restore_attempts: Mapped[int] = mapped_column(SmallInteger, default=0)
    restore_after: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[Created]
    updated_at: Mapped[Created]

    if TYPE_CHECKING:
        restored_elsewhere: Mapped[bool]

    @property
    def real(self) -> RealCluster | None:
        """Which real cluster it is; None before the first preflight."""
        return None if self.cluster_uid is None else RealCluster(self.cluster_uid, self.authority)

    @property
    def by_hand_minutes(self) -> int | None:
        """How long a run may wait for somebody to switch a mode; None where nobody does."""
        return self.switch_by_hand_minutes if self.allow_switch_by_hand else None

    @property
    def renews_itself(self) -> bool:
        """Whether its credentials were renewed by themselves, and nothing stands against the next
        time.
        """
        renewed = self.renew_credential and self.credential_renewed_at is not None
        return renewed and not self.renewal_error

    @property
    def load_limits(self) -> LoadLimits:
        """The most that runs may put on it."""
        return LoadLimits(self.max_requests_per_second, self.max_bandwidth_bits_per_second)

    @property
    def own_image(self) -> OwnImage:
        """What its measuring pods are made of, where that is its own."""
        return OwnImage(self.bench_image, self.image_pull_secret)


_another = aliased(Cluster)
Cluster.restored_elsewhere = column_property(
    select(_another.id)
    .where(
        _another.id != Cluster.id,
        _another.cluster_uid == Cluster.cluster_uid,
        _another.authority == Cluster.authority,
        _another.needs_restore,
    )
    .exists()
)

#: Seen by nobody, or of a version of their own, so no new version.
_UNSEEN = {
    *("tags", "notes", "marks_version", "sought"),
    *("version", "kubeconfig", "replacement_kubeconfig", "authority"),
    *("restore_attempts", "restore_after", "renew_at"),
}


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

    One open row for each axis of a registered cluster: a second switch keeps the first one's past.
    It is restored through this registration alone, and only where `cluster_uid` answers. With no
    `run_id` it is what another Podmeter noted in the cluster, and an administrator confirmed.
    """

    __tablename__ = "saved_modes"
    __table_args__ = (
        Index(
            "uq_saved_modes_open",
            "cluster_id",
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
