"""What a request_latency experiment can be told besides its axes."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from podmeter.domain.named_hosts import NamesHost
from podmeter.kinds.nodes import NodeName

#: A name as it may stand in a URL and a header: nothing that ends a header among it.
_HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$")]


#: As Kubernetes takes one (a DNS subdomain).
_ClassName = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$")]


class RequestLatencyParameters(BaseModel):
    """Parameters of `request_latency`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    client_node: NodeName = Field(
        default=None, description="Node of the client; the first by name if not given."
    )
    server_node: NodeName = Field(
        default=None,
        description="Node of the servers, and the one whose node port is asked; the next by name "
        "if not given.",
    )
    replicas: Annotated[int, Field(ge=1, le=10)] = Field(
        default=3, description="Servers behind the Service; a pod's own address is the first one's."
    )
    placement: Literal["server-node", "client-node", "all-nodes"] = Field(
        default="server-node",
        description="Where the servers run: all on the server's node, all on the client's "
        "node, or distributed over all nodes, starting with the server's node.",
    )
    port: Annotated[int, Field(ge=1024, le=65535)] = Field(
        default=8000, description="Port of the servers and of their Service."
    )
    host_name: Annotated[_HostName | None, NamesHost()] = Field(
        default=None,
        description="Host name of the requests, sent in the header Host. Default: the host "
        "of the URL. The cluster's owner must allow it (allow_host_names).",
    )
    ingress_class: _ClassName | None = Field(
        default=None,
        description="IngressClass for the Ingress paths. Default: the cluster's default class.",
    )
    ingress_address: Annotated[IPv4Address | None, NamesHost()] = Field(
        default=None,
        description="Address of the ingress controller. Default: the address in the "
        "Ingress's status. The cluster's owner must allow it (allow_host_names).",
    )
    ingress_port: Annotated[int, Field(ge=1, le=65535)] = Field(
        default=80, description="Port of the ingress controller."
    )
    body_bytes: Annotated[int, Field(ge=1, le=4000)] = Field(
        default=74, description="Bytes of an answer, without its head."
    )
    requests: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=10,
        description="Requests of one trial, one after another, each by a process of its own.",
    )
    first_counts: bool = Field(
        default=False,
        description="Whether the first request of a trial counts. If not, one more request "
        "is made.",
    )
