"""What pasted outputs measure: the kinds' own metrics where they are the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.measurement import Direction, MetricDefinition, Unit, duration

if TYPE_CHECKING:
    from collections.abc import Iterable

REQUEST_P50 = duration("request_p50")
TRANSACTIONS = MetricDefinition(
    name="transactions_per_second",
    unit=Unit.PER_SECOND,
    direction=Direction.HIGHER,
)
TRANSACTION_P99 = duration("transaction_p99")
#: A transaction is one request and its answer, one after another on a connection.
TRANSACTION_TIMES = (
    duration("transaction_mean"),
    duration("transaction_min"),
    duration("transaction_p50"),
    duration("transaction_p90"),
    TRANSACTION_P99,
    duration("transaction_max"),
)
REQUEST_MAX = duration("request_max")
MESSAGE_PERCENTILES = tuple(duration(f"message_latency_p{percent}") for percent in (50, 90, 99))


#: Definitions that no kind has.
_OWN = (
    TRANSACTIONS,
    REQUEST_P50,
    REQUEST_MAX,
    *TRANSACTION_TIMES,
    *MESSAGE_PERCENTILES,
)
#: What verdicts are about.
_MAIN = (
    *("throughput", "bandwidth", "message_latency", "requests_per_second", TRANSACTIONS.name),
    *("curl_total_mean", "curl_process_mean", "rule_add", "rule_delete"),
)
_OTHERS = (
    *("throughput_loss", "throughput_sent", "retransmits", "udp_jitter", "udp_loss"),
    *("bandwidth_loss", "bandwidth_sent", "latency_added", "message_rate"),
    *("send_cost", "receive_cost", "cpus_used"),
    *("ab_request_mean", "request_mean", REQUEST_P50.name, "request_p90", "request_p99"),
    *(REQUEST_MAX.name, "request_rate"),
    *(one.name for one in (*TRANSACTION_TIMES, *MESSAGE_PERCENTILES)),
    *("request_latency_added", "curl_namelookup_mean", "curl_connect_mean"),
    *("curl_starttransfer_mean", "node_cpu"),
)


def pasted_metrics(of_kinds: Iterable[MetricDefinition]) -> tuple[MetricDefinition, ...]:
    """The metrics of pasted outputs, the main ones first, out of those of all kinds and our own.

    Raises KeyError for a name that neither has.
    """
    known = {one.name: one for one in (*of_kinds, *_OWN)}
    return tuple(
        known[name].model_copy(update={"main": name in _MAIN}) for name in (*_MAIN, *_OTHERS)
    )
