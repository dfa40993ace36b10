"""How a node's packets to the pods of another really go: asked of the kernel, never of a file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import CROSS_SUBNET, Encapsulation
from podmeter.drivers import program, route
from podmeter.drivers.reading import succeeded
from podmeter.drivers.route import PacketRoute

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from podmeter.domain.ports import CommandOutput
    from podmeter_worker.kube.node_shells import NodeShell


def routes_to_pods(shell: NodeShell, peers: Iterable[NodeShell]) -> dict[str, PacketRoute]:
    """The way from a node to the pods of each other node, by that node's name."""
    ways: dict[str, PacketRoute] = {}
    for peer in peers:
        if peer.node == shell.node:
            continue
        if peer.pods is None:
            raise PreconditionError(say("node_no_pod_range", node=peer.node))
        # The second address of the range: any pod's would do, and this one needs no pod.
        ways[peer.node] = route_to(shell, str(IPv4Network(peer.pods)[2]))
    return ways


def route_to(shell: NodeShell, address: str) -> PacketRoute:
    """The way from a node to an address."""
    return parse_route(shell.run(route.argv(address)), shell.node)


def without_route(shell: NodeShell, peers: Iterable[NodeShell]) -> list[str]:
    """The other nodes to whose pods a node has no route of its own: others lead there if any."""
    return [
        peer.node
        for peer in peers
        if peer.node != shell.node and peer.pods and not routes_into(shell, IPv4Network(peer.pods))
    ]


def has_own_route(shell: NodeShell, address: str) -> bool:
    """Whether a route of the node's is for this address, besides the default one."""
    text = succeeded("ip", shell.run(("ip", "-j", "-4", "route", "show")))
    return any(
        entry["dst"] != "default" and IPv4Address(address) in IPv4Network(entry["dst"])
        for entry in json.loads(text or "[]")
    )


def reaches(shell: NodeShell, address: str) -> bool:
    """Whether the host at an address answers: a connection that is refused is an answer too."""
    return shell.run(program.argv("reach", address)).exit_code == 0


def why_not_direct(shells: Collection[NodeShell]) -> str | None:
    """Which two nodes do not reach each other directly, on one network; or None."""
    for shell in shells:
        for peer in shells:
            if peer is not shell and route_to(shell, peer.address).gateway is not None:
                return say("through_router", node=shell.node, peer=peer.node)
    return None


def wraps(value: str, *, crosses: bool) -> str:
    """What a mode wraps packets in, between nodes of one subnet or of two."""
    wrapped = CROSS_SUBNET.get(Encapsulation(value))
    if wrapped is None:
        return value
    return wrapped if crosses else Encapsulation.NONE


def parse_route(output: CommandOutput, node: str) -> PacketRoute:
    """The way that a node told of; PreconditionError where it has none."""
    if output.exit_code != 0:
        raise PreconditionError(say("no_route", node=node, said=output.stderr.strip()))
    return route.parse(output)


@dataclass(frozen=True, slots=True)
class Route:
    """An entry of the main table."""

    network: IPv4Network
    device: str
    words: tuple[str, ...]


def routes_into(shell: NodeShell, network: IPv4Network) -> list[Route]:
    """The node's routes whose destination lies inside a range."""
    found: list[Route] = []
    text = succeeded("ip", shell.run(("ip", "-j", "-4", "route", "show")))
    for entry in json.loads(text or "[]"):
        if entry["dst"] == "default" or "dev" not in entry:
            continue
        there = IPv4Network(entry["dst"])
        if there.subnet_of(network):
            via = ("via", entry["gateway"]) if "gateway" in entry else ()
            words = (entry["dst"], *via, "dev", entry["dev"])
            found.append(Route(there, entry["dev"], words))
    return found
