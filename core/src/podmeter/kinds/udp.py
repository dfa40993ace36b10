"""What every kind that sends datagrams measures of them."""

from __future__ import annotations

from podmeter.domain.measurement import Direction, MetricDefinition, Unit

UDP_LOSS = MetricDefinition(
    name="udp_loss",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    noise=0.0005,
    cost=True,
)

#: A larger share is lost only where more is sent than some part of the path takes; less is lost in
#: bursts too.
LOST = 0.01
