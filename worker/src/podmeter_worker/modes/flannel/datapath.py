"""How packets go between flannel's nodes, and what its backends leave there: asked of kernels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter.drivers.reading import succeeded
from podmeter_worker.modes import bridges, routes

if TYPE_CHECKING:
    from ipaddress import IPv4Network

    from podmeter.domain.messages import Message
    from podmeter_worker.kube.node_shells import NodeShell
    from podmeter_worker.modes.switcher import SwitchContext

#: flannel's devices by backend; the number is VXLAN's VNI. WireGuard's are gone with the flannel
#: that made them, unless it was killed.
_DEVICES = {
    Encapsulation.VXLAN: re.compile(r"flannel\.\d+"),
    Encapsulation.UDP: re.compile(r"flannel\d+"),
    Encapsulation.IPIP: re.compile(r"flannel\.ipip"),
    Encapsulation.WIREGUARD: re.compile(r"flannel-wg(-v6)?"),
}
_BRIDGE = "cni0"


def of_device(device: str) -> Encapsulation:
    """The backend whose device this is; any other device is the node's own, so host-gw."""
    # In this order: VXLAN's pattern is the narrower one.
    for backend, pattern in _DEVICES.items():
        if pattern.fullmatch(device):
            return backend
    return Encapsulation.HOST_GW


def observed(shell: NodeShell, context: SwitchContext) -> str:
    """What one node's packets to pods of all others go through.

    Raises PreconditionError where they go different ways, and where no other node has pods.
    """
    ways = routes.routes_to_pods(shell, context.shells.values())
    found = {of_device(way.device) for way in ways.values()}
    if len(found) != 1:
        said = [f"{node} by {way.device}" for node, way in sorted(ways.items())]
        raise PreconditionError(say("ways_unlike", node=shell.node, ways=said or "none"))
    return found.pop()


def why_wrong_route(context: SwitchContext, backend: str) -> str | None:
    """Which packets do not go as with a backend, or what another has left; None if all is right."""
    # A node whose peers are all dead has no way to any pod that would tell.
    alone = bool(context.missing) and len(context.shells) == 1
    for shell in context.shells.values():
        seen = backend if alone else observed(shell, context)
        if seen != backend:
            return say("packets_through", node=shell.node, backend=seen)
        # Until flannel has made host-gw's routes, the default route looks like them.
        if backend == Encapsulation.HOST_GW and (
            lacking := routes.without_route(shell, context.shells.values())
        ):
            return say("no_route_to_pods", node=shell.node, nodes=lacking)
        left = [device for device in _devices(shell) if of_device(device) != backend]
        if left:
            return say("device_left", devices=left, node=shell.node)
    return None


def clear(context: SwitchContext, backend: str, network: IPv4Network) -> None:
    """Remove what other backends left on the nodes, routes into the pods' network among it."""
    for shell in context.shells.values():
        for device in _devices(shell):
            if of_device(device) != backend:
                succeeded("ip", shell.run(("ip", "link", "delete", device)))
        for route in routes.routes_into(shell, network):
            if route.device != _BRIDGE and of_device(route.device) != backend:
                succeeded("ip", shell.run(("ip", "-4", "route", "delete", *route.words)))


def wrong_mtus(context: SwitchContext) -> dict[str, Message]:
    """The nodes whose pods, or whose bridge, have another MTU than the way to others, and which.

    A bridge has the smallest of its ports': beside one, a pod with a greater one would not show.
    """
    nodes: dict[str, Message] = {}
    for shell in context.shells.values():
        ways = routes.routes_to_pods(shell, context.shells.values())
        if not ways and context.missing:
            continue
        expected = min(way.mtu for way in ways.values())
        found = bridges.mtus(shell, _BRIDGE)
        if found.ports and (wrong := sorted({found.bridge, *found.ports} - {expected})):
            nodes[shell.node] = say("pod_mtu", node=shell.node, mtus=wrong, expected=expected)
    return nodes


def _devices(shell: NodeShell) -> list[str]:
    """Flannel's devices on a node, of whatever backend."""
    names = succeeded("ls", shell.run(("ls", "/sys/class/net"))).split()
    return [name for name in names if of_device(name) is not Encapsulation.HOST_GW]
