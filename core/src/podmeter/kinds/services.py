"""A Service over measuring pods, and what the clients of a path are given."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from podmeter.domain.ports import IngressRoute, ServiceBatch, ServiceType
from podmeter.kinds.paths import AddressKind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from podmeter.domain.ports import ExecTarget, Ingress, Lab, Service


class Spread(StrEnum):
    """Where the servers behind a Service sit; over all nodes by turns, the server's node first."""

    SERVER_NODE = "server-node"
    CLIENT_NODE = "client-node"
    ALL_NODES = "all-nodes"


@dataclass(frozen=True, slots=True)
class Servers:
    """What the answering ends run, and the port they have on the nodes' own network as well.

    A Service carries `protocols`, on `further_ports` as well, to its `replicas`, which sit where
    `spread` says. Where several connections of one client must meet the same server there is one.
    """

    argv: tuple[str, ...]
    port: int
    protocols: tuple[str, ...] = ("TCP",)
    further_ports: tuple[int, ...] = ()
    replicas: int = 1
    spread: Spread = Spread.SERVER_NODE


@dataclass(frozen=True, slots=True)
class Destination:
    """What a client is given: `host` is an address, or a name that leads to `address`.

    `asked_for` is the name in the request itself, where that decides who answers.
    """

    host: str
    address: str
    port: int
    asked_for: str | None = None

    @classmethod
    def at(cls, address: str, port: int) -> Destination:
        """An address."""
        return cls(address, address, port)

    @property
    def url(self) -> str:
        """As a client of HTTP is given it."""
        return f"http://{self.host}:{self.port}/"


@dataclass(frozen=True, slots=True)
class IngressEntry:
    """How to reach an Ingress, and the host name of its Service; see `Lab`."""

    host: str
    port: int = 80
    class_name: str | None = None
    address: str | None = None


def ingress_to(lab: Lab, name: str, service: Service, entry: IngressEntry) -> Ingress:
    """Create an Ingress that leads to the Service."""
    return lab.create_ingress(
        IngressRoute(name, entry.host, service.name, service.port, entry.class_name, entry.address)
    )


def service_over(
    lab: Lab,
    name: str,
    backends: Sequence[ExecTarget],
    servers: Servers,
    vias: Collection[AddressKind] = (),
) -> Service:
    """Create a Service with these backends that can be reached in these ways."""
    type_ = ServiceType.CLUSTER_IP
    if AddressKind.LOAD_BALANCER in vias:
        # Such a Service has a node port as well.
        type_ = ServiceType.LOAD_BALANCER
    elif AddressKind.NODE_PORT in vias:
        type_ = ServiceType.NODE_PORT
    created = lab.create_services(
        ServiceBatch(
            names=(name,),
            type=type_,
            port=servers.port,
            backend_addresses=tuple(place.address for place in backends),
            backend_port=servers.port,
            protocols=servers.protocols,
            further_ports=servers.further_ports,
        )
    )
    return created.services[0]


def destination(service: Service, via: AddressKind, node_address: str) -> Destination:
    """What a client is given to reach the Service; a node port is asked at `node_address`."""
    if via is AddressKind.NAME:
        return Destination(service.name, service.cluster_ip, service.port)
    if via is AddressKind.NODE_PORT and service.node_port is not None:
        return Destination.at(node_address, service.node_port)
    if via is AddressKind.LOAD_BALANCER and service.load_balancer is not None:
        return Destination.at(service.load_balancer, service.port)
    return Destination.at(service.cluster_ip, service.port)
