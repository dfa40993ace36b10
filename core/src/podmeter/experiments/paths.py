"""The paths through a cluster: where each end sits and which address the client uses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from podmeter.domain.axes import AxisDefinition
from podmeter.domain.ports import Access

if TYPE_CHECKING:
    from collections.abc import Iterable


class Path(StrEnum):
    """Values of the axis `path`, client first."""

    NODE_NODE = "node-node"
    POD_POD = "pod-pod"
    POD_POD_SAME_NODE = "pod-pod-same-node"
    NODE_POD = "node-pod"
    POD_NODE = "pod-node"
    POD_SERVICE_POD = "pod-service-pod"


@dataclass(frozen=True, slots=True)
class Ends:
    """The names of the measuring pods at both ends; through a Service or directly."""

    client: str
    server: str
    through_service: bool = False


CLIENT, CLIENT_HOST = "client", "client-host"
SERVER, SERVER_HOST, SERVER_NEAR = "server", "server-host", "server-near"

#: Where each measuring pod sits: on the client's node or not, and how close to it.
ROLES: dict[str, tuple[bool, Access]] = {
    CLIENT: (True, Access.POD),
    CLIENT_HOST: (True, Access.HOST),
    SERVER: (False, Access.POD),
    SERVER_HOST: (False, Access.HOST),
    SERVER_NEAR: (True, Access.POD),
}

ENDS: dict[Path, Ends] = {
    Path.NODE_NODE: Ends(CLIENT_HOST, SERVER_HOST),
    Path.POD_POD: Ends(CLIENT, SERVER),
    Path.POD_POD_SAME_NODE: Ends(CLIENT, SERVER_NEAR),
    Path.NODE_POD: Ends(CLIENT_HOST, SERVER),
    Path.POD_NODE: Ends(CLIENT, SERVER_HOST),
    Path.POD_SERVICE_POD: Ends(CLIENT, SERVER, through_service=True),
}


def path_axis(paths: Iterable[Path] = Path) -> AxisDefinition:
    """The axis `path` of a kind that measures some of the paths, by default all."""
    offered = tuple(paths)
    return AxisDefinition(
        name="path",
        description="Where the two ends sit and which address is used; sending end first.",
        choices=offered,
        default=offered,
        # The path decides on which node each end sits.
        follows=("placement.client_node", "placement.server_node"),
    )


def access_of(paths: Iterable[Path]) -> frozenset[Access]:
    """How close to the nodes the paths' ends come."""
    ends = [ENDS[path] for path in paths]
    return frozenset(ROLES[name][1] for end in ends for name in (end.client, end.server))
