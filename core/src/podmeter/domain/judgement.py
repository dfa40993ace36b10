"""The one judgement of what a cluster can measure of an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain import feasibility as words
from podmeter.domain.feasibility import (
    PREFLIGHT_HOLDS,
    ClusterState,
    Demand,
    Feasibility,
    Fix,
    LeftOut,
    Level,
    Obstacle,
    Requirements,
)
from podmeter.domain.load_limits import broken_limits, only_of
from podmeter.domain.messages import Message, say
from podmeter.domain.mode_obstacles import mode_obstacles, why_unavailable
from podmeter.domain.node_pairs import NODE_PAIR, ROTATE
from podmeter.domain.ports import Access

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from podmeter.domain.cluster_report import CapabilityReport, RefusalReport

_HOST = frozenset({Access.HOST, Access.HOST_ADMIN})
#: Taints that nobody is to remove: of nodes that are none, and of Kubernetes' own.
_TAINTS = (
    (("virtual-kubelet.io/", "eks.amazonaws.com/compute-type"), "fix_virtual"),
    (("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/"), "fix_ailing"),
)


def judge(requirements: Requirements, state: ClusterState, now: datetime) -> Feasibility:
    """Obstacles to an experiment on a cluster, and which of its cases are left out.

    Obstacles to single cases leave these out; an obstacle to all of them
    stands against the experiment.
    """
    obstacles = [
        *_registered(requirements, state, now),
        *_rights(requirements, state),
        *_nodes(requirements, state),
        *_pods(state, None),
        *mode_obstacles(requirements, state),
        *_room(requirements, state),
        *_rotation(requirements, state),
        *broken_limits(requirements, state),
    ]
    whole, left_out, impossible = _cases(requirements, state)
    named = {axis: set(values) for axis, values in requirements.modes.items()}
    unavailable = tuple(
        one
        for axis, values in requirements.known_modes.items()
        for value in values
        if value not in named.get(axis, ())
        if (one := why_unavailable(state, axis, value)) is not None
    )
    return Feasibility((*obstacles, *whole), left_out, unavailable, impossible)


def _registered(
    requirements: Requirements, state: ClusterState, now: datetime
) -> Iterator[Obstacle]:
    """What is known of the registration, and how fresh its preflight is."""
    cluster = state.cluster
    preflight = say("fix_preflight", cluster=cluster)
    if state.preflighted_at is None:
        cause = say("preflight_missing", cluster=cluster)
        if state.preflight_error is not None:
            cause = say("preflight_failed", cluster=cluster, why=state.preflight_error)
        yield Obstacle(cluster, "preflight_missing", cause, preflight, fix=Fix.PREFLIGHT)
    elif state.preflight_error is not None:
        cause = say("preflight_failed", cluster=cluster, why=state.preflight_error)
        yield Obstacle(
            cluster, "preflight_failed", cause, preflight, Level.UNCERTAIN, fix=Fix.PREFLIGHT
        )
    elif now - state.preflighted_at > PREFLIGHT_HOLDS:
        hours = int((now - state.preflighted_at).total_seconds() // 3600)
        cause = say("preflight_old", cluster=cluster, hours=hours)
        yield Obstacle(
            cluster, "preflight_old", cause, preflight, Level.UNCERTAIN, fix=Fix.PREFLIGHT
        )
    restore = say("fix_restore", cluster=cluster)
    if state.needs_restore is not None:
        cause = say("cluster_needs_restore", cluster=cluster, reason=state.needs_restore)
        yield Obstacle(cluster, "needs_restore", cause, restore)
    if state.restored_elsewhere:
        cause = say("cluster_restored_elsewhere", cluster=cluster)
        yield Obstacle(cluster, "restored_elsewhere", cause, restore)
    for noted in [] if state.report is None else state.report.stood_before:
        remedy = say("fix_stood_before", cluster=cluster)
        yield Obstacle(cluster, "stood_before", noted.said, remedy, subject=noted.component)
    if requirements.hosts and not state.allow_host_names:
        cause = say("host_names_not_allowed", hosts=requirements.hosts, cluster=cluster)
        remedy = say("fix_allow_host_names", cluster=cluster)
        yield Obstacle(cluster, "host_names_not_allowed", cause, remedy, fix=Fix.ALLOW_HOST_NAMES)
    if state.credential is not None:
        remedy = say("fix_credential", cluster=cluster)
        yield Obstacle(cluster, "credential_too_short", state.credential, remedy)
    unseen = None if state.report is None else state.report.not_looked_at
    if unseen is not None and unseen.code == "no_image":
        remedy = say("fix_no_image", cluster=cluster)
        yield Obstacle(cluster, "no_image", unseen, remedy)


def _rights(requirements: Requirements, state: ClusterState) -> Iterator[Obstacle]:
    """Rights without which nothing is measured, or no mode switched."""
    needed = ["measure"]
    if requirements.modes:
        # By hand nothing is changed by Podmeter: it looks into the nodes alone.
        switches = state.allow_mode_switch or state.by_hand_minutes is None
        needed.append("switch_modes" if switches else "host_access")
    for capability in needed:
        obstacle = _missing_rights(state, capability)
        if obstacle is not None:
            yield obstacle


def _missing_rights(state: ClusterState, capability: str) -> Obstacle | None:
    report = None if state.report is None else state.report.rights.get(capability)
    if report is None or not report.missing:
        return None
    return Obstacle(
        state.cluster,
        "rights_missing",
        _lacking(state.cluster, capability, report),
        say("fix_manifest", capability=capability, cluster=state.cluster),
        subject=capability,
        fix=Fix.MANIFEST,
    )


def _lacking(cluster: str, capability: str, report: CapabilityReport) -> Message:
    first = report.missing[0]
    return say(
        "capability_missing",
        cluster=cluster,
        capability=capability,
        count=sum(len(one.verbs) for one in report.missing),
        verbs=first.verbs,
        resource=f"{first.resource}.{first.group}" if first.group else first.resource,
    )


def _nodes(requirements: Requirements, state: ClusterState) -> Iterator[Obstacle]:
    """Nodes that the experiment cannot do without."""
    report, cluster = state.report, state.cluster
    if report is None:
        return
    nodes = {one.name: one for one in state.measuring_nodes}
    if not nodes:
        whys = [(one.name, one.why_unfit) for one in report.nodes if one.why_unfit is not None]
        groups = words.grouped(whys)
        cause = say("nodes_unfit", cluster=cluster, nodes=_whys(groups) or "-")
        remedies = [_node_remedy(cluster, why, names[0]) for why, names in groups.items()]
        remedy = say("several", several=remedies) if remedies else say("fix_nodes", cluster=cluster)
        subject = whys[0][0] if whys else None
        yield Obstacle(cluster, "nodes_unfit", cause, remedy, subject=subject)
        return
    for parameter, name in (
        ("client_node", requirements.client),
        ("server_node", requirements.server),
    ):
        if name is not None and name not in nodes:
            cause = say("node_not_there", parameter=parameter, node=name, cluster=cluster)
            remedy = say("fix_node_name", nodes=list(nodes))
            yield Obstacle(cluster, "node_not_there", cause, remedy, subject=name)


def _whys(groups: dict[Message, list[str]]) -> list[Message]:
    return [say("nodes_why", nodes=names, why=why) for why, names in groups.items()]


def _node_remedy(cluster: str, why: Message, node: str) -> Message:
    match why.code:
        case "tainted":
            taint = str(why.params["taint"])
            code = next((fix for keys, fix in _TAINTS if taint.startswith(keys)), "fix_taint")
            return say(code, node=node, taint=taint)
        case "not_ready":
            return say("fix_not_ready", node=node)
        case "cordoned":
            return say("fix_cordoned", node=node)
        case "no_ipv4":
            return say("fix_no_ipv4")
        case "not_linux":
            return say("fix_not_linux", cluster=cluster)
    return say("fix_nodes", cluster=cluster)


def _pods(state: ClusterState, access: Access | None) -> Iterator[Obstacle]:
    """What the cluster refuses or changes of measuring pods."""
    for one in state.refusals(access):
        # Said of the nodes, with each one's cause.
        if one.what.code != "no_measuring_node":
            yield _refusal(state.cluster, one)


def _refusal(cluster: str, one: RefusalReport) -> Obstacle:
    level = Level.NOTE if one.uncertain else Level.REFUSED
    return Obstacle(cluster, one.what.code, one.what, one.mend, level, subject=one.subject)


def _room(requirements: Requirements, state: ClusterState) -> Iterator[Obstacle]:
    room = None if state.report is None else state.report.room
    if room is None:
        return
    for code, free, needed in (
        ("no_room", room.free_cluster_ips, requirements.services),
        ("no_node_ports", room.free_node_ports, requirements.node_ports),
    ):
        if free is not None and free < needed:
            cause = say(code, cluster=state.cluster, free=free, needed=needed)
            remedy = say("fix_room")
            # Services come and go.
            yield Obstacle(state.cluster, code, cause, remedy, Level.UNCERTAIN, axis="services")


def _rotation(requirements: Requirements, state: ClusterState) -> Iterator[Obstacle]:
    """Why the pair of nodes cannot change by round: something else keeps the nodes."""
    if requirements.rotates and requirements.beside:
        remedy = say("fix_rotate_beside", axis=NODE_PAIR)
        cause = say("rotate_beside", axis=NODE_PAIR, value=ROTATE)
        yield Obstacle(state.cluster, "rotate_beside", cause, remedy, axis=NODE_PAIR, value=ROTATE)


def _cases(
    requirements: Requirements, state: ClusterState
) -> tuple[tuple[Obstacle, ...], tuple[LeftOut, ...], frozenset[str]]:
    """Obstacles to single cases: to all of them, or the cases that are left out."""
    checks: list[tuple[Obstacle, Callable[[Demand], bool]]] = [
        *_near_nodes(state),
        *_pod_accesses(state),
        *_outside(state),
        *_two_nodes(requirements, state),
    ]
    whole: list[Obstacle] = []
    affected: list[tuple[Obstacle, list[Demand]]] = []
    impossible: set[str] = set()
    for obstacle, concerns in checks:
        concerned = [one for one in requirements.demands if concerns(one)]
        if not concerned:
            continue
        if obstacle.level is Level.NOTE or len(concerned) == len(requirements.demands):
            whole.append(obstacle)
            continue
        affected.append((obstacle, concerned))
        impossible.update(one.case.key for one in concerned)
    left = [one for one in requirements.demands if one.case.key not in impossible]
    if affected and not left:
        # Together they leave nothing.
        return (*whole, *(obstacle for obstacle, _ in affected)), (), frozenset()
    left_out = tuple(_left_out(one, concerned, left) for one, concerned in affected)
    return tuple(whole), left_out, frozenset(impossible)


def _left_out(obstacle: Obstacle, concerned: list[Demand], left: list[Demand]) -> LeftOut:
    """The axis and values that no case is left of, where one axis says it all."""
    return LeftOut(obstacle, len(concerned), *only_of(concerned, left))


def _near_nodes(state: ClusterState) -> Iterator[tuple[Obstacle, Callable[[Demand], bool]]]:
    missing = _missing_rights(state, "host_access")
    if missing is not None:
        yield missing, lambda one: bool(one.access & _HOST)


def _pod_accesses(state: ClusterState) -> Iterator[tuple[Obstacle, Callable[[Demand], bool]]]:
    by_cause: dict[str, tuple[Obstacle, set[Access]]] = {}
    for access in Access:
        for obstacle in _pods(state, access):
            key = f"{obstacle.code} {obstacle.remedy} {obstacle.subject}"
            by_cause.setdefault(key, (obstacle, set()))[1].add(access)
    for obstacle, accesses in by_cause.values():
        yield obstacle, lambda one, refused=accesses: bool(one.access & refused)  # type: ignore[misc]


def _outside(state: ClusterState) -> Iterator[tuple[Obstacle, Callable[[Demand], bool]]]:
    if state.outside is False:
        obstacle = Obstacle(
            state.cluster, "no_outside_client", say("plan_needs_outside"), say("fix_outside")
        )
        yield obstacle, lambda one: Access.OUTSIDE in one.access


def _two_nodes(
    requirements: Requirements, state: ClusterState
) -> Iterator[tuple[Obstacle, Callable[[Demand], bool]]]:
    nodes, cluster = state.measuring_nodes, state.cluster
    if len(nodes) == 1 and state.report is not None:
        whys = [
            (one.name, one.why_unfit) for one in state.report.nodes if one.why_unfit is not None
        ]
        groups, node = words.grouped(whys), nodes[0].name
        if groups:
            cause = say("second_node_missing_why", cluster=cluster, node=node, nodes=_whys(groups))
            fixes = [_node_remedy(cluster, why, names[0]) for why, names in groups.items()]
            remedy = say("several", several=fixes)
        else:
            cause = say("second_node_missing", cluster=cluster, node=node)
            remedy = say("fix_second_node", cluster=cluster)
        yield (
            Obstacle(cluster, "second_node_missing", cause, remedy, subject=node),
            lambda one: one.nodes > 1,
        )
    elif (obstacle := _unlike(requirements, state)) is not None:
        yield obstacle, lambda one: one.nodes > 1


def _unlike(requirements: Requirements, state: ClusterState) -> Obstacle | None:
    """Why the two nodes that would be measured are of different architectures."""
    by_name = {one.name: one for one in state.measuring_nodes}
    named = {requirements.client, requirements.server}
    free = iter(sorted(name for name in by_name if name not in named))
    chosen = [
        by_name.get(name if name is not None else next(free, ""))
        for name in (requirements.client, requirements.server)
    ]
    client, server = chosen
    if requirements.rotates and client is not None:
        first = client.architecture
        server = next((one for one in state.measuring_nodes if one.architecture != first), server)
    if client is None or server is None or client.architecture == server.architecture:
        return None
    groups: dict[str, list[str]] = {}
    for node in state.measuring_nodes:
        groups.setdefault(node.architecture, []).append(node.name)
    listed = [f"{kind}: {' '.join(names)}" for kind, names in sorted(groups.items())]
    return Obstacle(
        state.cluster,
        "architectures_unlike",
        say(
            "architectures_unlike",
            client=client.name,
            client_architecture=client.architecture,
            server=server.name,
            server_architecture=server.architecture,
        ),
        say("fix_architectures", nodes=listed),
        subject=server.name,
    )
