"""What a throughput experiment can be told besides its axes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from podmeter.kinds.nodes import NodeName


class ThroughputParameters(BaseModel):
    """Parameters of `throughput`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    client_node: NodeName = Field(
        default=None, description="Node of the sending end; the first by name if not given."
    )
    server_node: NodeName = Field(
        default=None, description="Node of the receiving end; the next by name if not given."
    )
    udp_bits_per_second: Annotated[int, Field(ge=0, le=10**12)] = Field(
        default=1_000_000_000,
        description="UDP sending rate of all streams together, in bit/s; 0 is unlimited. Set "
        "it above the capacity of the slowest path, otherwise all paths look "
        "equal.",
    )
    tcp_bits_per_second: Annotated[int, Field(ge=0, le=10**12)] = Field(
        default=0,
        description="TCP sending rate of all streams together, in bit/s; 0 is unlimited. Set it "
        "only where the cluster limits the bandwidth: paths that carry more than that look equal.",
    )
    datagram_bytes: Annotated[int, Field(ge=16, le=65507)] = Field(
        default=1400,
        description="Payload of a UDP datagram. At MTU 1500 the default fits every "
        "encapsulation except WireGuard, which needs 1392.",
    )
    port: Annotated[int, Field(ge=1024, le=65535)] = Field(
        default=5201, description="Port of the servers, on the nodes' own network as well."
    )
