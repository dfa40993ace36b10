"""What a network_policy trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Derivation, Direction, MetricDefinition, Unit, duration
from podmeter.experiments import usage
from podmeter.experiments.convergence import RESOLUTION
from podmeter.experiments.network_policy.axes import POLICIES


def _cost(name: str, source: MetricDefinition, description: str) -> MetricDefinition:
    return MetricDefinition(
        name=name,
        unit=Unit.RATIO,
        direction=Direction.LOWER,
        description=description,
        derivation=Derivation(source=source.name, axis=POLICIES.name, baseline=0),
    )


REQUEST_MEAN = duration(
    "request_mean",
    "Mean time of a request, until its whole answer was read.",
    main=True,
)
POLICY_COST = _cost(
    "policy_cost",
    REQUEST_MEAN,
    "How much longer a request takes on average than without any policy, for answers of the same "
    "size in the same rounds; may be negative.",
)
REQUEST_MEDIAN = duration("request_median", "Time that half of the requests kept below.")
POLICY_COST_MEDIAN = _cost(
    "policy_cost_median",
    REQUEST_MEDIAN,
    "How much longer the median request takes than without any policy, for answers of the same "
    "size in the same rounds; may be negative.",
)
REQUEST_P90 = duration("request_p90", "Time that 90 of a hundred requests kept below.")
REQUEST_P99 = duration("request_p99", "Time that 99 of a hundred requests kept below.")
REQUEST_RATE = MetricDefinition(
    name="request_rate",
    unit=Unit.PER_SECOND,
    direction=Direction.NONE,
    description="Requests that were sent in a second, each when its time had come.",
)
POLICY_CONVERGENCE = duration(
    "policy_convergence",
    "From the API server's answer to the creation of the last policy until all are enforced: the "
    "last one lets in what it is for, and what no policy lets in is refused.",
    main=True,
    # The cluster is asked some ten times a second.
    noise=0.2,
)
POLICY_READY = duration(
    "policy_ready", "From beginning to create the policies until all are enforced."
)
POLICY_CREATE_RATE = MetricDefinition(
    name="policy_create_rate",
    unit=Unit.PER_SECOND,
    direction=Direction.HIGHER,
    description="NetworkPolicies that the API server took in a second.",
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
