"""Where a ladder ends: by its profile, or by the room that a cluster has for Services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.ports import ServiceType
from podmeter.kinds.nodes import seat_count
from podmeter.kinds.service_scale.axes import PROBE, SERVICE_TYPE, SERVICES, Probe
from podmeter.kinds.service_scale.layout import Layout
from podmeter.kinds.service_scale.parameters import SIDE_BY_SIDE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podmeter.domain.axes import AxisValue, ResolvedAxis
    from podmeter.domain.cluster_report import RoomReport
    from podmeter.domain.messages import Message
    from podmeter.kinds.service_scale.parameters import ServiceScaleParameters

#: The ports of kube-apiserver's own range, 30000 to 32767.
DEFAULT_NODE_PORTS = 2768


@dataclass(frozen=True, slots=True)
class Needs:
    """What the rungs of a ladder take, with the Service that stands for a moment besides."""

    matrix: Mapping[str, Sequence[AxisValue]]
    parameters: ServiceScaleParameters

    @classmethod
    def of(cls, axes: tuple[ResolvedAxis, ...], parameters: ServiceScaleParameters) -> Needs:
        """Of the ladder that has these axes."""
        return cls({axis.name: axis.values for axis in axes}, parameters)

    @property
    def layout(self) -> Layout:
        """How its Service ports are spread over Services."""
        beside = self.parameters.assignment == SIDE_BY_SIDE
        backends = seat_count(self.matrix) if beside else 1
        return Layout(tuple(self.rungs), self.parameters.ports_per_service, backends)

    @property
    def rungs(self) -> list[int]:
        """How many Service ports each has."""
        return [int(one) for one in self.matrix[SERVICES.name]]

    @property
    def uses_node_ports(self) -> bool:
        """Whether each Service port has a node port."""
        return ServiceType.NODE_PORT in self.matrix[SERVICE_TYPE.name]

    def cluster_ips(self, height: int) -> int:
        """One for each Service of a rung."""
        return self.layout.service_count(height) + self._besides

    def node_ports(self, height: int) -> int:
        """One for each Service port of a rung, none where they are not used."""
        return height + self._besides if self.uses_node_ports else 0

    def short(self, height: int, room: RoomReport) -> tuple[str, int, int] | None:
        """The code of what a rung has no room for, how much is free, and how much it needs."""
        for code, free, needed in (
            ("node_ports_short", room.free_node_ports, self.node_ports(height)),
            ("cluster_ips_short", room.free_cluster_ips, self.cluster_ips(height)),
        ):
            if free is not None and free < needed:
                return code, free, needed
        return None

    @property
    def _besides(self) -> int:
        return int(Probe.SERVICE_READY in self.matrix[PROBE.name])


def fitted(
    axes: tuple[ResolvedAxis, ...], room: RoomReport, parameters: ServiceScaleParameters
) -> tuple[ResolvedAxis, ...]:
    """The axes with the rungs that the cluster has room for; the lowest one in any case."""
    needs = Needs.of(axes, parameters)
    rungs = tuple(one for one in needs.rungs if needs.short(one, room) is None)
    return tuple(
        axis.model_copy(update={"values": rungs or axis.values[:1]})
        if axis.name == SERVICES.name
        else axis
        for axis in axes
    )


def end(
    axes: tuple[ResolvedAxis, ...],
    whole: tuple[ResolvedAxis, ...],
    room: RoomReport | None,
    parameters: ServiceScaleParameters,
    *,
    given: bool,
) -> tuple[Message, ...]:
    """Where the ladder ends, and why; how many Services that are where they have several ports.

    `whole` are the axes without regard to room; `given` says that the rungs were named. Then it is
    said what has no room, since nothing is left out.
    """
    needs = Needs.of(axes, parameters)
    last = needs.rungs[-1]
    found: list[Message] = []
    if room is not None and (short := needs.short(last, room)) is not None:
        code, free, needed = short
        found.append(say(code, free=free, needed=needed))
    elif not given:
        found.append(_where_it_ends(needs, Needs.of(whole, parameters), room))
    if (each := parameters.ports_per_service) > 1:
        services = needs.layout.service_count(last)
        found.append(say("ladder_services", services=services, ports=last, each=each))
    unknown = room is None or room.free_node_ports is None
    if unknown and needs.node_ports(last) > DEFAULT_NODE_PORTS:
        needed = needs.node_ports(last)
        found.append(say("ladder_node_ports_unknown", needed=needed, usual=DEFAULT_NODE_PORTS))
    return tuple(found)


def _where_it_ends(needs: Needs, whole: Needs, room: RoomReport | None) -> Message:
    last = needs.rungs[-1]
    left_out = [one for one in whole.rungs if one not in needs.rungs]
    short = whole.short(left_out[0], room) if left_out and room is not None else None
    if short is None:
        return say("ladder_ends_profile", last=last, axis=SERVICES.name)
    code = "ladder_ends_node_ports" if short[0] == "node_ports_short" else "ladder_ends_cluster_ips"
    return say(code, last=last, left_out=left_out, free=short[1])
