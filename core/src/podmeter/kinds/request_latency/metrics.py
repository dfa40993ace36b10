"""What a request_latency trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Derivation, Direction, MetricDefinition, Unit
from podmeter.kinds import request_times, usage
from podmeter.kinds.paths import Path
from podmeter.kinds.replicas import REPLICA_SHARE

LATENCY_ADDED = MetricDefinition(
    name="request_latency_added",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    derivation=Derivation(source=request_times.TOTAL_MEAN.name, axis="path", baseline=Path.POD_POD),
)
METRICS = (
    *request_times.METRICS,
    LATENCY_ADDED,
    request_times.PARTS,
    REPLICA_SHARE,
    usage.NODE_CPU_STOLEN,
    usage.NODE_MEMORY,
    usage.NODE_MEMORY_SHARE,
)
