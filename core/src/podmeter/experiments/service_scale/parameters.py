"""What a service_scale experiment can be told besides its axes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from podmeter.domain.messages import say
from podmeter.experiments.nodes import NodeName


class ServiceScaleParameters(BaseModel):
    """Parameters of `service_scale`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    client_node: NodeName = Field(
        default=None,
        description="Node of the client, whose chains are read; the first by name if not given.",
    )
    backend_node: NodeName = Field(
        default=None, description="Node of the one backend; the next by name if not given."
    )
    requests: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        default=20_000,
        description="Requests of one ab trial over connections of their own; ab runs by count, "
        "never by time. In less than half a second CPU cannot be told.",
    )
    keepalive_requests: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        default=60_000, description="Requests of one ab trial over connections that are kept."
    )
    concurrency: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=100, description="Requests that ab keeps under way at a time."
    )
    latency_requests: Annotated[int, Field(ge=2, le=10_000)] = Field(
        default=20, description="Single requests of one latency trial, besides the discarded first."
    )
    rule_changes: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=5, description="Times a rule is added and deleted in one trial."
    )
    body_bytes: Annotated[int, Field(ge=1, le=4000)] = Field(
        default=612, description="Bytes of the backend's answer; nginx's own first page has 612."
    )
    convergence_seconds: Annotated[float, Field(gt=0, le=7200)] = Field(
        default=1800,
        description="Longest wait until the kernel of every node holds a rung's rules.",
    )

    mode_switch_from: Annotated[int, Field(ge=1, le=60_000)] | None = Field(
        default=None,
        description="On rungs of at least so many Services a switch to the block's mode is timed "
        "while they stand, until the last of them answers; on none if not given.",
    )

    services_stay: bool = Field(
        default=False,
        description="Services and pods stay while kube-proxy's mode is switched: the ladder is "
        "climbed in one block and descended in the next, which takes half the time. The climb and "
        "how long a switch takes are not measured then.",
    )
    rung_by_rung: bool = Field(
        default=False,
        description="With services_stay: all rounds of a rung are measured, each in every mode, "
        "before the next rung is climbed to, so that the ladder is climbed once, with more "
        "switches. A run until decided gives each rung a share of its time. Faster where creating "
        "Services takes longer than switching.",
    )

    sync_period_seconds: Annotated[float, Field(ge=0.1, le=3600)] | None = Field(
        default=None,
        description="kube-proxy's sync period in every mode that is measured, put back with the "
        "mode; as it stands if not given.",
    )
    min_sync_period_seconds: Annotated[float, Field(ge=0.1, le=3600)] | None = Field(
        default=None,
        description="The least time between two syncs of kube-proxy (minSyncPeriod), likewise; "
        "until it is over, changes wait for each other.",
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
