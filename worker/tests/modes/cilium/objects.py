"""A cluster with Cilium of objects: an API server's, and nodes that follow.

What a node's kernel shows follows from the ConfigMap as it was when the node's agent was last made,
read by that version of Cilium, and a pod has the MTU of the moment it was born at. An agent whose
settings exclude each other never gets ready, as Cilium's ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, Object
from podmeter_worker.modes.cilium.switcher import CiliumRoutingSwitcher

from ..cluster_of_objects import (
    NODES_OF,
    ClusterOfObjects,
    NodeOfObjects,
    daemon_set,
    link,
    node_of,
)

SWITCHER = CiliumRoutingSwitcher()
CONFIG = CONFIG_MAPS.path("kube-system", "cilium-config")
DAEMON_SET = DAEMON_SETS.path("kube-system", "cilium")
NODE_CONFIGS = "/apis/cilium.io/v2/namespaces/kube-system/ciliumnodeconfigs"
MTU = {"native": 1500, "vxlan": 1450, "geneve": 1450}
NEW = {
    "routing-mode": "tunnel",
    "tunnel-protocol": "vxlan",
    "auto-direct-node-routes": "false",
    "ipv4-native-routing-cidr": "10.244.0.0/16",
}
OLD = {
    "tunnel": "vxlan",
    "auto-direct-node-routes": "false",
    "ipv4-native-routing-cidr": "10.244.0.0/16",
}
#: Settings as they were written, and the version that reads them.
GENERATIONS = (
    (NEW, "v1.15.19"),
    (NEW, "v1.18.2"),
    (NEW, "v1.14.6"),
    (OLD, "v1.12.4"),
    (OLD, "v1.14.0"),
    # What a chart's defaults leave out.
    ({"ipv4-native-routing-cidr": "10.244.0.0/16"}, "v1.15.19"),
    ({"ipv4-native-routing-cidr": "10.244.0.0/16"}, "v1.13.9"),
    ({"cluster-pool-ipv4-cidr": "10.244.0.0/16", "ipam": "cluster-pool"}, "v1.16.1"),
)
Prepare = Callable[["Cilium"], Any]


def mode_by(data: dict[str, str], version: str) -> str | None:
    """What an agent does with these; None where it ends."""
    minor = int(version.split(".")[1])
    tunnel = data.get("tunnel", "vxlan")
    if minor >= 15 or (minor == 14 and "tunnel" not in data):
        tunnels = data.get("routing-mode", "tunnel") == "tunnel"
        tunnel = data.get("tunnel-protocol", "vxlan") if tunnels else "disabled"
    direct = data.get("auto-direct-node-routes", "false") == "true"
    if tunnel != "disabled":
        return None if direct else tunnel
    return "native" if direct and data.get("ipv4-native-routing-cidr") else None


@dataclass
class Cilium(ClusterOfObjects):
    """The cluster. One that `leaves_device` leaves its VXLAN one under native routing."""

    switched: ClassVar = (CONFIG, DAEMON_SET)

    version: str = "v1.15.19"
    leaves_device: bool = False

    def set_up(self, data: dict[str, str] | None = None, version: str = "v1.15.19") -> None:
        """The agents, their ConfigMap, and pods."""
        self.version = version
        self.put(CONFIG, {"data": {"ipam": "kubernetes", "debug": "false", **(data or NEW)}})
        self.put(DAEMON_SET, self.daemon_set())
        self.populate("cilium")

    def daemon_set(self, **container: Any) -> Object:
        agent = {"name": "cilium-agent", "image": f"quay.io/cilium/cilium:{self.version}"}
        return daemon_set("cilium", {**agent, **container})

    @property
    def data(self) -> dict[str, str]:
        found: dict[str, str] = self.at[CONFIG]["data"]
        return found

    def shells(self) -> dict[str, Node]:
        return {node: Node(node, self) for node in NODES_OF}

    def _follow(self, node: str) -> bool:
        mode = mode_by(self.data, self.version)
        self.agents[node] = mode or "none"
        return mode is not None

    def _mtu(self, node: str) -> int:
        return MTU.get(self.agents[node], 0)


@dataclass
class Node(NodeOfObjects):
    """One of its nodes."""

    cluster: Cilium

    def said(self, words: tuple[str, ...]) -> str | None:
        if words == ("ls", "/sys/class/net"):
            return "\n".join(self.devices()) + "\n"
        return None

    def devices(self) -> list[str]:
        mode = self.cluster.agents[self.node]
        made = ["lo", "eth0", "cilium_host", "cilium_net"]
        if mode in ("vxlan", "geneve"):
            made.append(f"cilium_{mode}")
        elif self.cluster.leaves_device:
            made.append("cilium_vxlan")
        return made

    def links(self) -> list[Object]:
        kinds = {"cilium_vxlan": "vxlan", "cilium_geneve": "geneve"}
        return [link(name, 1500, kinds.get(name)) for name in self.devices()]

    def way(self, address: str) -> Object:
        peer, mode = node_of(address), self.cluster.agents[self.node]
        if peer is not None and mode == "native":
            return {"gateway": NODES_OF[peer]}
        if peer is not None:
            return {"dev": "cilium_host" if mode != "none" else "eth0", "gateway": "10.0.0.254"}
        return {"gateway": "10.0.0.254"} if "router" in self.cluster.lacks else {}
