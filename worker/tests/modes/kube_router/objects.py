"""A cluster with kube-router of objects: an API server's, and nodes that follow.

What a node's kernel shows follows from the DaemonSet's arguments as they were when the node's pod
of it was last made. Its pods are replaced when they are deleted, and not by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from podmeter_worker.kube.resources import DAEMON_SETS, Object
from podmeter_worker.modes import bridges
from podmeter_worker.modes.kube_router import datapath as kube_router_datapath
from podmeter_worker.modes.kube_router.switcher import KubeRouterSwitcher

from ..cluster_of_objects import (
    NODES_OF,
    ClusterOfObjects,
    NodeOfObjects,
    daemon_set,
    link,
    node_of,
)

SWITCHER = KubeRouterSwitcher()
DAEMON_SET = DAEMON_SETS.path("kube-system", "kube-router")
OTHERS = ["--run-router=true", "--run-service-proxy=true", "--hostname-override=$(NODE_NAME)"]
NONE = [*OTHERS, "--enable-overlay=false"]
Prepare = Callable[["KubeRouter"], Any]


def mode_by(args: list[str]) -> str:
    """What kube-router does with these."""
    told = dict(one.removeprefix("--").split("=") for one in args if "=" in one)
    if told.get("enable-overlay") in ("false", "0", "F"):
        return "none"
    return told.get("overlay-type", "subnet")


@dataclass
class KubeRouter(ClusterOfObjects):
    """The cluster, in which `agents` are in a subnet of their own where they are `away`.

    `tunnels` and `rules` are what a node's kernel holds, `bridges` its bridge's MTU. One that
    `leaves` its tunnels and rules is one whose peers are gone, and what is `old` gives pods a
    smaller MTU under an overlay, as its first version did.
    """

    switched: ClassVar = (DAEMON_SET,)

    tunnels: dict[str, set[str]] = field(default_factory=dict)
    rules: set[str] = field(default_factory=set)
    bridges: dict[str, int] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    leaves: bool = False
    old: bool = False

    def set_up(self, args: list[str] | None = None, **container: Any) -> None:
        """kube-router, and pods."""
        self.put(DAEMON_SET, self.daemon_set(NONE if args is None else args, **container))
        self.populate("kube-router")

    def daemon_set(self, args: list[str], **container: Any) -> Object:
        itself = {"name": "kube-router", "image": "cloudnativelabs/kube-router:v2.1.0"}
        side = {"name": "side", "image": "any", "args": ["--enable-overlay=false"]}
        return daemon_set("kube-router", {**itself, "args": args, **container}, side)

    @property
    def args(self) -> list[str]:
        found: list[str] = self.at[DAEMON_SET]["spec"]["template"]["spec"]["containers"][0].get(
            "args", []
        )
        return found

    def crosses(self, node: str, peer: str) -> bool:
        return node != peer and bool({node, peer} & self.away)

    def shells(self) -> dict[str, Node]:
        return {node: Node(node, self) for node in NODES_OF}

    def _follow(self, node: str) -> bool:
        mode = self.agents[node] = mode_by(self.args)
        needed = {
            f"tun-{peer}"
            for peer in NODES_OF
            if peer != node and (mode == "full" or (mode == "subnet" and self.crosses(node, peer)))
        }
        kept = self.tunnels.get(node, set()) if self.leaves else set()
        self.tunnels[node] = needed | kept
        self.rules = self.rules if self.leaves else self.rules - {node}
        self.rules |= {node} if mode != "none" else set()
        self.bridges[node] = 1480 if self.old and mode != "none" else 1500
        return True

    def _mtu(self, node: str) -> int:
        return self.bridges[node]

    def _template(self) -> Object:
        return {"args": list(self.args)}

    def _changed(self, method: str, path: str, old: Object) -> None:
        super()._changed(method, path, old)
        current = [
            one
            for one in self.all_pods()
            if one["spec"]["hostNetwork"] and one["spec"]["args"] == self.args
        ]
        self.state(DAEMON_SET, updatedNumberScheduled=len(current))


@dataclass
class Node(NodeOfObjects):
    """One of its nodes."""

    cluster: KubeRouter

    def said(self, words: tuple[str, ...]) -> str | None:
        if words == ("ip", "-j", "-d", "link", "show"):
            return json.dumps(self.links())
        if words == ("ip", "-j", "-4", "rule", "show"):
            return json.dumps(self._rules())
        if words == bridges.argv(kube_router_datapath._BRIDGE):
            mtus = [self.cluster.bridges[self.node], *self.cluster.mtus(self.node)]
            return "".join(f"{mtu}\n" for mtu in mtus)
        if words[:3] == ("ip", "link", "delete"):
            self.cluster.tunnels[self.node].remove(words[3])
            return ""
        if words[:4] == ("ip", "-4", "rule", "delete"):
            assert words[4:] == ("from", self.pods, "lookup", "77")
            self.cluster.rules.remove(self.node)
            return ""
        return None

    def _rules(self) -> list[Object]:
        main = {"priority": 32766, "src": "all", "table": "main"}
        address = str(self.pods).removesuffix("/24")
        own = {"priority": 32765, "src": address, "srclen": 24, "table": "77"}
        return [own, main] if self.node in self.cluster.rules else [main]

    def links(self) -> list[Object]:
        # The kernel's own, and one of IPv6, stay.
        tunnels = [link("tunl0", 1480, "ipip"), link("tun-6", 1480, "ip6tnl")]
        made = [link(name, 1480, "ipip") for name in sorted(self.cluster.tunnels[self.node])]
        return [link("eth0", 1500), link("kube-bridge", 1500), *tunnels, *made]

    def way(self, address: str) -> Object:
        inside = node_of(address)
        peer = inside or next(node for node, one in NODES_OF.items() if one == address)
        mode, crosses = self.cluster.agents[self.node], self.cluster.crosses(self.node, peer)
        if inside and (mode == "full" or (mode == "subnet" and crosses)):
            return {"dev": f"tun-{peer}"}
        if crosses:
            return {"gateway": "10.0.0.254"}
        return {"gateway": NODES_OF[peer]} if inside else {}
