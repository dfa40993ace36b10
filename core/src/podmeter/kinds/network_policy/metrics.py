"""What a network_policy trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Derivation, Direction, MetricDefinition, Unit, duration
from podmeter.kinds import usage
from podmeter.kinds.convergence import RESOLUTION
from podmeter.kinds.network_policy.axes import POLICIES


def _cost(name: str, source: MetricDefinition) -> MetricDefinition:
    return MetricDefinition(
        name=name,
        unit=Unit.RATIO,
        direction=Direction.LOWER,
        derivation=Derivation(source=source.name, axis=POLICIES.name, baseline=0),
    )


REQUEST_MEAN = duration("request_mean", main=True)
POLICY_COST = _cost("policy_cost", REQUEST_MEAN)
REQUEST_MEDIAN = duration("request_median")
POLICY_COST_MEDIAN = _cost("policy_cost_median", REQUEST_MEDIAN)
REQUEST_P90 = duration("request_p90")
REQUEST_P99 = duration("request_p99")
REQUEST_RATE = MetricDefinition(
    name="request_rate",
    unit=Unit.PER_SECOND,
    direction=Direction.NONE,
)
POLICY_CONVERGENCE = duration(
    "policy_convergence",
    main=True,
    # The cluster is asked some ten times a second.
    noise=0.2,
)
POLICY_READY = duration("policy_ready")
POLICY_CREATE_RATE = MetricDefinition(
    name="policy_create_rate",
    unit=Unit.PER_SECOND,
    direction=Direction.HIGHER,
)

METRICS = (
    REQUEST_MEAN,
    POLICY_COST,
    REQUEST_MEDIAN,
    POLICY_COST_MEDIAN,
    REQUEST_P90,
    REQUEST_P99,
    REQUEST_RATE,
    POLICY_CONVERGENCE,
    POLICY_READY,
    RESOLUTION,
    POLICY_CREATE_RATE,
    *usage.METRICS,
    usage.NODE_CPU_PER_REQUEST,
)
