"""What a transport trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Derivation, Direction, MetricDefinition, Unit
from podmeter.kinds import usage
from podmeter.kinds.paths import Path
from podmeter.kinds.replicas import REPLICA_EXCESS, REPLICA_SHARE
from podmeter.kinds.udp import UDP_LOSS

BANDWIDTH = MetricDefinition(
    name="bandwidth",
    unit=Unit.BITS_PER_SECOND,
    direction=Direction.HIGHER,
    main=True,
)
BANDWIDTH_LOSS = MetricDefinition(
    name="bandwidth_loss",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    derivation=Derivation(source=BANDWIDTH.name, axis="path", baseline=Path.NODE_NODE),
)
BANDWIDTH_SENT = MetricDefinition(
    name="bandwidth_sent",
    unit=Unit.BITS_PER_SECOND,
    direction=Direction.NONE,
)
MESSAGE_LATENCY = MetricDefinition(
    name="message_latency",
    unit=Unit.SECONDS,
    direction=Direction.LOWER,
    main=True,
)
LATENCY_ADDED = MetricDefinition(
    name="latency_added",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    derivation=Derivation(source=MESSAGE_LATENCY.name, axis="path", baseline=Path.NODE_NODE),
)
MESSAGE_RATE = MetricDefinition(
    name="message_rate",
    unit=Unit.PER_SECOND,
    direction=Direction.HIGHER,
)
SEND_COST = MetricDefinition(
    name="send_cost",
    unit=Unit.SECONDS_PER_BYTE,
    direction=Direction.LOWER,
)
RECEIVE_COST = MetricDefinition(
    name="receive_cost",
    unit=Unit.SECONDS_PER_BYTE,
    direction=Direction.LOWER,
)
CPUS_USED = MetricDefinition(
    name="cpus_used",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    noise=0.02,
)

METRICS = (
    BANDWIDTH,
    BANDWIDTH_LOSS,
    BANDWIDTH_SENT,
    UDP_LOSS,
    MESSAGE_LATENCY,
    LATENCY_ADDED,
    MESSAGE_RATE,
    SEND_COST,
    RECEIVE_COST,
    CPUS_USED,
    REPLICA_SHARE,
    REPLICA_EXCESS,
    *usage.METRICS,
    usage.NODE_CPU_PER_BYTE,
)
