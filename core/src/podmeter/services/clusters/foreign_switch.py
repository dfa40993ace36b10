"""Putting back what another Podmeter switched in a cluster and left, once its owner confirms it."""

import uuid
from collections.abc import Sequence

from podmeter.db.models import Cluster, Role, SavedMode
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.domain.cluster_report import PREFLIGHT_REPORT, UnrestoredSwitch
from podmeter.domain.components.registry import COMPONENTS
from podmeter.domain.messages import say
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ConflictError, NotFoundError
from podmeter.services.execution import modes
from podmeter.services.work import Work


def restore_foreign_switch(
    work: Work, principal: Principal, cluster_id: uuid.UUID, confirmed: Sequence[UnrestoredSwitch]
) -> Cluster:
    """Let a worker restore the original mode noted in the cluster; runs wait until it has.

    `confirmed` is what its owner was shown, and must be all that the latest preflight found: what
    stood comes from the cluster, and nobody here can vouch for it.

    Raises:
        RoleError, NotFoundError: as they say.
        ConflictError: nothing else than that was found, a run needs the cluster, or it is being
            restored already.
    """
    principal.require(Role.ADMIN)
    clusters = ClusterRepository(work.session, principal.organization_id)
    cluster = clusters.get(cluster_id, lock=True)
    if cluster is None:
        raise NotFoundError("cluster")
    found = _found(cluster)
    known = all(_is_switched(one) for one in found)
    if cluster.real is None or not found or not known or list(confirmed) != found:
        raise ConflictError(say("stood_before_unlike"))
    if cluster.needs_restore or clusters.is_switched(cluster.real):
        raise ConflictError(say("cluster_switched"))
    if clusters.in_use(cluster.id):
        raise ConflictError(say("cluster_busy"))
    for one in found:
        clusters.add_saved_mode(
            SavedMode(
                organization_id=principal.organization_id,
                cluster_id=cluster.id,
                cluster_uid=cluster.real.uid,
                axis=one.axis,
                content={"component": one.component, "saved": one.saved, "confirmed": True},
            )
        )
    cluster.capabilities = {**(cluster.capabilities or {}), "stood_before": []}
    work.session.flush()
    reason = say("put_back_confirmed", who=principal.email)
    modes.flag(work, principal.organization_id, cluster.id, reason)
    work.session.refresh(cluster)
    work.audit.to("cluster", cluster.id, cluster.name)
    return cluster


def _found(cluster: Cluster) -> list[UnrestoredSwitch]:
    if cluster.capabilities is None:
        return []
    return PREFLIGHT_REPORT.read(cluster.capabilities).stood_before


def _is_switched(noted: UnrestoredSwitch) -> bool:
    component = COMPONENTS.get(noted.component)
    return component is not None and component.axis == noted.axis
