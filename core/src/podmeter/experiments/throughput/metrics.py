"""What a throughput trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Derivation, Direction, MetricDefinition, Unit
from podmeter.experiments import usage
from podmeter.experiments.paths import Path

THROUGHPUT = MetricDefinition(
    name="throughput",
    unit=Unit.BITS_PER_SECOND,
    direction=Direction.HIGHER,
    description="What the receiver got, all streams together.",
    main=True,
)
THROUGHPUT_SENT = MetricDefinition(
    name="throughput_sent",
    unit=Unit.BITS_PER_SECOND,
    direction=Direction.NONE,
    description="What the sender gave, all streams together.",
)
THROUGHPUT_LOSS = MetricDefinition(
    name="throughput_loss",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    description="Throughput lost against node to node of the same run; may be negative.",
    derivation=Derivation(source=THROUGHPUT.name, axis="path", baseline=Path.NODE_NODE),
)
RETRANSMITS = MetricDefinition(
    name="retransmits",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    description="TCP segments the sender sent again.",
)
CONGESTION_WINDOW = MetricDefinition(
    name="congestion_window",
    unit=Unit.BYTES,
    direction=Direction.NONE,
    description="The largest TCP congestion window of any stream.",
)
UDP_OFFERED = MetricDefinition(
    name="udp_offered",
    unit=Unit.BITS_PER_SECOND,
    direction=Direction.NONE,
    description="What the UDP sender was told to give. A receiver that got it got no more because "
    "no more was sent: the path may carry any amount above.",
)
UDP_JITTER = MetricDefinition(
    name="udp_jitter",
    unit=Unit.SECONDS,
    direction=Direction.LOWER,
    description="Variation of UDP transit time as the receiver smooths it (RFC 1889).",
)
UDP_LOSS = MetricDefinition(
    name="udp_loss",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    description="Share of the UDP datagrams that the receiver missed.",
)

METRICS = (
    THROUGHPUT,
    THROUGHPUT_LOSS,
    THROUGHPUT_SENT,
    RETRANSMITS,
    CONGESTION_WINDOW,
    UDP_OFFERED,
    UDP_JITTER,
    UDP_LOSS,
    *usage.METRICS,
)
