"""The kind `service_scale`: axes, cases, what it needs."""

from __future__ import annotations

from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

from podmeter.domain.axes import ROTATION_AXIS
from podmeter.domain.load import Load
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.planning import LadderOrder
from podmeter.domain.ports import Access, ServiceType
from podmeter.drivers import ab, curl
from podmeter.drivers.netfilter import iptables, nft
from podmeter.kinds import switching
from podmeter.kinds.kind import Kind, PreparedBlock, ServicesAdded
from podmeter.kinds.limits import LoadShape
from podmeter.kinds.nodes import seat_count
from podmeter.kinds.sequential import sequential_load, until_answered_load
from podmeter.kinds.service_scale import axes, ladder_order, metrics
from podmeter.kinds.service_scale.block import prepare
from podmeter.kinds.service_scale.creating import (
    CreatedFacts,
    climbing_seconds,
    creating_seconds,
)
from podmeter.kinds.service_scale.layout import Layout
from podmeter.kinds.service_scale.parameters import (
    SIDE_BY_SIDE,
    ServiceScaleParameters,
    side_by_side,
)
from podmeter.kinds.service_scale.room import end, fitted
from podmeter.kinds.switch_outage import assumed_sync

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from podmeter.domain.axes import AxisValue, ResolvedAxis
    from podmeter.domain.cluster_report import RoomReport
    from podmeter.domain.experiment import ExperimentSpec, ResolvedSpec
    from podmeter.domain.messages import Message
    from podmeter.domain.planning import Block, Case
    from podmeter.domain.ports import Lab
    from podmeter.domain.problems import Problem

#: Rough figures for the plan's duration, of a small cluster: a plan is not a promise. Those of
#: climbing are in `creating`; going down takes half.
_SECONDS_A_RUNG = 2.0
#: Over new connections, and over those that are kept.
_REQUESTS_PER_SECOND = (10_000.0, 30_000.0)
_SECONDS_AROUND = 0.8
#: Of a switch or a restart of kube-proxy, without the sync of the Services.
_SWITCH_SECONDS = 20.0


class ServiceScale(Kind):
    """Requests, latency, convergence and rule changes over a ladder of Services."""

    name = "service_scale"
    version = 12
    timed = False
    metrics = metrics.METRICS
    parameters = ServiceScaleParameters
    tools = (ab.TOOL, curl.TOOL, iptables.TOOL, nft.TOOL)
    outside_tools = (ab.TOOL, curl.TOOL)
    floor_mode = KUBE_PROXY_MODE
    floor_axes = MappingProxyType(
        {
            axes.SERVICES.name: (10, 1000),
            axes.TARGET.name: (axes.Target.LAST,),
            axes.PROBE.name: (axes.Probe.CLIMB, axes.Probe.QPS),
        }
    )
    stand_ins = MappingProxyType({(axes.CLIENT.name, axes.Client.OUTSIDE): axes.Client.OTHER_NODE})
    own_axes = (ROTATION_AXIS, *axes.AXES)
    removed_parameters = frozenset({ladder_order.SERVICES_STAY, ladder_order.RUNG_BY_RUNG})

    def cases(self, spec: ResolvedSpec) -> tuple[Case, ...]:
        """Every combination that means something."""
        return axes.cases(spec)

    def load_shape(self, spec: ResolvedSpec, point: Mapping[str, AxisValue]) -> LoadShape | None:
        """Ab is one thread with so many requests at a time; single requests wait for each other."""
        probe, concurrency = point.get(axes.PROBE.name), spec.parameters.get("concurrency")
        if probe == axes.Probe.LATENCY:
            return LoadShape(at_once=1)
        if probe not in (axes.Probe.QPS, axes.Probe.QPS_KEEPALIVE):
            return None
        return LoadShape(at_once=concurrency) if isinstance(concurrency, int) else None

    def problems(self, spec: ResolvedSpec) -> list[Problem]:
        """What modes side by side exclude."""
        return ladder_order.problems(spec)

    def walk(self, spec: ResolvedSpec) -> LadderOrder:
        """By rungs, where the next block can use the Services of the one before."""
        return ladder_order.ladder_order(spec)

    def rounds_in_place(self, spec: ResolvedSpec, point: Mapping[str, AxisValue]) -> int | None:
        """As many as a swap is worth, which is a full sync of each node."""
        return ladder_order.rounds_in_place(spec, point)

    def parts_axis(self, spec: ResolvedSpec) -> str | None:
        """The ladder, where it is climbed once."""
        return ladder_order.parts_axis(spec)

    def fitted(
        self, spec: ExperimentSpec, axes: tuple[ResolvedAxis, ...], room: RoomReport
    ) -> tuple[ResolvedAxis, ...]:
        """The rungs of a default ladder that the clusters have room for."""
        return axes if _names_rungs(spec) else fitted(axes, room, _written(spec))

    def room_notes(
        self,
        spec: ExperimentSpec,
        axes: tuple[ResolvedAxis, ...],
        defaults: tuple[ResolvedAxis, ...],
        room: RoomReport | None,
    ) -> tuple[Message, ...]:
        """Where the ladder ends, and why, and how many Services that are."""
        return end(axes, defaults, room, _written(spec), given=_names_rungs(spec))

    def services_added(self, spec: ResolvedSpec) -> ServicesAdded:
        """Those of the highest rung; a Service that stands for a moment besides is not counted."""
        ports = self.service_ports(spec)
        services = _layout(spec).service_count(ports)
        uses_node_ports = ServiceType.NODE_PORT in spec.matrix[axes.SERVICE_TYPE.name]
        return ServicesAdded(services, ports if uses_node_ports else 0)

    def load(self, spec: ResolvedSpec, case: Case) -> Load:
        """Ab sends as fast as it can; other probes send one request after another."""
        parameters = spec.parameters_as(ServiceScaleParameters)
        probe = axes.Probe(case.text(axes.PROBE.name))
        if probe is axes.Probe.QPS:
            return Load(None, None, parameters.requests)
        if probe is axes.Probe.QPS_KEEPALIVE:
            return Load(None, None, parameters.concurrency)
        if probe is axes.Probe.MODE_SWITCH:
            return switching.load(spec)
        if probe is axes.Probe.LATENCY:
            return sequential_load(parameters.latency_requests + 1, parameters.body_bytes)
        return until_answered_load(parameters.body_bytes)

    def service_ports(self, spec: ResolvedSpec) -> int:
        """Those of the highest rung."""
        return max(self._rungs(spec))

    def ports_at(self, point: Mapping[str, object]) -> int:
        """Those of its rung."""
        rung = point.get(axes.SERVICES.name)
        return rung if isinstance(rung, int) else 0

    def tells_ports_at_switches(self, parameters: Mapping[str, object]) -> bool:
        """Not where Services stayed, of rungs that are in no block's modes."""
        return not ladder_order.whole_ladder_stays(parameters)

    def ports_at_switch(self, spec: ResolvedSpec, block: Block, before: Block | None) -> int:
        """Where the ladder is climbed once, those of the block before; else none exist yet."""
        if before is None or not self.walk(spec).climbs_once:
            return 0
        return before.trials[-1].case.number(axes.SERVICES.name)

    def ports_at_switches_in_trials(self, spec: ResolvedSpec, block: Block) -> tuple[int, ...]:
        """Of trials that switch away and back, twice the rung."""
        rungs = _rungs_of(block, axes.Probe.MODE_SWITCH)
        return tuple(rung for rung in rungs for _ in range(2))

    def ports_at_restarts(self, spec: ResolvedSpec, block: Block) -> tuple[int, ...]:
        """Of trials of a full sync."""
        return tuple(_rungs_of(block, axes.Probe.FULL_SYNC))

    def switches_while_measuring(self, spec: ResolvedSpec) -> tuple[str, ...]:
        """The probes that switch or restart kube-proxy, and modes side by side."""
        probes = spec.matrix.get(axes.PROBE.name, ())
        restarting = (axes.Probe.MODE_SWITCH, axes.Probe.FULL_SYNC)
        found = tuple(str(probe) for probe in probes if probe in restarting)
        return (*found, SIDE_BY_SIDE) if side_by_side(spec) else found

    def asks_service(self, point: Mapping[str, object]) -> bool | None:
        """By the probe, from which end, and whether the Service or the pod itself is asked."""
        if axes.PROBE.name not in point:
            return None
        asked = point[axes.PROBE.name] in (*axes.TARGETED, axes.Probe.SERVICE_READY)
        inside = point.get(axes.CLIENT.name, axes.Client.OTHER_NODE) == axes.Client.OTHER_NODE
        service = point.get(axes.SERVICE_TYPE.name) == ServiceType.CLUSTER_IP
        return asked and inside and service and point.get(axes.TARGET.name) != axes.Target.POD

    def access(self, spec: ResolvedSpec, cases: Iterable[Case]) -> frozenset[Access]:
        """The kernel's rules are read and changed on the nodes."""
        outside = any(case.get("client") == axes.Client.OUTSIDE for case in cases)
        return frozenset({Access.POD, Access.HOST_ADMIN} | ({Access.OUTSIDE} if outside else set()))

    def nodes(self, spec: ResolvedSpec, case: Case) -> int:
        """A client inside is on another node than the backend; what has none is in either block.

        Side by side each mode has a node for its client and one for its backend.
        """
        if side_by_side(spec):
            return 2 * seat_count(spec.matrix)
        client = case.get(axes.CLIENT.name)
        if client is None:
            outside = axes.Client.OUTSIDE in spec.matrix.get(axes.CLIENT.name, ())
            return 1 if outside else 2
        return 1 if client == axes.Client.OUTSIDE else 2

    def trial_seconds(self, case: Case, spec: ResolvedSpec) -> float:
        """By probe; a climb goes by the Services it creates, the rung below deducted."""
        parameters = spec.parameters_as(ServiceScaleParameters)
        probe = axes.Probe(case.text("probe"))
        if probe is axes.Probe.CLIMB:
            height = case.number("services")
            below = max((rung for rung in self._rungs(spec) if rung < height), default=0)
            return self._up(spec, below, height) + _SECONDS_A_RUNG
        if probe in (axes.Probe.QPS, axes.Probe.QPS_KEEPALIVE):
            kept = probe is axes.Probe.QPS_KEEPALIVE
            return parameters.requests_of(kept) / _REQUESTS_PER_SECOND[kept] + _SECONDS_AROUND
        if probe is axes.Probe.LATENCY:
            return parameters.latency_requests * 0.02 + _SECONDS_AROUND
        if probe is axes.Probe.MODE_SWITCH:
            # Away and back.
            return 2 * (_SWITCH_SECONDS + assumed_sync(case.number("services")))
        if probe is axes.Probe.FULL_SYNC:
            return _SWITCH_SECONDS + assumed_sync(case.number("services"))
        return 3.0 + _SECONDS_AROUND

    def block_seconds(self, spec: ResolvedSpec, block: Block) -> float:
        """The way down from the last rung, and up to it where no climb is a case that tells it.

        Where the ladder is climbed once, the step to the block's rung; where a case measures the
        climb, the way down to the rung below, from which its trial goes up.
        """
        if self.walk(spec).climbs_once:
            rung = _highest(block)
            way = self._up(spec, self._below(spec, rung), rung)
            return way / 2 if _climbs(block) else _SECONDS_A_RUNG
        rungs: dict[str, set[int]] = {}
        for case in block.cases:
            stage = rungs.setdefault(case.text(axes.SERVICE_TYPE.name), set())
            stage.add(case.number(axes.SERVICES.name))
        down = sum(self._up(spec, 0, max(stage)) / 2 for stage in rungs.values())
        if _climbs(block):
            return down
        return 3 * down + _SECONDS_A_RUNG * sum(map(len, rungs.values()))

    def climb_seconds(self, spec: ResolvedSpec, block: Block, before: Block | None) -> float:
        """Of the block that is first on its rung: it creates all of the rung's Services."""
        if _climbs(block) or not self.walk(spec).climbs_once:
            return 0.0
        rung, below = _highest(block), 0 if before is None else _highest(before)
        return self._up(spec, below, rung) if rung > below else 0.0

    def creating_seconds(
        self, spec: ResolvedSpec, block: Block, before: Block | None = None
    ) -> float:
        """What the API server takes for the Services of the way that the block goes up."""
        layout = _layout(spec)
        share, begins = float(len({case.text(axes.SERVICE_TYPE.name) for case in block.cases})), 0
        top = _highest(block)
        if self.walk(spec).climbs_once and _climbs(block):
            begins = self._below(spec, top)
        elif self.walk(spec).climbs_once and before is not None:
            begins = min(top, _highest(before))
        upper, lower = (creating_seconds(layout.service_count(ports)) for ports in (top, begins))
        return share * (upper - lower)

    def creating_pace(self, facts: Mapping[str, str]) -> tuple[float, float] | None:
        """By the Services that a trial's rung added."""
        created = CreatedFacts.read(facts)
        return None if created is None else created.pace

    @contextmanager
    def prepared(self, lab: Lab, spec: ResolvedSpec, block: Block) -> Iterator[PreparedBlock]:
        """A client, a backend, and a host pod on every node; no Service yet."""
        parameters = spec.parameters_as(ServiceScaleParameters)
        modes = tuple(str(one) for one in spec.matrix.get(KUBE_PROXY_MODE, ()))
        once = self.walk(spec).climbs_once
        with prepare(lab, parameters, _layout(spec), modes, block, climbs_once=once) as prepared:
            yield prepared

    def _below(self, spec: ResolvedSpec, rung: int) -> int:
        """The rung before one; 0 of the first."""
        return max((one for one in self._rungs(spec) if one < rung), default=0)

    def _up(self, spec: ResolvedSpec, below: int, height: int) -> float:
        """About how long the way up from one rung to another takes."""
        layout = _layout(spec)
        upper, lower = (
            climbing_seconds(layout.service_count(ports), ports) for ports in (height, below)
        )
        return upper - lower

    def _rungs(self, spec: ResolvedSpec) -> tuple[int, ...]:
        return _layout(spec).rungs


def _climbs(block: Block) -> bool:
    """Whether the way to a rung is measured, so that each block goes it."""
    return any(case.text(axes.PROBE.name) == axes.Probe.CLIMB for case in block.cases)


def _rungs_of(block: Block, probe: axes.Probe) -> list[int]:
    """Those of a probe's trials in a block."""
    return [
        trial.case.number(axes.SERVICES.name)
        for trial in block.trials
        if trial.case.text(axes.PROBE.name) == probe
    ]


def _highest(block: Block) -> int:
    """The highest rung of a block's trials."""
    return max(trial.case.number(axes.SERVICES.name) for trial in block.trials)


def _names_rungs(spec: ExperimentSpec) -> bool:
    return axes.SERVICES.name in spec.axes


def _layout(spec: ResolvedSpec) -> Layout:
    """Of a spec of any version: earlier ones have one port a Service."""
    rungs = tuple(int(rung) for rung in spec.matrix[axes.SERVICES.name])
    value = spec.parameters.get("ports_per_service")
    backends = seat_count(spec.matrix) if side_by_side(spec) else 1
    return Layout(rungs, value if isinstance(value, int) else 1, backends)


def _written(spec: ExperimentSpec) -> ServiceScaleParameters:
    return ServiceScaleParameters.model_validate(dict(spec.parameters))
