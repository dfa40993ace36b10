"""Clusters of one organization, and the history of their fingerprints."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.orm import Session

from podmeter.db.base import Json
from podmeter.db.models import (
    Cluster,
    FingerprintRecord,
    PreflightState,
    Run,
    RunCluster,
    SavedMode,
)
from podmeter.db.paging import Page, PageRequest, fetch_page
from podmeter.db.repositories.base import OrganizationRepository
from podmeter.db.repositories.expired import delete_orphaned_fingerprints
from podmeter.db.repositories.marks import EVERYTHING, ListFilter, in_order
from podmeter.db.scopes import UNSCOPED
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import RunState


class ClusterRepository(OrganizationRepository):
    """The clusters of one organization."""

    def page(
        self,
        request: PageRequest,
        wanted: ListFilter = EVERYTHING,
        states: Collection[PreflightState] = (),
    ) -> Page[Cluster]:
        """Clusters whose latest preflight is in one of the states, in the order wanted."""
        query = select(Cluster).where(Cluster.organization_id == self.organization_id)
        if states:
            query = query.where(Cluster.preflight_state.in_(states))
        return in_order(self.session, query, Cluster, wanted, request)

    def get(self, cluster_id: uuid.UUID, *, lock: bool = False) -> Cluster | None:
        """One cluster, locked until the commit if it must be changed."""
        query = self._one(cluster_id)
        if lock:
            query = query.with_for_update().execution_options(populate_existing=True)
        return self.session.scalar(query)

    def get_unscoped(self, cluster_id: uuid.UUID) -> Cluster | None:
        """One cluster, whether the caller reaches it or not; not to be shown."""
        return self.session.scalar(self._one(cluster_id), execution_options={UNSCOPED: True})

    def by_name(self, name: str) -> Cluster | None:
        """The cluster registered by this name."""
        return self.session.scalar(
            select(Cluster).where(
                Cluster.organization_id == self.organization_id, Cluster.name == name
            )
        )

    def names(self) -> list[tuple[uuid.UUID, str]]:
        """Every registered cluster by name, whether the caller reaches it or not."""
        query = (
            select(Cluster.id, Cluster.name)
            .where(Cluster.organization_id == self.organization_id)
            .order_by(Cluster.name)
        )
        found = self.session.execute(query, execution_options={UNSCOPED: True})
        return [(row[0], row[1]) for row in found]

    def add(self, cluster: Cluster) -> None:
        """Add a cluster."""
        self.session.add(cluster)
        self.session.flush()

    def delete(self, cluster: Cluster) -> None:
        """Forget a cluster and what was restored on it long ago.

        Of its fingerprints those stay that its runs were measured in.
        """
        # By a statement of its own: a session is free to delete the cluster first.
        self.session.execute(
            delete(SavedMode).where(
                SavedMode.organization_id == self.organization_id,
                SavedMode.cluster_id == cluster.id,
            )
        )
        self.session.delete(cluster)
        self.session.flush()
        delete_orphaned_fingerprints(self.session)

    def saved_modes(self, cluster_id: uuid.UUID, *, open_only: bool = False) -> list[SavedMode]:
        """What stood on the cluster before a switch; open ones were not restored yet."""
        query = select(SavedMode).where(
            SavedMode.organization_id == self.organization_id, SavedMode.cluster_id == cluster_id
        )
        if open_only:
            query = query.where(SavedMode.restored_at.is_(None))
        return list(self.session.scalars(query.order_by(SavedMode.created_at, SavedMode.id)))

    def open_modes_of_run(self, run_id: uuid.UUID) -> list[SavedMode]:
        """What a run switched and nobody has restored yet."""
        query = select(SavedMode).where(
            SavedMode.organization_id == self.organization_id,
            SavedMode.run_id == run_id,
            SavedMode.restored_at.is_(None),
        )
        return list(self.session.scalars(query))

    def is_switched(self, real: RealCluster) -> bool:
        """Whether a mode of a real cluster must be restored, through whichever registration."""
        query = (
            select(SavedMode.id)
            .join(Cluster, Cluster.id == SavedMode.cluster_id)
            .where(
                SavedMode.cluster_uid == real.uid,
                Cluster.authority == real.authority,
                SavedMode.restored_at.is_(None),
            )
        )
        return self._is_any(query)

    def add_saved_mode(self, saved: SavedMode) -> None:
        """Keep what stood before a switch."""
        self.session.add(saved)
        self.session.flush()

    def close_saved_mode(self, saved_id: uuid.UUID, moment: datetime) -> None:
        """Note that a mode was restored."""
        self.session.execute(
            update(SavedMode)
            .where(
                SavedMode.organization_id == self.organization_id,
                SavedMode.id == saved_id,
                SavedMode.restored_at.is_(None),
            )
            .values(restored_at=moment)
        )

    def in_use(self, cluster_id: uuid.UUID) -> bool:
        """Whether a run that has not finished needs the cluster."""
        return self._has_run(cluster_id, Run.state != RunState.FINISHED)

    def under_way(self, cluster_id: uuid.UUID) -> bool:
        """Whether a worker has a run on the cluster, or one was begun and has not finished."""
        begun = Run.state.not_in([RunState.QUEUED, RunState.FINISHED])
        # Its worker looks whether it can begin; if that one is gone, nothing was begun.
        taken = and_(Run.state == RunState.QUEUED, Run.lease_expires_at > func.clock_timestamp())
        return self._has_run(cluster_id, or_(begun, taken))

    def fingerprints(self, cluster_id: uuid.UUID, request: PageRequest) -> Page[FingerprintRecord]:
        """What the cluster was like, each distinct state once, the latest first."""
        model = FingerprintRecord
        query = select(model).where(
            model.organization_id == self.organization_id, model.cluster_id == cluster_id
        )
        columns = [model.observed_at, model.id]
        return fetch_page(
            self.session,
            query,
            columns,
            lambda row: (row.observed_at, row.id),
            request,
            descending=True,
        )

    def last_seen(self) -> dict[uuid.UUID, FingerprintRecord]:
        """By cluster what it was like when somebody looked last."""
        model = FingerprintRecord
        query = (
            select(model)
            .where(model.organization_id == self.organization_id, model.cluster_id.is_not(None))
            .ext(distinct_on(model.cluster_id))
            .order_by(model.cluster_id, model.last_observed_at.desc(), model.id)
        )
        found = self.session.scalars(query)
        return {row.cluster_id: row for row in found if row.cluster_id is not None}

    def record_fingerprint(
        self, cluster_id: uuid.UUID, digest: bytes, content: Json, moment: datetime
    ) -> uuid.UUID:
        """Note that the cluster was seen like this; the id of that state."""
        values = {
            "id": uuid.uuid4(),
            "organization_id": self.organization_id,
            "cluster_id": cluster_id,
            "digest": digest,
            "content": content,
            "observed_at": moment,
            "last_observed_at": moment,
        }
        statement = (
            insert(FingerprintRecord)
            .values(values)
            .on_conflict_do_update(
                index_elements=["cluster_id", "digest"], set_={"last_observed_at": moment}
            )
            .returning(FingerprintRecord.id)
        )
        return self.session.execute(statement).scalar_one()

    def flag_restore(self, cluster_id: uuid.UUID, reason: str) -> None:
        """Mark a cluster as needing restore, with the reason why; '' for not any more.

        Other registrations of the real cluster show that one does, so they have a new version.
        """
        real = self.session.execute(
            update(Cluster)
            .where(Cluster.organization_id == self.organization_id, Cluster.id == cluster_id)
            .values(
                needs_restore=bool(reason),
                needs_restore_reason=reason,
                restore_attempts=0,
                restore_after=None,
                version=Cluster.version + 1,
            )
            .returning(Cluster.cluster_uid, Cluster.authority)
        ).one_or_none()
        if real is not None and real.cluster_uid is not None:
            self.session.execute(
                update(Cluster)
                .where(
                    Cluster.cluster_uid == real.cluster_uid,
                    Cluster.authority == real.authority,
                    Cluster.id != cluster_id,
                )
                .values(version=Cluster.version + 1),
                execution_options={UNSCOPED: True},
            )

    def _one(self, cluster_id: uuid.UUID) -> Select[Cluster]:
        return select(Cluster).where(
            Cluster.organization_id == self.organization_id, Cluster.id == cluster_id
        )

    def _has_run(self, cluster_id: uuid.UUID, which: ColumnElement[bool]) -> bool:
        query = (
            select(RunCluster.run_id)
            .join(Run, Run.id == RunCluster.run_id)
            .where(
                RunCluster.organization_id == self.organization_id,
                RunCluster.cluster_id == cluster_id,
                which,
            )
        )
        return self._is_any(query)

    def _is_any(self, query: Select[*tuple[Any, ...]]) -> bool:
        # A token reaches no run that uses another cluster, too, but must not change a cluster
        # under it.
        exists = select(query.exists())
        return bool(self.session.scalar(exists, execution_options={UNSCOPED: True}))


def left_switched(session: Session) -> list[str]:
    """The names of the clusters, of all organizations, on which a mode is still to be restored."""
    query = (
        select(Cluster.name)
        .join(SavedMode, SavedMode.cluster_id == Cluster.id)
        .where(SavedMode.restored_at.is_(None))
    )
    return sorted(set(session.scalars(query)))


def all_clusters(
    session: Session,
    *,
    needs_restore: bool | None = None,
    preflight_state: PreflightState | None = None,
) -> list[Cluster]:
    """The clusters of all organizations that are so; None does not filter."""
    query = select(Cluster)
    if needs_restore is not None:
        query = query.where(Cluster.needs_restore == needs_restore)
    if preflight_state is not None:
        query = query.where(Cluster.preflight_state == preflight_state)
    return list(session.scalars(query.order_by(Cluster.created_at, Cluster.id)))


def renewable_clusters(session: Session, moment: datetime) -> list[Cluster]:
    """The clusters of all organizations whose credentials are to be looked at for renewal."""
    query = select(Cluster).where(
        Cluster.renew_credential, or_(Cluster.renew_at.is_(None), Cluster.renew_at <= moment)
    )
    return list(session.scalars(query.order_by(Cluster.created_at, Cluster.id)))
