"""What a cluster decides of an experiment, by the latest look at it: pairs of nodes, and the room
for Services; by what was done there how long switching and measuring take.
"""

import uuid
from collections.abc import Iterable
from dataclasses import replace

from podmeter.db.models import Cluster
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.domain.cluster_report import PREFLIGHT_REPORT, RoomReport
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.messages import say
from podmeter.domain.modes import CLUSTER
from podmeter.kinds.fitting import fitted
from podmeter.kinds.registry import (
    cases_of,
    pairs_left_open,
    read_spec,
    resolve,
    with_pairs,
)
from podmeter.services.accounts.principal import Principal
from podmeter.services.clusters import registry
from podmeter.services.errors import ConflictError
from podmeter.services.experiments.feasible import feasible, with_credentials, with_decision
from podmeter.services.experiments.impact import impact_of
from podmeter.services.experiments.pace import ASSUMED, on_cluster
from podmeter.services.experiments.plan import Plan, plan_spec
from podmeter.services.work import Work


def plan_at(
    work: Work, principal: Principal, document: object, cluster_id: uuid.UUID | None
) -> Plan:
    """The plan of an experiment's document, on a cluster where one is known.

    That is the given one, or those that the document itself names. Pairs of nodes and room are
    those of an only cluster that somebody has looked at; else pairs stay open and room is taken to
    be there. Raises InvalidSpecError, NotFoundError.
    """
    written = read_spec(document)
    spec = resolve(written)
    clusters = _clusters(work, principal, spec, cluster_id)
    alone = next(iter(clusters.values())) if len(clusters) == 1 else None
    room, pace = None, ASSUMED
    if alone is not None and alone.capabilities is not None:
        room, pace = least_room([alone]), on_cluster(work, alone, spec)
        spec = named_pairs(resolve(written, room), alone)
    found = with_decision(feasible(work, spec, cases_of(spec), clusters), spec)
    planned = plan_spec(written, spec, room, pace, found)
    judged = with_credentials(found, work, spec, planned.blocks, clusters)
    impact = impact_of(work, planned, clusters)
    return replace(planned, feasibility=judged, fitted=fitted(written, judged), impact=impact)


def named_pairs(spec: ResolvedSpec, cluster: Cluster) -> ResolvedSpec:
    """The spec with the pairs named that it leaves to the cluster.

    Raises InvalidSpecError where there are none or too many; ConflictError where nobody has looked
    at the cluster yet.
    """
    if pairs_left_open(spec) is None:
        return spec
    if cluster.capabilities is None:
        raise ConflictError(say("nodes_unknown"))
    report = PREFLIGHT_REPORT.read(cluster.capabilities)
    return with_pairs(spec, report.measuring_nodes)


def least_room(clusters: Iterable[Cluster]) -> RoomReport | None:
    """What fits on each of them, None where that is known of none."""
    rooms = [
        room
        for cluster in clusters
        if cluster.capabilities is not None
        if (room := PREFLIGHT_REPORT.read(cluster.capabilities).room) is not None
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


def _clusters(
    work: Work, principal: Principal, spec: ResolvedSpec, cluster_id: uuid.UUID | None
) -> dict[str, Cluster]:
    names = [str(name) for name in spec.matrix.get(CLUSTER, ())]
    if names:
        repository = ClusterRepository(work.session, principal.organization_id)
        found = {name: repository.by_name(name) for name in names}
        return {name: cluster for name, cluster in found.items() if cluster is not None}
    if cluster_id is None:
        return {}
    cluster = registry.get(work, principal, cluster_id)
    return {cluster.name: cluster}
