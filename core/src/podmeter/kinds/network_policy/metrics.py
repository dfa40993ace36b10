"""What a network_policy trial measures."""

from __future__ import annotations

from podmeter.domain.measurement import Derivation, Direction, MetricDefinition, Unit, duration
from podmeter.kinds import usage
from podmeter.kinds.convergence import RESOLUTION
from podmeter.kinds.network_policy.axes import POLICIES


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
    "Mean time of a request, until the last byte of its response.",
    main=True,
)
POLICY_COST = _cost(
    "policy_cost",
    REQUEST_MEAN,
    "Additional mean time of a request compared with no policy, for responses of the same "
    "size in the same rounds; may be negative.",
)
REQUEST_MEDIAN = duration("request_median", "50 % of the requests were faster than this.")
POLICY_COST_MEDIAN = _cost(
    "policy_cost_median",
    REQUEST_MEDIAN,
    "Additional median time of a request compared with no policy, for responses of the same "
    "size in the same rounds; may be negative.",
)
REQUEST_P90 = duration("request_p90", "90 % of the requests were faster than this.")
REQUEST_P99 = duration("request_p99", "99 % of the requests were faster than this.")
REQUEST_RATE = MetricDefinition(
    name="request_rate",
    unit=Unit.PER_SECOND,
    direction=Direction.NONE,
    description="Requests sent per second, each at its scheduled time.",
)
POLICY_CONVERGENCE = duration(
    "policy_convergence",
    "Time from the API server's response to the creation of the last policy until all "
    "policies are enforced: allowed clients get a response, and others are denied.",
    main=True,
    # The cluster is asked some ten times a second.
    noise=0.2,
)
POLICY_READY = duration(
    "policy_ready", "Time from the start of creating the policies until all are enforced."
)
POLICY_CREATE_RATE = MetricDefinition(
    name="policy_create_rate",
    unit=Unit.PER_SECOND,
    direction=Direction.HIGHER,
    description="NetworkPolicies that the API server accepted per second.",
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
