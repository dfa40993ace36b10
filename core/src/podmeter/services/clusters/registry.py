"""Registering clusters, changing and forgetting them. Nothing here connects to a cluster."""

import uuid
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, fields
from enum import Enum

from sqlalchemy.exc import IntegrityError

from podmeter.credentials.kubeconfig import SanitizedKubeconfig, sanitize
from podmeter.db.base import now
from podmeter.db.models import Cluster, FingerprintRecord, PreflightState, Role
from podmeter.db.paging import Page, PageRequest
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.db.repositories.marks import EVERYTHING, ListFilter
from podmeter.domain.by_hand import DEFAULT_MINUTES
from podmeter.domain.messages import say
from podmeter.jobs import PreflightCluster
from podmeter.services.accounts.principal import Principal
from podmeter.services.audit.context import Detail
from podmeter.services.clusters import kubeconfigs
from podmeter.services.clusters.kubeconfigs import Vault
from podmeter.services.errors import ConflictError, NotFoundError, StaleVersionError
from podmeter.services.quotas import Quota, require_room
from podmeter.services.work import Work


@dataclass(frozen=True)
class Registration:
    """What an owner says of a cluster; `context` picks one of the kubeconfig's."""

    name: str
    kubeconfig: bytes
    context: str | None = None
    description: str = ""
    allow_mode_switch: bool = False
    allow_host_names: bool = False
    renew_credential: bool = False
    allow_switch_by_hand: bool = False
    switch_by_hand_minutes: int = DEFAULT_MINUTES
    max_requests_per_second: int | None = None
    max_bandwidth_bits_per_second: int | None = None
    bench_image: str | None = None
    image_pull_secret: str | None = None


class Unchanged(Enum):
    """What leaves a field as it is that may be None."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED


@dataclass(frozen=True)
class ClusterChange:
    """What an owner changes of a cluster; None leaves a field as it is.

    Of the limits, the image and its pull secret it takes UNCHANGED for that: None is unlimited, the
    installation's image, and no secret. `restored` says that its owner has restored the cluster's
    modes by hand.
    """

    name: str | None = None
    description: str | None = None
    allow_mode_switch: bool | None = None
    allow_host_names: bool | None = None
    renew_credential: bool | None = None
    allow_switch_by_hand: bool | None = None
    switch_by_hand_minutes: int | None = None
    kubeconfig: bytes | None = None
    context: str | None = None
    max_requests_per_second: int | Unchanged | None = UNCHANGED
    max_bandwidth_bits_per_second: int | Unchanged | None = UNCHANGED
    bench_image: str | Unchanged | None = UNCHANGED
    image_pull_secret: str | Unchanged | None = UNCHANGED
    restored: bool = False


def register(
    work: Work, principal: Principal, vault: Vault, registration: Registration
) -> tuple[Cluster, SanitizedKubeconfig]:
    """Register a cluster; the row, and what was kept of the kubeconfig and what was dropped.

    Raises:
        RoleError, KubeconfigRefusedError: as they say.
        ConflictError: the name is taken, or the organization has as many as it may.
    """
    principal.require(Role.ADMIN)
    require_room(work.session, principal.organization_id, Quota.CLUSTERS, work.quotas)
    moment = now()
    kept = sanitize(
        registration.kubeconfig, now=moment, policy=vault.policy, context=registration.context
    )
    settings = asdict(registration)
    # Of these is stored what was kept.
    del settings["kubeconfig"], settings["context"]
    cluster = Cluster(
        **settings,
        id=uuid.uuid4(),
        organization_id=principal.organization_id,
        created_at=moment,
        updated_at=moment,
    )
    kubeconfigs.keep(cluster, kept, vault)
    clusters = ClusterRepository(work.session, principal.organization_id)
    _named(clusters, cluster, lambda: clusters.add(cluster))
    allowed = registration.allow_mode_switch
    work.audit.to("cluster", cluster.id, cluster.name, allow_mode_switch=allowed)
    return cluster, kept


def get(work: Work, principal: Principal, cluster_id: uuid.UUID) -> Cluster:
    """One cluster. Raises NotFoundError."""
    found = ClusterRepository(work.session, principal.organization_id).get(cluster_id)
    if found is None:
        raise NotFoundError("cluster")
    return found


def page(
    work: Work,
    principal: Principal,
    request: PageRequest,
    wanted: ListFilter = EVERYTHING,
    states: Collection[PreflightState] = (),
) -> Page[Cluster]:
    """Clusters, newest first unless another order is wanted; of one of the states, if any."""
    clusters = ClusterRepository(work.session, principal.organization_id)
    return clusters.page(request, wanted, states)


def change(
    work: Work,
    principal: Principal,
    vault: Vault,
    cluster_id: uuid.UUID,
    change: ClusterChange,
    version: int | None,
) -> Cluster:
    """Change a cluster, if it still has `version` (None: whatever it has).

    A kubeconfig given while a mode on the cluster must be restored waits, and a worker looks
    whether it leads to the same cluster.

    Raises:
        RoleError, NotFoundError, KubeconfigRefusedError: as they say.
        StaleVersionError: it was changed since.
        ConflictError: the name is taken, it is not marked as needing restore, or its kubeconfig
            or its image is in use by a run.
    """
    principal.require(Role.ADMIN)
    kept = None
    if change.kubeconfig is not None:
        kept = sanitize(change.kubeconfig, now=now(), policy=vault.policy, context=change.context)
    image = _image_of(change)
    if kept is not None or image or change.restored:
        # No run begins meanwhile.
        LeaseRepository(work.session).lock_queue()
    clusters = ClusterRepository(work.session, principal.organization_id)
    cluster = _locked(clusters, cluster_id, version)
    if change.description is not None:
        cluster.description = change.description
    if change.allow_mode_switch is not None:
        cluster.allow_mode_switch = change.allow_mode_switch
    if change.allow_host_names is not None:
        cluster.allow_host_names = change.allow_host_names
    if change.renew_credential is not None:
        cluster.renew_credential = change.renew_credential
        cluster.renew_at, cluster.renewal_error = None, ""
    if change.allow_switch_by_hand is not None:
        cluster.allow_switch_by_hand = change.allow_switch_by_hand
    if change.switch_by_hand_minutes is not None:
        cluster.switch_by_hand_minutes = change.switch_by_hand_minutes
    for name, limit in _limits_of(change).items():
        setattr(cluster, name, limit)
    if change.restored:
        _declare_restored(work, clusters, cluster)
    _set_image(clusters, cluster, image)
    if kept is not None and not kubeconfigs.replace(work, cluster, kept, vault):
        _ask(work, cluster)
    if change.name is not None:
        cluster.name = change.name
    cluster.updated_at = now()
    _named(clusters, cluster, work.session.flush)
    work.audit.to("cluster", cluster.id, cluster.name, **_told(change))
    return cluster


def delete(work: Work, principal: Principal, cluster_id: uuid.UUID, version: int | None) -> None:
    """Forget a cluster; its runs stay.

    Raises:
        RoleError, NotFoundError, StaleVersionError: as they say.
        ConflictError: a run needs it, or a mode on it is still to be restored.
    """
    principal.require(Role.ADMIN)
    clusters = ClusterRepository(work.session, principal.organization_id)
    cluster = _locked(clusters, cluster_id, version)
    if clusters.in_use(cluster.id):
        raise ConflictError(say("cluster_in_use"))
    if clusters.saved_modes(cluster.id, open_only=True):
        raise ConflictError(say("cluster_switched"))
    work.audit.to("cluster", cluster.id, cluster.name)
    clusters.delete(cluster)


def request_preflight(work: Work, principal: Principal, cluster_id: uuid.UUID) -> Cluster:
    """Queue a cluster's preflight; a running preflight is not queued again.

    Raises RoleError, NotFoundError.
    """
    principal.require(Role.OPERATOR)
    clusters = ClusterRepository(work.session, principal.organization_id)
    cluster = _locked(clusters, cluster_id, None)
    _ask(work, cluster)
    work.session.flush()
    work.audit.to("cluster", cluster.id, cluster.name)
    return cluster


def fingerprints(
    work: Work, principal: Principal, cluster_id: uuid.UUID, request: PageRequest
) -> Page[FingerprintRecord]:
    """What the cluster was like over time, the latest first. Raises NotFoundError."""
    get(work, principal, cluster_id)
    clusters = ClusterRepository(work.session, principal.organization_id)
    return clusters.fingerprints(cluster_id, request)


def _locked(clusters: ClusterRepository, cluster_id: uuid.UUID, version: int | None) -> Cluster:
    cluster = clusters.get(cluster_id, lock=True)
    if cluster is None:
        raise NotFoundError("cluster")
    if version is not None and version != cluster.version:
        raise StaleVersionError("cluster", cluster.version)
    return cluster


def _ask(work: Work, cluster: Cluster) -> None:
    if cluster.preflight_state is not PreflightState.RUNNING:
        cluster.preflight_state = PreflightState.QUEUED
    work.later(PreflightCluster(organization_id=cluster.organization_id, cluster_id=cluster.id))


def _told(change: ClusterChange) -> dict[str, Detail]:
    """What is changed, for the audit log: of most fields that, of what matters most to what."""
    limits = _limits_of(change)
    changed = [
        field.name
        for field in fields(change)
        if getattr(change, field.name) not in (None, UNCHANGED, False) or field.name in limits
    ]
    allowed = {
        "allow_mode_switch": change.allow_mode_switch,
        "allow_host_names": change.allow_host_names,
        "renew_credential": change.renew_credential,
        "allow_switch_by_hand": change.allow_switch_by_hand,
        "switch_by_hand_minutes": change.switch_by_hand_minutes,
    }
    given = {name: one for name, one in allowed.items() if one is not None}
    return {"changed": changed, **given, **limits}


def _limits_of(change: ClusterChange) -> dict[str, int | None]:
    given = {
        "max_requests_per_second": change.max_requests_per_second,
        "max_bandwidth_bits_per_second": change.max_bandwidth_bits_per_second,
    }
    return {name: value for name, value in given.items() if not isinstance(value, Unchanged)}


def _image_of(change: ClusterChange) -> dict[str, str | None]:
    given = {"bench_image": change.bench_image, "image_pull_secret": change.image_pull_secret}
    return {name: value for name, value in given.items() if not isinstance(value, Unchanged)}


def _set_image(clusters: ClusterRepository, cluster: Cluster, image: dict[str, str | None]) -> None:
    """Have pods be made of another image, but no run's: it would be measured with two."""
    other = {name: value for name, value in image.items() if getattr(cluster, name) != value}
    if not other:
        return
    if clusters.under_way(cluster.id):
        raise ConflictError(say("image_run_under_way"))
    for name, value in other.items():
        setattr(cluster, name, value)
    # What could not be put right may have been for want of it.
    cluster.restore_after = None


def _declare_restored(work: Work, clusters: ClusterRepository, cluster: Cluster) -> None:
    if not cluster.needs_restore:
        raise ConflictError(say("cluster_not_marked"))
    if clusters.under_way(cluster.id):
        raise ConflictError(say("cluster_busy"))
    for saved in clusters.saved_modes(cluster.id, open_only=True):
        saved.restored_at = now()
    work.session.flush()
    clusters.flag_restore(cluster.id, "")
    work.session.refresh(cluster)
    kubeconfigs.released(cluster)


def _named(clusters: ClusterRepository, cluster: Cluster, write: Callable[[], None]) -> None:
    """Write a cluster's row, whose name the organization has once."""
    name = cluster.name
    try:
        with clusters.session.begin_nested():
            write()
    except IntegrityError as error:
        if "uq_clusters_organization_id_name" in str(error.orig):
            raise ConflictError(say("cluster_name_taken", name=name)) from error
        raise
