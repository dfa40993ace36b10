"""The room that registered clusters have for Services, as their latest preflight saw it."""

import uuid
from collections.abc import Iterable

from podmeter.db.models import Cluster
from podmeter.domain.cluster_report import ClusterReport, RoomReport
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import registry
from podmeter.services.work import Work


def room_on(work: Work, principal: Principal, cluster_id: uuid.UUID) -> RoomReport | None:
    """The room of one cluster, None where it is not known. Raises NotFoundError."""
    return least_room([registry.get(work, principal, cluster_id)])


def least_room(clusters: Iterable[Cluster]) -> RoomReport | None:
    """What fits on each of them, None where that is known of none."""
    rooms = [
        room
        for cluster in clusters
        if cluster.capabilities is not None
        if (room := ClusterReport.model_validate(cluster.capabilities).room) is not None
    ]
    if not rooms:
        return None
    return RoomReport(
        services=max(room.services for room in rooms),
        free_cluster_ips=_least(room.free_cluster_ips for room in rooms),
        free_node_ports=_least(room.free_node_ports for room in rooms),
    )


def _least(counts: Iterable[int | None]) -> int | None:
    return min((count for count in counts if count is not None), default=None)
