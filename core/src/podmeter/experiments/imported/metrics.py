"""What pasted outputs measure: the kinds' own metrics where they are the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.measurement import Direction, MetricDefinition, Unit, duration
from podmeter.experiments import request_times, udp, usage
from podmeter.experiments.network_policy import metrics as network_policy
from podmeter.experiments.request_latency import metrics as request_latency
from podmeter.experiments.service_scale import metrics as service_scale
from podmeter.experiments.throughput import metrics as throughput
from podmeter.experiments.transport import metrics as transport

if TYPE_CHECKING:
    from collections.abc import Iterable

REQUEST_P50 = duration("request_p50", "50 % of the requests were faster than this.")
TRANSACTIONS = MetricDefinition(
    name="transactions_per_second",
    unit=Unit.PER_SECOND,
    direction=Direction.HIGHER,
    description="netperf transactions per second, one after another.",
)
TRANSACTION_P99 = duration(
    "transaction_p99", "99 % of netperf's transactions were faster than this."
)
#: A transaction is one request and its answer, one after another on a connection.
TRANSACTION_TIMES = (
    duration("transaction_mean", "Mean round-trip time of a transaction."),
    duration("transaction_min", "Time of the fastest transaction."),
    duration("transaction_p50", "50 % of the transactions were faster than this."),
    duration("transaction_p90", "90 % of the transactions were faster than this."),
    TRANSACTION_P99,
    duration("transaction_max", "Time of the slowest transaction."),
)
REQUEST_MAX = duration("request_max", "Time of the slowest request.")
MESSAGE_PERCENTILES = tuple(
    duration(
        f"message_latency_p{percent}",
        f"Time that {percent} of 100 messages stayed below, in one direction.",
    )
    for percent in (50, 90, 99)
)


def _mains(definitions: Iterable[MetricDefinition]) -> tuple[MetricDefinition, ...]:
    return tuple(one.model_copy(update={"main": True}) for one in definitions)


METRICS = (
    *_mains((throughput.THROUGHPUT, transport.BANDWIDTH, transport.MESSAGE_LATENCY)),
    *_mains((service_scale.QPS, TRANSACTIONS, request_times.TOTAL_MEAN)),
    *_mains((request_times.PROCESS_MEAN, service_scale.RULE_ADD, service_scale.RULE_DELETE)),
    throughput.THROUGHPUT_LOSS,
    throughput.THROUGHPUT_SENT,
    throughput.RETRANSMITS,
    throughput.UDP_JITTER,
    udp.UDP_LOSS,
    transport.BANDWIDTH_LOSS,
    transport.BANDWIDTH_SENT,
    transport.LATENCY_ADDED,
    transport.MESSAGE_RATE,
    transport.SEND_COST,
    transport.RECEIVE_COST,
    transport.CPUS_USED,
    service_scale.REQUEST_MEAN,
    network_policy.REQUEST_MEAN.model_copy(update={"main": False}),
    REQUEST_P50,
    network_policy.REQUEST_P90,
    network_policy.REQUEST_P99,
    REQUEST_MAX,
    network_policy.REQUEST_RATE,
    *TRANSACTION_TIMES,
    *MESSAGE_PERCENTILES,
    request_latency.LATENCY_ADDED,
    request_times.NAMELOOKUP_MEAN,
    request_times.CONNECT_MEAN,
    request_times.STARTTRANSFER_MEAN,
    usage.NODE_CPU,
)
