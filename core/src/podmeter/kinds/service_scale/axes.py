"""The axes of service_scale, and which of their combinations are cases."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from podmeter.domain.axes import AxisDefinition, AxisRole
from podmeter.domain.modes import ARM, KUBE_PROXY_MODE
from podmeter.domain.planning import Case, points
from podmeter.domain.ports import ServiceType
from podmeter.kinds.service_scale.parameters import side_by_side

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.domain.experiment import ResolvedSpec


class Client(StrEnum):
    """Where the client is."""

    OTHER_NODE = "other-node"
    OUTSIDE = "outside"


class Target(StrEnum):
    """Which Service port is asked: the first or the last in the client node's own chain.

    Where they are looked up in a map they have no position; then it is the first port of the first
    Service or the last port of the last one. `pod` is no Service but the backend's own address. A
    new connection to it passes kube-proxy's chains as well, on both nodes: what it pays is what the
    Services cost connections that ask for none. A kept connection to it passes none of them: that
    is the control, which tells what the machine does on a rung from what the Services do.
    """

    FIRST = "first"
    LAST = "last"
    POD = "pod"


class Probe(StrEnum):
    """What a trial measures. `climb` is the way up to the rung from the one below, which each block
    of a round repeats for it, `service-ready` how soon one Service more works and is gone again,
    and `mode-switch` a switch to the block's mode while the rung stands, where one is asked for.
    kube-proxy itself tells of `incremental-sync`, which adds one Service, and of `full-sync`, which
    restarts it on the client's node, so that it writes all of the rung's rules.
    """

    CLIMB = "climb"
    QPS = "qps"
    QPS_KEEPALIVE = "qps-keepalive"
    LATENCY = "latency"
    RULE_CHANGE = "rule-change"
    SERVICE_READY = "service-ready"
    MODE_SWITCH = "mode-switch"
    INCREMENTAL_SYNC = "incremental-sync"
    FULL_SYNC = "full-sync"


#: Measured only where they are asked for: a climb in each block takes the time that climbing once
#: saves, and a full sync takes a node minutes on high rungs.
ON_REQUEST = (Probe.CLIMB, Probe.INCREMENTAL_SYNC, Probe.FULL_SYNC)
#: Probes that send requests to a target, from some client.
TARGETED = (Probe.QPS, Probe.QPS_KEEPALIVE, Probe.LATENCY)

SERVICE_TYPE = AxisDefinition(
    name="service_type",
    description="Type of the Services.",
    choices=(ServiceType.CLUSTER_IP, ServiceType.NODE_PORT),
    default=(ServiceType.CLUSTER_IP,),
    staged=True,
    role=AxisRole.APART,
)
SERVICES = AxisDefinition(
    name="services",
    description="Number of Service ports added to the existing ones of the cluster, the measured "
    "one included. Each is a Service of its own unless ports_per_service says otherwise.",
    minimum=1,
    maximum=60_000,
    default=(10, 1000, 5000, 10_000, 15_000, 20_000, 30_000),
    # In minutes, and within a default range of node ports.
    quick=(10, 500, 1000, 2000),
    ladder=True,
    role=AxisRole.CURVE,
)
CLIENT = AxisDefinition(
    name="client",
    description="Where the client runs: in a pod on another node than the backend, or "
    "outside the cluster.",
    choices=tuple(Client),
    default=(Client.OTHER_NODE,),
    role=AxisRole.APART,
    follows=("placement.client_node",),
)
TARGET = AxisDefinition(
    name="target",
    description="Which Service port is asked, by its position in the client node's chain; `pod` "
    "asks the backend's own address, whose connections pass the chains without a match.",
    choices=tuple(Target),
    default=tuple(Target),
    control=Target.POD,
    control_for=(KUBE_PROXY_MODE, ARM, SERVICES.name),
    control_with={"probe": Probe.QPS_KEEPALIVE},
)
PROBE = AxisDefinition(
    name="probe",
    description="What is measured on each rung; `climb` is the way up to it, repeated in each "
    "round and mode.",
    choices=tuple(Probe),
    default=tuple(probe for probe in Probe if probe not in ON_REQUEST),
    role=AxisRole.APART,
)
AXES = (SERVICE_TYPE, SERVICES, CLIENT, TARGET, PROBE)


def cases(spec: ResolvedSpec) -> tuple[Case, ...]:
    """The matrix without what has no meaning.

    A rule is changed and a Service becomes ready without any target, from inside; a ClusterIP
    cannot be asked from outside, nor can a pod. The climb, a switch of modes and a full sync happen
    once; a switch on the rungs that the parameters say. Switch and full sync restart kube-proxy,
    which only a run may do that switches its mode.
    Side by side a rung is reached in all modes at once, so that no climb is a case of one of them.
    """
    least = spec.parameters.get("mode_switch_from")
    beside = side_by_side(spec)
    found: dict[str, Case] = {}
    for point in points(spec.matrix):
        probe = Probe(str(point[PROBE.name]))
        if probe is Probe.CLIMB and beside:
            continue
        outside = point[CLIENT.name] == Client.OUTSIDE
        if probe in TARGETED:
            inside = point[SERVICE_TYPE.name] == ServiceType.CLUSTER_IP
            if outside and (inside or point[TARGET.name] == Target.POD):
                continue
            case = Case.at(point)
        else:
            switches = probe is Probe.MODE_SWITCH
            if switches and not _is_switched(spec, least, int(point[SERVICES.name])):
                continue
            if probe is Probe.FULL_SYNC and KUBE_PROXY_MODE not in spec.matrix:
                continue
            once = probe in (Probe.CLIMB, Probe.MODE_SWITCH, Probe.FULL_SYNC)
            case = Case.at(_untargeted(point), once=once)
        found.setdefault(case.key, case)
    return tuple(found.values())


def _is_switched(spec: ResolvedSpec, least: object, height: int) -> bool:
    return isinstance(least, int) and height >= least and KUBE_PROXY_MODE in spec.matrix


def _untargeted(point: dict[str, AxisValue]) -> dict[str, AxisValue]:
    return {axis: value for axis, value in point.items() if axis not in (CLIENT.name, TARGET.name)}
