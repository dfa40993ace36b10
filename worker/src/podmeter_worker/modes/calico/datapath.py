"""How packets go between Calico's nodes, and what MTU their pods have: asked of the kernels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import CROSS_SUBNET, Encapsulation
from podmeter.drivers.reading import succeeded
from podmeter_worker.kube.facts.cni import encapsulation_of
from podmeter_worker.kube.resources import NODES, PODS
from podmeter_worker.modes import routes

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from ipaddress import IPv4Network

    from podmeter.domain.messages import Message
    from podmeter_worker.kube.node_shells import NodeShell
    from podmeter_worker.modes.switcher import SwitchContext

#: A node's own address with its mask, as calico-node writes it: what its cross-subnet modes go by.
_ADDRESS = "projectcalico.org/IPv4Address"
_VXLAN, _VXLAN_6 = "vxlan.calico", "vxlan-v6.calico"
_DEVICES = {Encapsulation.VXLAN: _VXLAN, Encapsulation.IPIP: "tunl0"}
#: A pod's end on its node, which has the MTU that the pod was born with.
_POD = "cali"
#: The devices whose smallest MTU Felix takes where nothing wraps packets (mtuIfacePattern's
#: default), and what it takes where there is none of them.
_NIC = re.compile(r"((en|wl|ww|sl|ib)[Pacopsvx].*|(eth|wlan|wwan).*)")
_NO_NIC = 1460
_MTUS = (
    "sh",
    "-c",
    'cd /sys/class/net && for one in *; do echo "$one $(cat "$one/mtu" 2>/dev/null)"; done',
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A node, and an address of a pod on another one.

    `crosses` says whether that one is in another subnet; None where a node does not tell its own.
    """

    shell: NodeShell
    peer: str
    address: str
    crosses: bool | None


def pairs(context: SwitchContext, networks: Collection[IPv4Network]) -> tuple[Pair, ...]:
    """Every pair of nodes whose second node has a pod in these ranges.

    Raises PreconditionError where there is none: then nothing shows how packets go.
    """
    addresses = _pods(context, networks)
    own = _own_addresses(context)
    node_pairs = tuple(
        Pair(shell, peer, address, _crosses(own.get(shell.node), own.get(peer)))
        for shell in context.shells.values()
        for peer, address in addresses.items()
        if peer != shell.node
    )
    # A node whose peers are all dead has no way to any pod that would tell.
    if not node_pairs and not (context.missing and len(context.shells) == 1):
        raise PreconditionError(say("no_pods_apart"))
    return node_pairs


def why_wrong_route(node_pairs: Sequence[Pair], value: str) -> str | None:
    """Which packets do not go as they do in a mode, or None."""
    for pair in node_pairs:
        if value in CROSS_SUBNET and pair.crosses is None:
            return say("node_no_subnet", node=pair.shell.node, key=_ADDRESS)
        route = routes.route_to(pair.shell, pair.address)
        seen = encapsulation_of(route, "calico")
        expected = routes.wraps(value, crosses=bool(pair.crosses))
        if seen != expected:
            return say(
                "way_unlike",
                node=pair.shell.node,
                peer=pair.peer,
                device=route.device,
                value=value,
            )
        if expected == Encapsulation.NONE and not _leads_there(pair):
            return say("no_way_to_pods", node=pair.shell.node, peer=pair.peer)
    return None


def _leads_there(pair: Pair) -> bool:
    """Whether a node has a route for the other one's pods, or reaches them by its default one.

    A default route shows the same device whether anybody knows the way or not. Who is the gateway
    does not matter: routers at the top of a rack are.
    """
    return routes.has_own_route(pair.shell, pair.address) or routes.reaches(
        pair.shell, pair.address
    )


def why_no_cross_subnet(node_pairs: Sequence[Pair], value: str) -> str | None:
    """Why a cross-subnet mode could not be told from another mode here."""
    for pair in node_pairs:
        if pair.crosses is None:
            return say("node_no_subnet", node=pair.shell.node, key=_ADDRESS)
    if not any(pair.crosses for pair in node_pairs):
        return say("one_subnet", value=value, like=Encapsulation.NONE)
    if all(pair.crosses for pair in node_pairs):
        return say("all_subnets", value=value, like=CROSS_SUBNET[Encapsulation(value)])
    return None


def left(context: SwitchContext, value: str, persistent: Collection[str]) -> str | None:
    """What an older mode left on a node. tunl0 is the kernel's own, and stays."""
    if Encapsulation.VXLAN in (value, CROSS_SUBNET.get(Encapsulation(value)), *persistent):
        return None
    for shell in context.shells.values():
        if _VXLAN in _mtus(shell):
            return say("device_left", devices=[_VXLAN], node=shell.node)
    return None


def wrong_mtus(context: SwitchContext, value: str, *, told: bool) -> dict[str, Message]:
    """The nodes whose pods have a wrong MTU, and what is wrong with it.

    It is that of the device which wraps their packets, or a NIC's. Where somebody has told Calico
    an MTU, or which NICs to look at, it may be less.
    """
    device = _DEVICES.get(CROSS_SUBNET.get(Encapsulation(value), Encapsulation(value)))
    nodes: dict[str, Message] = {}
    for shell in context.shells.values():
        mtus = _mtus(shell)
        seen = sorted({mtu for name, mtu in mtus.items() if name.startswith(_POD)})
        if not seen:
            continue
        if device is None:
            # Which of these are up is not asked.
            expected = {mtu for name, mtu in mtus.items() if _NIC.fullmatch(name)} or {_NO_NIC}
        elif device in mtus:
            expected = {mtus[device]}
        else:
            nodes[shell.node] = say("device_missing", device=device, node=shell.node)
            continue
        if _VXLAN_6 in mtus:
            # Pods of both families have the smaller one.
            expected = {min(mtu, mtus[_VXLAN_6]) for mtu in expected}
        right = seen[-1] <= max(expected) if told else seen[-1] in expected
        if len(seen) > 1 or not right:
            nodes[shell.node] = say(
                "pod_mtu", node=shell.node, mtus=seen, expected=sorted(expected)
            )
    return nodes


def _pods(context: SwitchContext, networks: Collection[IPv4Network]) -> dict[str, str]:
    """The address of one pod in these ranges on each node."""
    addresses: dict[str, str] = {}
    for pod in context.client.each(PODS.path(), fields="status.phase=Running"):
        node, address = pod["spec"].get("nodeName"), pod["status"].get("podIP") or ""
        if pod["spec"].get("hostNetwork") or "deletionTimestamp" in pod["metadata"]:
            continue
        # Windows nodes have no shell, nor have dead ones.
        if node not in context.shells or not address or ":" in address:
            continue
        if any(IPv4Address(address) in network for network in networks):
            addresses.setdefault(str(node), str(address))
    return addresses


def _own_addresses(context: SwitchContext) -> dict[str, IPv4Interface]:
    addresses = {}
    for item in context.client.list_all(NODES.path()).items:
        address = (item["metadata"].get("annotations") or {}).get(_ADDRESS)
        if address:
            addresses[str(item["metadata"]["name"])] = IPv4Interface(address)
    return addresses


def _crosses(own: IPv4Interface | None, peer: IPv4Interface | None) -> bool | None:
    if own is None or peer is None:
        return None
    return peer.ip not in own.network


def _mtus(shell: NodeShell) -> dict[str, int]:
    """The MTUs of a node's devices by name."""
    lines = succeeded("cat", shell.run(_MTUS)).splitlines()
    split = [line.rpartition(" ") for line in lines]
    return {name: int(mtu) for name, _, mtu in split if mtu.isdigit()}
