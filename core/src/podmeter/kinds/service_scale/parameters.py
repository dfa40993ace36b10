"""What a service_scale experiment can be told besides its axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from podmeter.domain.messages import say
from podmeter.kinds.nodes import NodeName

if TYPE_CHECKING:
    from podmeter.domain.experiment import ResolvedSpec

#: Each mode on nodes of its own, at the same time.
ASSIGNMENT, SIDE_BY_SIDE = "assignment", "side_by_side"
#: One EndpointSlice has the ports of one Service, and holds up to so many.
MOST_PORTS = 100


class ServiceScaleParameters(BaseModel):
    """Parameters of `service_scale`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    client_node: NodeName = Field(
        default=None,
        description="Node of the client, whose chains are read; the first by name if not given.",
    )
    backend_node: NodeName = Field(
        default=None, description="Node of the backend. Default: the next node by name."
    )
    requests: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        default=20_000,
        description="Requests of one ab trial over connections of their own; ab runs by count, "
        "never by time. CPU cannot be measured in less than half a second.",
    )
    keepalive_requests: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        default=60_000, description="Number of requests in one ab trial with keep-alive."
    )
    concurrency: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=100, description="Number of concurrent requests of ab."
    )
    latency_requests: Annotated[int, Field(ge=2, le=10_000)] = Field(
        default=20,
        description="Number of single requests in one latency trial, in addition "
        "to the first, which is discarded.",
    )
    rule_changes: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=5, description="How often a rule is added and deleted in one trial."
    )
    body_bytes: Annotated[int, Field(ge=1, le=4000)] = Field(
        default=612, description="Bytes of the backend's answer; nginx's own first page has 612."
    )
    convergence_seconds: Annotated[float, Field(gt=0, le=7200)] = Field(
        default=1800,
        description="Longest wait until the kernel of every node holds a rung's rules.",
    )

    ports_per_service: Annotated[int, Field(ge=1, le=MOST_PORTS)] = Field(
        default=1,
        description="Ports of each Service. Rungs count Service ports, so that 5,000 are 5,000 "
        "Services with one port each or 50 with 100. kube-proxy writes the same rules for both, "
        "and the API server creates fewer Services in far less time. A rung that is not a multiple "
        "has one Service with fewer ports.",
    )

    mode_switch_from: Annotated[int, Field(ge=1, le=60_000)] | None = Field(
        default=None,
        description="On rungs with at least this many Service ports, Podmeter also times a switch "
        "to the block's mode, until the last Service responds. Default: no rung.",
    )

    assignment: Literal["switched", "side_by_side"] = Field(
        default="switched",
        description="`switched`: the measured nodes have one mode at a time. `side_by_side`: each "
        "mode is on two nodes of its own at the same time, a client's and a backend's; nodes swap "
        "modes between rounds where the rules are written fast enough (up to 5,000 Service ports). "
        "Takes two nodes for each mode, and far less time on high rungs.",
    )

    sync_period_seconds: Annotated[float, Field(ge=0.1, le=3600)] | None = Field(
        default=None,
        description="kube-proxy's sync period in every measured mode; restored together with "
        "the mode. Default: unchanged.",
    )
    min_sync_period_seconds: Annotated[float, Field(ge=0.1, le=3600)] | None = Field(
        default=None,
        description="kube-proxy's minimum time between two syncs (minSyncPeriod), during "
        "which it collects changes; restored together with the mode. Default: "
        "unchanged.",
    )

    @model_validator(mode="after")
    def _enough_requests(self) -> ServiceScaleParameters:
        if self.concurrency > min(self.requests, self.keepalive_requests):
            raise ValueError(say("concurrency_over_requests"))
        return self

    @model_validator(mode="after")
    def _periods_in_order(self) -> ServiceScaleParameters:
        period, minimum = self.sync_period_seconds, self.min_sync_period_seconds
        if period is not None and minimum is not None and minimum > period:
            raise ValueError(say("min_period_over_period"))
        return self

    def requests_of(self, keepalive: bool) -> int:
        """The requests of one ab trial."""
        return self.keepalive_requests if keepalive else self.requests


def side_by_side(spec: ResolvedSpec) -> bool:
    """Whether each mode is on nodes of its own; of a spec of any kind and version."""
    return spec.parameters.get(ASSIGNMENT) == SIDE_BY_SIDE
