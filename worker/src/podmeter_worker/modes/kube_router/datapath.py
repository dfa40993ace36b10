"""How packets go between kube-router's nodes, and what an overlay leaves there: asked of kernels.

To nodes of its own subnet a node has a route by their addresses, unless all is wrapped; where it
wraps, the route is by an IPIP device of its own for each peer, `tun-` and a digest of that one's
address. kube-router removes them as BGP tells it the routes again, and so not those of peers that
are gone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import CROSS_SUBNET, Encapsulation
from podmeter.drivers.reading import succeeded
from podmeter_worker.kube.facts.cni import encapsulation_of
from podmeter_worker.modes import bridges, routes

if TYPE_CHECKING:
    from collections.abc import Collection

    from podmeter.domain.messages import Message
    from podmeter_worker.kube.node_shells import NodeShell
    from podmeter_worker.modes.switcher import SwitchContext

#: A node's name, and that of one in another subnet.
Crossing = frozenset[tuple[str, str]]
_TUNNEL, _BRIDGE = "tun-", "kube-bridge"
#: The table in which packets of pods to nodes are sent by a tunnel, while there is an overlay.
_TABLE = ("77", "kube-router")


def crossing(context: SwitchContext) -> Crossing:
    """Which nodes are in another subnet than which, as routes between them show."""
    return frozenset(
        (shell.node, peer.node)
        for shell in context.shells.values()
        for peer in context.shells.values()
        if peer is not shell and routes.route_to(shell, peer.address).gateway is not None
    )


def why_no_cross_subnet(context: SwitchContext, found: Crossing) -> str | None:
    """Why the cross-subnet mode could not be told from another mode here."""
    value = Encapsulation.IPIP_CROSS_SUBNET
    if not found:
        return say("one_subnet", value=value, like=Encapsulation.NONE)
    if len(found) == len(context.shells) * (len(context.shells) - 1):
        return say("all_subnets", value=value, like=CROSS_SUBNET[value])
    return None


def why_wrong_route(context: SwitchContext, value: str, found: Crossing) -> str | None:
    """Which packets do not go as they do in a mode, or None.

    Raises PreconditionError where no node has another one: then nothing shows how packets go.
    """
    for shell in context.shells.values():
        ways = routes.routes_to_pods(shell, context.shells.values())
        # A node whose peers are all dead has no way to any pod that would tell.
        if not ways and not context.missing:
            raise PreconditionError(say("no_pods_apart"))
        for peer, way in ways.items():
            wraps = routes.wraps(value, crosses=(shell.node, peer) in found)
            straight = wraps == Encapsulation.IPIP or way.gateway == context.shells[peer].address
            if encapsulation_of(way, "kube-router") != wraps or not straight:
                return say("way_unlike", node=shell.node, peer=peer, device=way.device, value=value)
    return None


def left(context: SwitchContext, value: str) -> str | None:
    """What another mode left on a node, or None."""
    for shell in context.shells.values():
        if stale := _stale(context, shell, value):
            return say("device_left", devices=stale, node=shell.node)
        if value == Encapsulation.NONE and _rules(shell):
            return say("rule_left", pods=str(shell.pods), node=shell.node)
    return None


def clear(context: SwitchContext, value: str) -> None:
    """Remove what another mode left on the nodes, once packets go as in this one."""
    for shell in context.shells.values():
        for device in _stale(context, shell, value):
            succeeded("ip", shell.run(("ip", "link", "delete", device)))
        if value == Encapsulation.NONE:
            for table in _rules(shell):
                words = ("ip", "-4", "rule", "delete", "from", str(shell.pods), "lookup", table)
                succeeded("ip", shell.run(words))


def wrong_mtus(context: SwitchContext) -> dict[str, Message]:
    """The nodes whose pods have another MTU than their bridge, which kube-router has set."""
    nodes: dict[str, Message] = {}
    for shell in context.shells.values():
        found = bridges.mtus(shell, _BRIDGE)
        if wrong := found.ports - {found.bridge}:
            nodes[shell.node] = say(
                "pod_mtu", node=shell.node, mtus=sorted(wrong), expected=found.bridge
            )
    return nodes


def _stale(context: SwitchContext, shell: NodeShell, value: str) -> list[str]:
    """A node's tunnels that no packet to pods of a peer goes by."""
    if context.missing and value != Encapsulation.NONE:
        # Those to nodes that are away stay for when they are back.
        return []
    ways = routes.routes_to_pods(shell, context.shells.values())
    return _tunnels(shell, {way.device for way in ways.values()})


def _tunnels(shell: NodeShell, used: Collection[str]) -> list[str]:
    """Its IPIP devices but those used; those of IPv6 are of another kind."""
    text = succeeded("ip", shell.run(("ip", "-j", "-d", "link", "show")))
    names = [
        str(one["ifname"])
        for one in json.loads(text or "[]")
        if (one.get("linkinfo") or {}).get("info_kind") == "ipip"
    ]
    return [name for name in names if name.startswith(_TUNNEL) and name not in used]


def _rules(shell: NodeShell) -> list[str]:
    """The tables that rules for all packets of a node's own pods lead to, of kube-router's."""
    text = succeeded("ip", shell.run(("ip", "-j", "-4", "rule", "show")))
    return [
        str(one["table"])
        for one in json.loads(text or "[]")
        if f"{one.get('src')}/{one.get('srclen')}" == shell.pods and str(one.get("table")) in _TABLE
    ]
