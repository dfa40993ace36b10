"""How packets go between Cilium's nodes: asked of the kernels.

A route to another node's pods leads to `cilium_host`, whose program takes packets to the tunnel's
device, or it is a direct one, by way of that node.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation
from podmeter.drivers.reading import succeeded
from podmeter_worker.kube.facts.cni import encapsulation_of
from podmeter_worker.kube.resources import PODS
from podmeter_worker.modes import routes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podmeter_worker.kube.node_shells import NodeShell
    from podmeter_worker.modes.switcher import SwitchContext

#: The device of each tunnel; it goes with the mode.
DEVICES = {
    Encapsulation.VXLAN: "cilium_vxlan",
    Encapsulation.GENEVE: "cilium_geneve",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A node, another one, and an address of that one's pods."""

    shell: NodeShell
    peer: NodeShell
    address: str


def addresses(context: SwitchContext, *, by_ranges: bool) -> dict[str, str]:
    """An address of the pods of each node, by the node's name.

    `by_ranges` says that pods' addresses are of the range that Kubernetes gave their node, so that
    none need be there. Else a node without a pod is left out.
    """
    if by_ranges and all(shell.pods is not None for shell in context.shells.values()):
        # The second address of the range: any pod's would do.
        return {
            node: str(IPv4Network(str(shell.pods))[2]) for node, shell in context.shells.items()
        }
    found: dict[str, str] = {}
    for pod in context.client.each(PODS.path(), fields="status.phase=Running"):
        node, address = pod["spec"].get("nodeName"), pod["status"].get("podIP") or ""
        if pod["spec"].get("hostNetwork") or "deletionTimestamp" in pod["metadata"]:
            continue
        # Windows nodes have no shell, nor have dead ones.
        if node in context.shells and address and ":" not in address:
            found.setdefault(str(node), str(address))
    return found


def pairs(context: SwitchContext, found: Mapping[str, str]) -> tuple[Pair, ...]:
    """Every node with every other one of which there is an address.

    Raises PreconditionError where there is none: then nothing shows how packets go.
    """
    made = tuple(
        Pair(shell, context.shells[peer], address)
        for shell in context.shells.values()
        for peer, address in found.items()
        if peer != shell.node
    )
    # A node whose peers are all dead has no way to any pod that would tell.
    if not made and not (context.missing and len(context.shells) == 1):
        raise PreconditionError(say("no_pods_apart"))
    return made


def why_wrong_route(found: Sequence[Pair], value: str) -> str | None:
    """Which packets do not go as they do in a mode, or None."""
    for pair in found:
        way = routes.route_to(pair.shell, pair.address)
        straight = value != Encapsulation.NATIVE or way.gateway == pair.peer.address
        if encapsulation_of(way, "cilium") != value or not straight:
            node, peer = pair.shell.node, pair.peer.node
            return say("way_unlike", node=node, peer=peer, device=way.device, value=value)
    return None


def left(context: SwitchContext, value: str) -> str | None:
    """Which tunnel's device of another mode is on a node, or None."""
    others = {device for mode, device in DEVICES.items() if mode != value}
    for shell in context.shells.values():
        names = set(succeeded("ls", shell.run(("ls", "/sys/class/net"))).split())
        if stale := sorted(others & names):
            return say("device_left", devices=stale, node=shell.node)
    return None


def why_outside(found: Mapping[str, str], cidr: IPv4Network) -> str | None:
    """Which pods' addresses would be translated between nodes: those outside the range."""
    for node, address in found.items():
        if IPv4Address(address) not in cidr:
            return say("cilium_cidr_lacks", cidr=str(cidr), node=node, address=address)
    return None
