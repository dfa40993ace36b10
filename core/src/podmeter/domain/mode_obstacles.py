"""Why a cluster's modes cannot be switched, and on which nodes a switch is felt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.by_hand import how_to, switchable_by_hand
from podmeter.domain.feasibility import Fix, Level, Obstacle
from podmeter.domain.messages import say
from podmeter.domain.mode_remedies import is_like_none, remedy_for
from podmeter.domain.modes import ENCAPSULATION, KUBE_PROXY_MODE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podmeter.domain.axes import AxisValue
    from podmeter.domain.cluster_report import AxisReport
    from podmeter.domain.feasibility import ClusterState, Requirements
    from podmeter.domain.messages import Message

#: Codes of `not_looked_at` that another obstacle says already, with its remedy.
_SAID_OTHERWISE = ("rights_missing", "pods_refused", "pods_not_started", "no_image")


def mode_obstacles(requirements: Requirements, state: ClusterState) -> Iterator[Obstacle]:
    """Obstacles to switching, once for an axis or for each value."""
    cluster = state.cluster
    by_hand = [axis for axis in requirements.modes if state.is_by_hand(axis)]
    if len(by_hand) < len(requirements.modes) and not state.allow_mode_switch:
        yield Obstacle(
            cluster,
            "switch_not_allowed",
            say("switch_not_allowed", cluster=cluster, axes=sorted(requirements.modes)),
            say("fix_allow_mode_switch", cluster=cluster),
            fix=Fix.ALLOW_MODE_SWITCH,
        )
    report = state.report
    if (
        requirements.modes
        and report is not None
        and report.not_looked_at is not None
        and not report.modes
    ):
        unseen = report.not_looked_at
        if unseen.code not in _SAID_OTHERWISE:
            yield Obstacle(
                cluster,
                "inside_unseen",
                say("inside_unseen", cluster=cluster, why=unseen),
                say("fix_preflight", cluster=cluster),
                Level.UNCERTAIN,
                fix=Fix.PREFLIGHT,
            )
    reported: set[tuple[str, AxisValue | None]] = set()
    for axis, values in requirements.modes.items():
        if axis == ENCAPSULATION and len(state.measuring_nodes) == 1:
            node = state.measuring_nodes[0].name
            cause = say("mode_needs_two", axis=axis, cluster=cluster, node=node)
            remedy = say("fix_second_node", cluster=cluster)
            yield Obstacle(cluster, "mode_needs_two", cause, remedy, subject=node, axis=axis)
            continue
        for value in values:
            obstacle = why_unavailable(state, axis, value)
            if obstacle is not None and (axis, obstacle.value) not in reported:
                reported.add((axis, obstacle.value))
                yield obstacle
    yield from _by_hand(requirements, state, by_hand)
    if KUBE_PROXY_MODE in requirements.modes and KUBE_PROXY_MODE not in by_hand:
        yield from _felt(requirements, state)


def _felt(requirements: Requirements, state: ClusterState) -> Iterator[Obstacle]:
    """On which nodes a switch of kube-proxy's mode is felt, as far as the preflight tells."""
    known = None if state.report is None else state.report.modes.get(KUBE_PROXY_MODE)
    if state.report is None or known is None or known.component is None:
        return
    cluster, axis = state.cluster, KUBE_PROXY_MODE
    linux = {
        node.name
        for node in state.report.nodes
        if node.why_unfit is None or node.why_unfit.code != "not_linux"
    }
    why = known.why_everywhere
    if requirements.beside:
        if not known.on_nodes:
            why = why or say("no_reason")
        yield from _beside(requirements, state, linux, why)
        return
    if known.on_nodes:
        spared = len(linux - (requirements.measured or linux))
        if spared and requirements.measured:
            nodes = sorted(requirements.measured)
            cause = say("switched_on_nodes", axis=axis, cluster=cluster, nodes=nodes, spared=spared)
            remedy = say("fix_other_nodes")
            yield Obstacle(cluster, "switched_on_nodes", cause, remedy, Level.NOTE, axis=axis)
            return
        why = say("any_node_asked") if requirements.measured is None else say("every_node_measures")
    if why is not None:
        cause = say("switched_everywhere", axis=axis, cluster=cluster, nodes=sorted(linux), why=why)
        remedy = say("fix_quiet_time")
        if why.code == "nodes_alone_rights":
            remedy = say("fix_manifest", capability="switch_modes", cluster=cluster)
        yield Obstacle(cluster, "switched_everywhere", cause, remedy, Level.NOTE, axis=axis)


def _beside(
    requirements: Requirements, state: ClusterState, linux: set[str], why: Message | None
) -> Iterator[Obstacle]:
    """Which nodes have which mode where modes are side by side, or why that cannot be here."""
    cluster, axis, nodes = state.cluster, KUBE_PROXY_MODE, len(state.measuring_nodes)
    modes = [str(mode) for mode in requirements.modes[axis]]
    needed = max((demand.nodes for demand in requirements.demands), default=0)
    if why is not None:
        cause = say("beside_everywhere", axis=axis, cluster=cluster, why=why)
        remedy = say("fix_assignment")
        if why.code == "nodes_alone_rights":
            remedy = say("fix_manifest", capability="switch_modes", cluster=cluster)
        yield Obstacle(cluster, "beside_everywhere", cause, remedy, axis=axis)
    elif not requirements.seats:
        cause = say("beside_few_nodes", cluster=cluster, needed=needed, count=nodes)
        remedy = say("fix_assignment")
        yield Obstacle(cluster, "beside_few_nodes", cause, remedy, axis=axis)
    else:
        cause = say(
            "switched_beside",
            axis=axis,
            cluster=cluster,
            modes=modes,
            nodes=list(requirements.seats),
            spared=len(linux - set(requirements.seats)),
        )
        remedy = say("fix_other_nodes")
        yield Obstacle(cluster, "switched_beside", cause, remedy, Level.NOTE, axis=axis)


def _by_hand(
    requirements: Requirements, state: ClusterState, axes: list[str]
) -> Iterator[Obstacle]:
    """What somebody is asked for during the run, and what nobody can do by hand."""
    cluster = state.cluster
    for axis in axes:
        known = None if state.report is None else state.report.modes.get(axis)
        if known is None or not switchable_by_hand(known):
            continue
        modes = requirements.modes[axis]
        how = [how_to(known.why_not, axis, mode) for mode in modes]
        cause = say(
            "mode_by_hand",
            axis=axis,
            cluster=cluster,
            modes=[str(mode) for mode in modes],
            minutes=state.by_hand_minutes,
        )
        remedy = say("fix_at_hand", how=how)
        yield Obstacle(cluster, "mode_by_hand", cause, remedy, Level.NOTE, axis=axis)
    for what in requirements.takes_switching if axes else ():
        cause = say("by_hand_cannot", axes=axes, cluster=cluster, what=what)
        remedy = say("fix_leave_out", what=what)
        yield Obstacle(cluster, "by_hand_cannot", cause, remedy, subject=what)


def why_unavailable(state: ClusterState, axis: str, value: AxisValue) -> Obstacle | None:
    """Why a cluster cannot have a mode, as its preflight saw it; None if it can or nobody knows."""
    known = None if state.report is None else state.report.modes.get(axis)
    if known is None:
        return None
    by_hand = state.is_by_hand(axis) and switchable_by_hand(known)
    if known.why_not is not None and not by_hand:
        fixable = switchable_by_hand(known) and state.by_hand_minutes is None
        cause = say("mode_fixed", axis=axis, cluster=state.cluster, why=known.why_not.causes)
        remedy = remedy_for(known.why_not, state.cluster, axis, value)
        fix = Fix.ALLOW_SWITCH_BY_HAND if fixable else None
        return Obstacle(state.cluster, "mode_fixed", cause, remedy, axis=axis, fix=fix)
    return _value(state.cluster, axis, value, known)


def _value(cluster: str, axis: str, value: AxisValue, known: AxisReport) -> Obstacle | None:
    if not known.values:
        return None
    if value not in known.values:
        cause = say(
            "mode_unknown", axis=axis, value=value, cluster=cluster, values=list(known.values)
        )
        remedy = say("fix_leave_value", axis=axis, value=value)
        return Obstacle(cluster, "mode_unknown", cause, remedy, axis=axis, value=value)
    why = known.values[str(value)]
    if why is None:
        return None
    cause = say("mode_unavailable", axis=axis, value=value, cluster=cluster, why=why)
    remedy = remedy_for(why, cluster, axis, value)
    code = "mode_like_none" if is_like_none(why) else "mode_unavailable"
    return Obstacle(cluster, code, cause, remedy, axis=axis, value=value)
