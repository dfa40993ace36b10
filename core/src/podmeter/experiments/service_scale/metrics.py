"""What a service_scale trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Direction, MetricDefinition, Unit
from podmeter.experiments import usage


def _metric(
    name: str, unit: Unit, direction: Direction, description: str, *, main: bool = False
) -> MetricDefinition:
    return MetricDefinition(
        name=name, unit=unit, direction=direction, description=description, main=main
    )


def _seconds(name: str, description: str, *, main: bool = False) -> MetricDefinition:
    return _metric(name, Unit.SECONDS, Direction.LOWER, description, main=main)


QPS = _metric(
    "requests_per_second",
    Unit.PER_SECOND,
    Direction.HIGHER,
    "HTTP requests answered in a second.",
    main=True,
)
REQUEST_MEAN = _seconds("ab_request_mean", "Mean time of one request while ab keeps the load up.")

PROCESS_MEAN = _seconds("curl_process_mean", "Mean time of a whole curl process, as `time curl`.")
NAMELOOKUP_MEAN = _seconds(
    "curl_namelookup_mean", "Mean time until the server's name was an address, if it was not."
)
CONNECT_MEAN = _seconds("curl_connect_mean", "Mean time until the TCP connection stood.")
STARTTRANSFER_MEAN = _seconds("curl_starttransfer_mean", "Mean time until the first byte.")
TOTAL_MEAN = _seconds("curl_total_mean", "Mean time of a request.", main=True)
TOTAL_P50 = _seconds("curl_total_p50", "Median time of a request.")
TOTAL_P90 = _seconds("curl_total_p90", "Time that nine of ten requests kept below.")

RULE_ADD = _seconds(
    "rule_add", "Mean time to add one rule, the wait for the lock apart.", main=True
)
RULE_DELETE = _seconds("rule_delete", "Mean time to delete one rule, the wait for the lock apart.")
LOCK_WAIT = _seconds("xtables_lock_wait", "Mean wait for the xtables lock; iptables-legacy only.")

SERVICE_READY = _seconds(
    "service_ready", "From creating one Service until it answers the client.", main=True
)

CREATE_RATE = _metric(
    "service_create_rate",
    Unit.PER_SECOND,
    Direction.HIGHER,
    "Services, each with its EndpointSlice, that the API server took in a second.",
)
CONVERGENCE = _seconds(
    "convergence",
    "From beginning to create a rung's Services until the kernel of every node holds their rules "
    "and the last one answers.",
    main=True,
)
SERVICES_TOTAL = _metric(
    "services_total", Unit.COUNT, Direction.NONE, "Services in the cluster, Podmeter's included."
)
RULES = _metric(
    "kernel_rules", Unit.COUNT, Direction.LOWER, "Rules, or virtual servers, on the client's node."
)
MAP_ELEMENTS = _metric(
    "map_elements",
    Unit.COUNT,
    Direction.NONE,
    "Elements of kube-proxy's verdict map of Services; nftables only.",
)

METRICS = (
    QPS,
    REQUEST_MEAN,
    TOTAL_MEAN,
    TOTAL_P50,
    TOTAL_P90,
    NAMELOOKUP_MEAN,
    CONNECT_MEAN,
    STARTTRANSFER_MEAN,
    PROCESS_MEAN,
    RULE_ADD,
    RULE_DELETE,
    LOCK_WAIT,
    SERVICE_READY,
    CONVERGENCE,
    CREATE_RATE,
    SERVICES_TOTAL,
    RULES,
    MAP_ELEMENTS,
    *usage.METRICS,
)
