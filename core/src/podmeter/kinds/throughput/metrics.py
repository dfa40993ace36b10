"""What a throughput trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Derivation, Direction, MetricDefinition, Unit
from podmeter.kinds import usage
from podmeter.kinds.paths import Path
from podmeter.kinds.udp import UDP_LOSS

THROUGHPUT = MetricDefinition(
    name="throughput",
    unit=Unit.BITS_PER_SECOND,
    direction=Direction.HIGHER,
    main=True,
    capped_by=("tcp_offered", "udp_offered"),
)
THROUGHPUT_SENT = MetricDefinition(
    name="throughput_sent",
    unit=Unit.BITS_PER_SECOND,
    direction=Direction.NONE,
)
THROUGHPUT_LOSS = MetricDefinition(
    name="throughput_loss",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    derivation=Derivation(source=THROUGHPUT.name, axis="path", baseline=Path.NODE_NODE),
)
RETRANSMITS = MetricDefinition(
    name="retransmits",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    noise=10,
    cost=True,
)
RETRANSMITS_PER_BYTE = MetricDefinition(
    name="retransmits_per_byte",
    unit=Unit.PER_BYTE,
    direction=Direction.LOWER,
    # Of 690,000 segments of 1,448 bytes that make a gigabyte.
    noise=10e-9,
)
CONGESTION_WINDOW = MetricDefinition(
    name="congestion_window",
    unit=Unit.BYTES,
    direction=Direction.NONE,
)
TCP_OFFERED = MetricDefinition(
    name="tcp_offered",
    unit=Unit.BITS_PER_SECOND,
    direction=Direction.NONE,
)
UDP_OFFERED = MetricDefinition(
    name="udp_offered",
    unit=Unit.BITS_PER_SECOND,
    direction=Direction.NONE,
)
UDP_JITTER = MetricDefinition(
    name="udp_jitter",
    unit=Unit.SECONDS,
    direction=Direction.LOWER,
    noise=1e-6,
)
METRICS = (
    THROUGHPUT,
    THROUGHPUT_LOSS,
    THROUGHPUT_SENT,
    RETRANSMITS,
    RETRANSMITS_PER_BYTE,
    CONGESTION_WINDOW,
    TCP_OFFERED,
    UDP_OFFERED,
    UDP_JITTER,
    UDP_LOSS,
    *usage.METRICS,
    usage.NODE_CPU_PER_BYTE,
)
