"""Where a ladder ends: by its profile, or by the room that a cluster has for Services."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.ports import ServiceType
from podmeter.kinds.service_scale.axes import PROBE, SERVICE_TYPE, SERVICES, Probe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podmeter.domain.axes import AxisValue, ResolvedAxis
    from podmeter.domain.cluster_report import RoomReport
    from podmeter.domain.messages import Message

#: The ports of kube-apiserver's own range, 30000 to 32767.
DEFAULT_NODE_PORTS = 2768


def fitted(axes: tuple[ResolvedAxis, ...], room: RoomReport) -> tuple[ResolvedAxis, ...]:
    """The axes with the rungs that the cluster has room for; the lowest one in any case."""
    free, _ = _least(_matrix(axes), room)
    if free is None:
        return axes
    return tuple(
        axis.model_copy(update={"values": _up_to(axis.values, free)})
        if axis.name == SERVICES.name
        else axis
        for axis in axes
    )


def end(
    axes: tuple[ResolvedAxis, ...],
    whole: tuple[ResolvedAxis, ...],
    room: RoomReport | None,
    *,
    given: bool,
) -> tuple[Message, ...]:
    """Where the ladder ends, and why.

    `whole` are the axes without regard to room; `given` says that the rungs were named. Then it is
    said what has no room, since nothing is left out.
    """
    matrix = _matrix(axes)
    rungs = [int(one) for one in matrix[SERVICES.name]]
    last, needed = rungs[-1], rungs[-1] + _besides(matrix)
    free, by_ports = (None, False) if room is None else _least(matrix, room, besides=False)
    found: list[Message] = []
    if free is not None and free < needed:
        code = "node_ports_short" if by_ports else "cluster_ips_short"
        found.append(say(code, free=free, needed=needed))
    elif not given:
        left_out = [int(one) for one in _matrix(whole)[SERVICES.name] if int(one) not in rungs]
        if left_out and by_ports:
            found.append(say("ladder_ends_node_ports", last=last, left_out=left_out, free=free))
        elif left_out:
            found.append(say("ladder_ends_cluster_ips", last=last, left_out=left_out, free=free))
        else:
            found.append(say("ladder_ends_profile", last=last, axis=SERVICES.name))
    unknown = room is None or room.free_node_ports is None
    if _uses_ports(matrix) and unknown and needed > DEFAULT_NODE_PORTS:
        found.append(say("ladder_node_ports_unknown", needed=needed, usual=DEFAULT_NODE_PORTS))
    return tuple(found)


def _matrix(axes: tuple[ResolvedAxis, ...]) -> Mapping[str, Sequence[AxisValue]]:
    return {axis.name: axis.values for axis in axes}


def _uses_ports(matrix: Mapping[str, Sequence[AxisValue]]) -> bool:
    return ServiceType.NODE_PORT in matrix[SERVICE_TYPE.name]


def _besides(matrix: Mapping[str, Sequence[AxisValue]]) -> int:
    """Services that stand for a moment besides a rung's."""
    return int(Probe.SERVICE_READY in matrix[PROBE.name])


def _least(
    matrix: Mapping[str, Sequence[AxisValue]], room: RoomReport, *, besides: bool = True
) -> tuple[int | None, bool]:
    """The most Services that fit, None where that is not known; whether node ports decide it."""
    ports = room.free_node_ports if _uses_ports(matrix) else None
    both = ((ports, True), (room.free_cluster_ips, False))
    known = [(free, by_ports) for free, by_ports in both if free is not None]
    if not known:
        return None, False
    free, by_ports = min(known)
    return free - (_besides(matrix) if besides else 0), by_ports


def _up_to(rungs: Sequence[AxisValue], most: int) -> tuple[AxisValue, ...]:
    return tuple(rung for rung in rungs if int(rung) <= most) or tuple(rungs[:1])
