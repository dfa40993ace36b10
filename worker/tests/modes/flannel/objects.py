"""A cluster with flannel of objects: an API server's, and nodes that follow.

A node's flannel reads its ConfigMap when its pod is made, says on the node what it does, and makes
its device and its routes beside those of before, which nobody but Podmeter removes. The longest
route to an address is taken, so that host-gw's go on under another backend.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from typing import ClassVar

from podmeter.domain.components.flannel import BACKEND_TYPE
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES, Object
from podmeter_worker.modes import bridges
from podmeter_worker.modes.flannel.switcher import FlannelBackendSwitcher

from ..cluster_of_objects import (
    NODES_OF,
    RANGES,
    ClusterOfObjects,
    NodeOfObjects,
    daemon_set,
    link,
    node_of,
)

SWITCHER = FlannelBackendSwitcher()
CONFIG = CONFIG_MAPS.path("kube-flannel", "kube-flannel-cfg")
DAEMON_SET = DAEMON_SETS.path("kube-flannel", "kube-flannel-ds")
PODS_RANGE = "10.244.0.0/16"
#: Of each backend the device that it makes, what the kernel calls that, and the MTU of the way.
DEVICES = {
    "vxlan": ("flannel.1", "vxlan"),
    "udp": ("flannel0", "tun"),
    "ipip": ("flannel.ipip", "ipip"),
    "wireguard": ("flannel-wg", "wireguard"),
}
MTU = {"vxlan": 1450, "udp": 1472, "ipip": 1480, "wireguard": 1420, "host-gw": 1500}
#: Those with one route to all pods; the others have one to those of each node.
_WHOLE = ("udp", "wireguard")


@dataclass
class Flannel(ClusterOfObjects):
    """The cluster. `devices` and `routes` are what a node's kernel holds, the latter by range."""

    switched: ClassVar = (CONFIG, DAEMON_SET)

    devices: dict[str, set[str]] = field(default_factory=dict)
    routes: dict[str, dict[str, Object]] = field(default_factory=dict)

    def set_up(self, backend: Object | None = None, image: str = "flannel:v0.26.7") -> None:
        """flannel on every node, its ConfigMap, and pods."""
        backend = {"Type": "vxlan", "Port": 4789} if backend is None else backend
        net_conf = {"Network": PODS_RANGE, "EnableNFTables": False, "Backend": backend}
        data = {"net-conf.json": json.dumps(net_conf), "cni-conf.json": "{}"}
        self.put(CONFIG, {"data": data})
        container = {"name": "kube-flannel", "image": image}
        self.put(DAEMON_SET, daemon_set("kube-flannel-ds", container))
        for node in NODES_OF:
            self.devices[node] = set()
            own = {"dst": RANGES[node], "dev": "cni0"}
            default = {"dst": "default", "gateway": "10.0.0.254", "dev": "eth0"}
            self.routes[node] = {one["dst"]: one for one in (default, own)}
        self.populate("kube-flannel-ds", "kube-flannel")

    @property
    def backend(self) -> str:
        net_conf = json.loads(self.at[CONFIG]["data"]["net-conf.json"])
        return str(net_conf.get("Backend", {}).get("Type", "udp")).lower()

    def shells(self) -> dict[str, Node]:
        return {node: Node(node, self) for node in NODES_OF}

    def _follow(self, node: str) -> bool:
        backend = self.agents[node] = self.backend
        noted = {BACKEND_TYPE: "" if backend == "udp" else backend}
        self.edit(NODES.path(name=node), lambda found: found["metadata"].update(annotations=noted))
        device = DEVICES[backend][0] if backend in DEVICES else "eth0"
        self.devices[node] |= {device} - {"eth0"}
        for peer, address in NODES_OF.items():
            if backend in _WHOLE:
                self.routes[node][PODS_RANGE] = {"dst": PODS_RANGE, "dev": device}
            elif peer != node:
                route = {"dst": RANGES[peer], "gateway": address, "dev": device}
                self.routes[node][RANGES[peer]] = route
        return True

    def _mtu(self, node: str) -> int:
        return MTU[self.agents[node]]


@dataclass
class Node(NodeOfObjects):
    """One of its nodes."""

    cluster: Flannel

    def said(self, words: tuple[str, ...]) -> str | None:
        devices, routes = self.cluster.devices[self.node], self.cluster.routes[self.node]
        if words == ("ls", "/sys/class/net"):
            return "\n".join(["lo", "eth0", "cni0", *sorted(devices)]) + "\n"
        if words == ("ip", "-j", "-4", "route", "show"):
            return json.dumps(list(routes.values()))
        if words == bridges.argv("cni0"):
            # A bridge has the smallest MTU of its ports.
            mtus = self.cluster.mtus(self.node)
            return "".join(f"{mtu}\n" for mtu in (min(mtus), *mtus))
        if words[:3] == ("ip", "link", "delete"):
            devices.remove(words[3])
            self.cluster.routes[self.node] = {
                dst: one for dst, one in routes.items() if one["dev"] != words[3]
            }
            return ""
        if words[:4] == ("ip", "-4", "route", "delete"):
            del routes[words[4]]
            return ""
        return None

    def links(self) -> list[Object]:
        mtus = {device: (MTU[backend], kind) for backend, (device, kind) in DEVICES.items()}
        made = [link(name, *mtus[name]) for name in sorted(self.cluster.devices[self.node])]
        return [link("eth0", 1500), *made]

    def way(self, address: str) -> Object:
        if node_of(address) is None:
            return {"gateway": "10.0.0.254"} if "router" in self.cluster.lacks else {}
        leading = [
            (IPv4Network("0.0.0.0/0" if dst == "default" else dst).prefixlen, route)
            for dst, route in self.cluster.routes[self.node].items()
            if dst == "default" or IPv4Address(address) in IPv4Network(dst)
        ]
        _, route = max(leading, key=lambda one: one[0])
        return {name: value for name, value in route.items() if name != "dst"}
