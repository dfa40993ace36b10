"""What a network_policy experiment can be told besides its axes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from podmeter.kinds.nodes import NodeName


class NetworkPolicyParameters(BaseModel):
    """Parameters of `network_policy`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    client_node: NodeName = Field(
        default=None, description="Node of the client; the first by name if not given."
    )
    server_node: NodeName = Field(
        default=None, description="Node of the server; the next by name if not given."
    )
    requests: Annotated[int, Field(ge=10, le=100_000)] = Field(
        default=2000, description="Requests of one trial."
    )
    requests_per_second: Annotated[int, Field(ge=1, le=20_000)] = Field(
        default=1000,
        description="Number of requests sent per second, whether or not responses have "
        "arrived. More than half of the path's maximum is rejected.",
    )
    megabits_per_second: Annotated[int, Field(ge=1, le=100_000)] = Field(
        default=1000,
        description="Amount of response data requested per second: large responses are "
        "requested less often.",
    )
    convergence_seconds: Annotated[float, Field(gt=0, le=3600)] = Field(
        default=60, description="Longest wait until policies are enforced, or not any more."
    )
    read_rules: bool = Field(
        default=True,
        description="Whether to read the position of the matching policy and the dropped "
        "packets on the server's node. Needs host access.",
    )

    def rate(self, body_bytes: int) -> int:
        """Requests in a second for answers of that size."""
        most = int(self.megabits_per_second * 1e6 / 8 / body_bytes)
        return max(1, min(self.requests_per_second, most))
