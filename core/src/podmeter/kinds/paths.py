"""The paths through a cluster: where each end sits and which address the client uses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from podmeter.domain.axes import AxisDefinition
from podmeter.domain.modes import ARM, ENCAPSULATION, KUBE_PROXY_MODE
from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.domain.ports import Access
from podmeter.domain.rights import Feature

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.domain.planning import Case


class Path(StrEnum):
    """Values of the axis `path`, client first."""

    NODE_NODE = "node-node"
    POD_POD = "pod-pod"
    POD_POD_SAME_NODE = "pod-pod-same-node"
    NODE_POD = "node-pod"
    POD_NODE = "pod-node"
    POD_SERVICE_POD = "pod-service-pod"
    NODE_SERVICE = "node-service"
    POD_SERVICE_NAME = "pod-service-name"
    NODE_NODE_PORT = "node-nodeport"
    OUTSIDE_NODE_PORT = "outside-nodeport"
    OUTSIDE_LOAD_BALANCER = "outside-loadbalancer"
    POD_INGRESS = "pod-ingress"
    OUTSIDE_INGRESS = "outside-ingress"


class AddressKind(StrEnum):
    """What the client is given: the server's own address, or what a Service is reached by."""

    ADDRESS = "address"
    CLUSTER_IP = "cluster-ip"
    NAME = "name"
    NODE_PORT = "node-port"
    LOAD_BALANCER = "load-balancer"
    INGRESS = "ingress"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The names of the measuring pods at both ends, and what the client is given."""

    client: str
    server: str
    via: AddressKind = AddressKind.ADDRESS

    @property
    def through_service(self) -> bool:
        """Whether a Service is crossed."""
        return self.via is not AddressKind.ADDRESS


CLIENT, CLIENT_HOST, OUTSIDE = "client", "client-host", "outside"
SERVER, SERVER_HOST, SERVER_NEAR = "server", "server-host", "server-near"

#: Where each measuring pod sits: on the client's node or not, and how close to it. A client
#: outside the cluster is no pod.
ROLES: dict[str, tuple[bool, Access]] = {
    CLIENT: (True, Access.POD),
    CLIENT_HOST: (True, Access.HOST),
    OUTSIDE: (True, Access.OUTSIDE),
    SERVER: (False, Access.POD),
    SERVER_HOST: (False, Access.HOST),
    SERVER_NEAR: (True, Access.POD),
}

ENDS: dict[Path, Endpoints] = {
    Path.NODE_NODE: Endpoints(CLIENT_HOST, SERVER_HOST),
    Path.POD_POD: Endpoints(CLIENT, SERVER),
    Path.POD_POD_SAME_NODE: Endpoints(CLIENT, SERVER_NEAR),
    Path.NODE_POD: Endpoints(CLIENT_HOST, SERVER),
    Path.POD_NODE: Endpoints(CLIENT, SERVER_HOST),
    Path.POD_SERVICE_POD: Endpoints(CLIENT, SERVER, AddressKind.CLUSTER_IP),
    Path.NODE_SERVICE: Endpoints(CLIENT_HOST, SERVER, AddressKind.CLUSTER_IP),
    Path.POD_SERVICE_NAME: Endpoints(CLIENT, SERVER, AddressKind.NAME),
    # Of another node than the client's: there kube-proxy does not intercept it.
    Path.NODE_NODE_PORT: Endpoints(CLIENT_HOST, SERVER, AddressKind.NODE_PORT),
    Path.OUTSIDE_NODE_PORT: Endpoints(OUTSIDE, SERVER, AddressKind.NODE_PORT),
    # On a node kube-proxy would intercept it.
    Path.OUTSIDE_LOAD_BALANCER: Endpoints(OUTSIDE, SERVER, AddressKind.LOAD_BALANCER),
    # By the controller, whose own address is mostly a load balancer's: from a pod kube-proxy leads
    # there at once.
    Path.POD_INGRESS: Endpoints(CLIENT, SERVER, AddressKind.INGRESS),
    Path.OUTSIDE_INGRESS: Endpoints(OUTSIDE, SERVER, AddressKind.INGRESS),
}


PATH = "path"


def path_axis(
    paths: Iterable[Path],
    default: Iterable[Path] | None = None,
    *,
    new_connections: bool = False,
) -> AxisDefinition:
    """The axis `path` of a kind that measures some of the paths, by default all of these.

    With `new_connections` the kind measures these. Each passes kube-proxy's chains on every node,
    whatever its destination: with 10,000 Service ports in iptables mode a pod answers a fifth of
    the connections at its own address, and as many as without Services if both nodes' PREROUTING
    jumps to KUBE-SERVICES no more (measured on the testbed). So no path is a control of
    kube-proxy's modes there.
    """
    offered = tuple(paths)
    control, control_for = _control(offered, new_connections)
    return AxisDefinition(
        name=PATH,
        description="Where the sending and the receiving end run, and which address is used.",
        choices=offered,
        default=offered if default is None else tuple(default),
        control=control,
        control_for=control_for,
        # The path decides on which node each end sits.
        follows=("placement.client_node", "placement.server_node"),
    )


def _control(
    offered: tuple[Path, ...], new_connections: bool
) -> tuple[Path | None, tuple[str, ...]]:
    """The path that is the control of the others, and what cannot change it."""
    if Path.NODE_NODE in offered:
        # Between nodes' own addresses no pod network and no kube-proxy takes part.
        proxied = () if new_connections else (KUBE_PROXY_MODE,)
        return Path.NODE_NODE, (*proxied, ENCAPSULATION, ARM)
    if Path.POD_POD in offered and not new_connections:
        # To a pod's own address no kube-proxy leads.
        return Path.POD_POD, (KUBE_PROXY_MODE, ARM)
    return None, ()


def features_of(spec: ResolvedSpec) -> frozenset[Feature]:
    """What of a spec's paths takes rights of its own."""
    vias = {str(path): end.via for path, end in ENDS.items()}
    found = {vias.get(str(value)) for value in spec.matrix.get(PATH, ())}
    return frozenset({Feature.INGRESS} if AddressKind.INGRESS in found else ())


def joins_its_pair(case: Case) -> bool:
    """Whether a case's path joins the two nodes of its pair, where it has one.

    What stays on one node says nothing of another.
    """
    return case.get(NODE_PAIR) is None or not ROLES[ENDS[Path(case.text("path"))].server][0]
