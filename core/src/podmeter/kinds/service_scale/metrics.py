"""What a service_scale trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Derivation, Direction, MetricDefinition, Unit, duration
from podmeter.kinds import request_times, usage
from podmeter.kinds.convergence import RESOLUTION
from podmeter.kinds.service_scale.axes import TARGET, Target


def _metric(
    name: str, unit: Unit, direction: Direction, *, main: bool = False, noise: float = 0.0
) -> MetricDefinition:
    return MetricDefinition(name=name, unit=unit, direction=direction, main=main, noise=noise)


def _loss(name: str, source: MetricDefinition) -> MetricDefinition:
    return MetricDefinition(
        name=name,
        unit=Unit.RATIO,
        direction=Direction.LOWER,
        derivation=Derivation(source=source.name, axis=TARGET.name, baseline=Target.POD),
    )


QPS = _metric("requests_per_second", Unit.PER_SECOND, Direction.HIGHER, main=True)
QPS_LOSS = _loss("requests_loss", QPS)
REQUEST_MEAN = duration("ab_request_mean", reciprocal_of=QPS.name)

TOTAL_LOSS = _loss("latency_loss", request_times.TOTAL_MEAN)
RULE_ADD = duration("rule_add", main=True)
RULE_DELETE = duration("rule_delete")
LOCK_WAIT = duration("xtables_lock_wait", noise=10e-6)

SERVICE_CONVERGENCE = duration("service_convergence", main=True, noise=0.05)
SERVICE_READY = duration("service_ready", main=True)
SERVICE_REMOVAL = duration("service_removal_convergence", main=True, noise=0.05)
SERVICE_GONE = duration("service_gone")
REMOVAL_RESOLUTION = _metric("removal_resolution", Unit.SECONDS, Direction.NONE)

INCREMENTAL_SYNC = duration(
    "incremental_sync",
    main=True,
    # Its histograms begin at a millisecond.
    noise=0.001,
)
FULL_SYNC = duration("full_sync", main=True, noise=0.001)
FULL_SYNC_READY = duration(
    "full_sync_ready",
    # The node is checked five times a second.
    noise=0.5,
)
PROXY_CPU = duration("kube_proxy_cpu")
PROXY_MEMORY = _metric("kube_proxy_memory", Unit.BYTES, Direction.LOWER, noise=2**20)

CREATE_RATE = _metric("service_create_rate", Unit.PER_SECOND, Direction.HIGHER)
RULES_CONVERGENCE = duration(
    "rules_convergence",
    main=True,
    # The nodes are checked twice a second.
    noise=0.5,
)
CONVERGENCE = duration("convergence", main=True)
SERVICES_TOTAL = _metric("services_total", Unit.COUNT, Direction.NONE)
IPTABLES_RULES = _metric("iptables_rules", Unit.COUNT, Direction.LOWER)
NFTABLES_RULES = _metric("nftables_rules", Unit.COUNT, Direction.LOWER)
NFTABLES_ELEMENTS = _metric("nftables_map_elements", Unit.COUNT, Direction.NONE)
IPVS_VIRTUAL = _metric("ipvs_virtual_servers", Unit.COUNT, Direction.NONE)
IPVS_REAL = _metric("ipvs_real_servers", Unit.COUNT, Direction.NONE)
#: What versions 1 and 2 counted, by one name for things that are not alike.
RULES = _metric("kernel_rules", Unit.COUNT, Direction.LOWER)
MAP_ELEMENTS = _metric("map_elements", Unit.COUNT, Direction.NONE)

METRICS = (
    QPS,
    QPS_LOSS,
    REQUEST_MEAN,
    *request_times.METRICS,
    TOTAL_LOSS,
    RULE_ADD,
    RULE_DELETE,
    LOCK_WAIT,
    SERVICE_CONVERGENCE,
    SERVICE_READY,
    SERVICE_REMOVAL,
    SERVICE_GONE,
    REMOVAL_RESOLUTION,
    INCREMENTAL_SYNC,
    FULL_SYNC,
    FULL_SYNC_READY,
    PROXY_CPU,
    PROXY_MEMORY,
    RULES_CONVERGENCE,
    CONVERGENCE,
    RESOLUTION,
    CREATE_RATE,
    SERVICES_TOTAL,
    IPTABLES_RULES,
    NFTABLES_RULES,
    NFTABLES_ELEMENTS,
    IPVS_VIRTUAL,
    IPVS_REAL,
    RULES,
    MAP_ELEMENTS,
    *usage.METRICS,
    usage.NODE_CPU_PER_REQUEST,
)
