"""What a toy_echo trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Derivation, Direction, MetricDefinition, Unit
from podmeter.kinds import usage
from podmeter.kinds.paths import Path

ECHO_RATE = MetricDefinition(
    name="echo_rate",
    unit=Unit.PER_SECOND,
    direction=Direction.HIGHER,
    main=True,
)
ECHO_LOSS = MetricDefinition(
    name="echo_loss",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    derivation=Derivation(source=ECHO_RATE.name, axis="path", baseline=Path.NODE_NODE),
)
ECHO_COST = MetricDefinition(
    name="echo_cost",
    unit=Unit.SECONDS_PER_BYTE,
    direction=Direction.LOWER,
)
METRICS = (ECHO_RATE, ECHO_LOSS, ECHO_COST, *usage.METRICS)
