"""What a transport experiment can be told besides its axes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from podmeter.domain.messages import say
from podmeter.drivers.qperf import Transfer
from podmeter.kinds.nodes import NodeName

_Port = Annotated[int, Field(ge=1024, le=65535)]
_Seconds = Annotated[int, Field(ge=1, le=3600)]
_TcpBytes = Annotated[int, Field(ge=1, le=16 * 2**20)]
#: What an IPv4 datagram holds at most.
_UdpBytes = Annotated[int, Field(ge=1, le=65507)]


class TransportParameters(BaseModel):
    """Parameters of `transport`; its settings of qperf have qperf's own defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    client_node: NodeName = Field(
        default=None, description="Node of the sending end; the first by name if not given."
    )
    server_node: NodeName = Field(
        default=None, description="Node of the receiving end; the next by name if not given."
    )
    tcp_bw_bytes: _TcpBytes = Field(
        default=65536, description="Bytes of a message of TCP's bandwidth."
    )
    tcp_bw_seconds: _Seconds = Field(default=2, description="Seconds of TCP's bandwidth.")
    tcp_lat_bytes: _TcpBytes = Field(default=1, description="Bytes of a message of TCP's latency.")
    tcp_lat_seconds: _Seconds = Field(default=2, description="Seconds of TCP's latency.")
    udp_bw_bytes: _UdpBytes = Field(
        default=32768,
        description="Bytes of a datagram of UDP's bandwidth; a datagram larger than the MTU goes "
        "in fragments, and is lost with any of them.",
    )
    udp_bw_seconds: _Seconds = Field(default=2, description="Seconds of UDP's bandwidth.")
    udp_lat_bytes: _UdpBytes = Field(default=1, description="Bytes of a datagram of UDP's latency.")
    udp_lat_seconds: _Seconds = Field(default=2, description="Seconds of UDP's latency.")
    replicas: Annotated[int, Field(ge=1, le=10)] = Field(
        default=2,
        description="Servers behind the Service whose connections are counted; a test of bandwidth "
        "or latency goes to one, as both of its connections must meet the same.",
    )
    connections: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=100, description="Number of connections to the Service that one trial counts."
    )
    listen_port: _Port = Field(
        default=4000, description="Port that the servers listen on, on the nodes' own network too."
    )
    data_port: _Port = Field(
        default=4001, description="Port for the test's own traffic, TCP and UDP."
    )

    @model_validator(mode="after")
    def _two_ports(self) -> TransportParameters:
        if self.listen_port == self.data_port:
            raise ValueError(say("ports_alike"))
        return self

    def bytes_of(self, test: Transfer) -> int:
        """The message size of a test."""
        return int(getattr(self, f"{test}_bytes"))

    def seconds_of(self, test: Transfer) -> int:
        """How long a test lasts."""
        return int(getattr(self, f"{test}_seconds"))
