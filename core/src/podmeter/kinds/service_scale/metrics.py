"""What a service_scale trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Derivation, Direction, MetricDefinition, Unit, duration
from podmeter.kinds import request_times, usage
from podmeter.kinds.convergence import RESOLUTION
from podmeter.kinds.service_scale.axes import TARGET, Target


def _metric(
    name: str,
    unit: Unit,
    direction: Direction,
    description: str,
    *,
    main: bool = False,
    noise: float = 0.0,
) -> MetricDefinition:
    return MetricDefinition(
        name=name, unit=unit, direction=direction, description=description, main=main, noise=noise
    )


def _loss(name: str, source: MetricDefinition, description: str) -> MetricDefinition:
    return MetricDefinition(
        name=name,
        unit=Unit.RATIO,
        direction=Direction.LOWER,
        description=description,
        derivation=Derivation(source=source.name, axis=TARGET.name, baseline=Target.POD),
    )


QPS = _metric(
    "requests_per_second",
    Unit.PER_SECOND,
    Direction.HIGHER,
    "HTTP requests completed per second.",
    main=True,
)
QPS_LOSS = _loss(
    "requests_loss",
    QPS,
    "Requests per second lost compared with the backend's own address at the same rung in "
    "the same round: the cost of the Service. May be negative.",
)
REQUEST_MEAN = duration(
    "ab_request_mean",
    "Mean time of one request while ab keeps the load up.",
    reciprocal_of=QPS.name,
)

TOTAL_LOSS = _loss(
    "latency_loss",
    request_times.TOTAL_MEAN,
    "Additional time of a request compared with the backend's own address at the same rung "
    "in the same round; may be negative.",
)
RULE_ADD = duration(
    "rule_add", "Mean time to add one rule, without the wait for the lock.", main=True
)
RULE_DELETE = duration(
    "rule_delete", "Mean time to delete one rule, without the wait for the lock."
)
LOCK_WAIT = duration(
    "xtables_lock_wait", "Mean wait for the xtables lock; iptables-legacy only.", noise=10e-6
)

SERVICE_CONVERGENCE = duration(
    "service_convergence",
    "Time from the API server's response to the creation of one Service until it responds to "
    "the client; excludes the API's own time.",
    main=True,
    noise=0.05,
)
SERVICE_READY = duration(
    "service_ready", "Time from creating one Service until it responds to the client.", main=True
)
SERVICE_REMOVAL = duration(
    "service_removal_convergence",
    "Time from the API server's response to the removal of one Service until new connections "
    "to it fail; excludes the API's own time.",
    main=True,
    noise=0.05,
)
SERVICE_GONE = duration(
    "service_gone", "Time from the start of removing one Service until new connections to it fail."
)
REMOVAL_RESOLUTION = _metric(
    "removal_resolution",
    Unit.SECONDS,
    Direction.NONE,
    "Uncertainty of the removal time: from the last successful connection until the first "
    "one after which all failed.",
)

INCREMENTAL_SYNC = duration(
    "incremental_sync",
    "Time of the syncs in which kube-proxy on the client's node added one Service and its "
    "EndpointSlice, by its own metrics.",
    main=True,
    # Its histograms begin at a millisecond.
    noise=0.001,
)
FULL_SYNC = duration(
    "full_sync",
    "Time of the full sync in which kube-proxy on the client's node wrote all rules after a "
    "restart, by its own metrics. IPVS mode has no full sync: there it is all syncs until then.",
    main=True,
    noise=0.001,
)
FULL_SYNC_READY = duration(
    "full_sync_ready",
    "Time from when the API server accepted a restart of kube-proxy on the client's node until "
    "its first sync has ended and the last Service responds, with a look at the node's kernel.",
    # The node is checked five times a second.
    noise=0.5,
)
PROXY_CPU = duration(
    "kube_proxy_cpu",
    "CPU time of kube-proxy's own process on the client's node since its restart, without the "
    "tools that it runs to write rules.",
)
PROXY_MEMORY = _metric(
    "kube_proxy_memory",
    Unit.BYTES,
    Direction.LOWER,
    "Memory of kube-proxy's own process on the client's node (resident set), once its syncs have "
    "ended.",
    noise=2**20,
)

CREATE_RATE = _metric(
    "service_create_rate",
    Unit.PER_SECOND,
    Direction.HIGHER,
    "Services with their EndpointSlices that the API server accepted per second.",
)
RULES_CONVERGENCE = duration(
    "rules_convergence",
    "Time from the API server's response to the creation of a rung's last Service until the "
    "kernel of every node holds the rules and the last Service responds; excludes the API's "
    "own time.",
    main=True,
    # The nodes are checked twice a second.
    noise=0.5,
)
CONVERGENCE = duration(
    "convergence",
    "Time from the start of creating a rung's Services until the kernel of every node holds "
    "their rules and the last Service responds.",
    main=True,
)
SERVICES_TOTAL = _metric(
    "services_total", Unit.COUNT, Direction.NONE, "Services in the cluster, including Podmeter's."
)
IPTABLES_RULES = _metric(
    "iptables_rules",
    Unit.COUNT,
    Direction.LOWER,
    "Rules in all iptables tables, on the nodes with the fewest and the most rules.",
)
NFTABLES_RULES = _metric(
    "nftables_rules",
    Unit.COUNT,
    Direction.LOWER,
    "Rules in kube-proxy's nftables table, without the elements of its maps, on the nodes "
    "with the fewest and the most rules.",
)
NFTABLES_ELEMENTS = _metric(
    "nftables_map_elements",
    Unit.COUNT,
    Direction.NONE,
    "Elements of the verdict map in which kube-proxy looks up Services, on the nodes with "
    "the fewest and the most elements.",
)
IPVS_VIRTUAL = _metric(
    "ipvs_virtual_servers",
    Unit.COUNT,
    Direction.NONE,
    "IPVS virtual servers, one for each address and port of a Service, on the nodes with the "
    "fewest and the most.",
)
IPVS_REAL = _metric(
    "ipvs_real_servers",
    Unit.COUNT,
    Direction.NONE,
    "IPVS real servers, one for each backend of a virtual server, on the nodes with the "
    "fewest and the most.",
)
#: What versions 1 and 2 counted, by one name for things that are not alike.
RULES = _metric(
    "kernel_rules",
    Unit.COUNT,
    Direction.LOWER,
    "Rules or virtual servers on the client's node; recorded until version 2.",
)
MAP_ELEMENTS = _metric(
    "map_elements",
    Unit.COUNT,
    Direction.NONE,
    "Elements of kube-proxy's verdict map on the client's node; recorded until version 2.",
)

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
