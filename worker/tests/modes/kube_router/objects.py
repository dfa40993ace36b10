"""A cluster with kube-router of objects: an API server's, and nodes that follow.

What a node's kernel shows follows from the DaemonSet's arguments as they were when the node's pod
of it was last made. Its pods are replaced when they are deleted, and not by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import route
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import DAEMON_SETS, NODES, PODS
from podmeter_worker.modes import kube_router_ways
from podmeter_worker.modes.kube_router_overlay import KubeRouterSwitcher
from podmeter_worker.modes.switcher import Site

from ...kube.api_server import Answer, Asked, fake_api_server
from ...kube.object_server import Objects

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
SWITCHER = KubeRouterSwitcher()
DAEMON_SET = DAEMON_SETS.path("kube-system", "kube-router")
NODES_OF = {"a": "10.0.0.1", "b": "10.0.0.2", "c": "10.0.0.3"}
RANGES = {node: f"10.244.{number}.0/24" for number, node in enumerate(NODES_OF)}
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
class KubeRouter(Objects):
    """The cluster. On `stuck` nodes it goes on as before, whatever it is told.

    `agents` is what kube-router on a node does, `tunnels` and `rules` what its kernel holds,
    `bridges` its bridge's MTU, `born` the MTU of each pod. `away` are nodes in a subnet of their
    own. One that `leaves` its tunnels and rules is one whose peers are gone, and what is `old`
    gives pods a smaller MTU under an overlay, as its first version did. `before` is told of each
    request, and may give an answer in its place; `lacks` are modules of the nodes' kernels.
    """

    agents: dict[str, str] = field(default_factory=dict)
    tunnels: dict[str, set[str]] = field(default_factory=dict)
    rules: set[str] = field(default_factory=set)
    bridges: dict[str, int] = field(default_factory=dict)
    born: dict[str, tuple[str, int]] = field(default_factory=dict)
    stuck: set[str] = field(default_factory=set)
    away: set[str] = field(default_factory=set)
    lacks: set[str] = field(default_factory=set)
    leaves: bool = False
    old: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[Asked], Answer | None] = lambda asked: None

    def set_up(self, args: list[str] | None = None, **container: Any) -> None:
        """kube-router, and pods."""
        for path in [one for one in self.at if one.split("/")[-2] == "pods"]:
            del self.at[path]
        self.born.clear()
        self.put(DAEMON_SET, self.daemon_set(NONE if args is None else args, **container))
        for number, node in enumerate(NODES_OF):
            self.put(NODES.path(name=node), {})
            self.start("kube-system", "kube-router", node, "DaemonSet", hosted=True)
            self.start("default", f"app-{node}", node, "ReplicaSet", f"10.244.{number}.7")

    def daemon_set(self, args: list[str], **container: Any) -> dict[str, Any]:
        itself = {"name": "kube-router", "image": "cloudnativelabs/kube-router:v2.1.0"}
        made = {**itself, "args": args, **container}
        side = {"name": "side", "image": "any", "args": ["--enable-overlay=false"]}
        return {
            "metadata": {"uid": "kube-router", "generation": 1},
            "spec": {
                "selector": {"matchLabels": {"k8s-app": "kube-router"}},
                "template": {"spec": {"containers": [made, side]}},
            },
            "status": {
                "observedGeneration": 1,
                "desiredNumberScheduled": len(NODES_OF),
                "updatedNumberScheduled": len(NODES_OF),
                "numberReady": len(NODES_OF),
            },
        }

    @property
    def args(self) -> list[str]:
        found: list[str] = self.at[DAEMON_SET]["spec"]["template"]["spec"]["containers"][0].get(
            "args", []
        )
        return found

    def crosses(self, node: str, peer: str) -> bool:
        return node != peer and bool({node, peer} & self.away)

    def start(
        self,
        namespace: str,
        name: str,
        node: str,
        kind: str,
        address: str = "",
        *,
        hosted: bool = False,
    ) -> None:
        """A pod; kube-router reads its arguments now, another is born with its bridge's MTU."""
        if hosted and not (node in self.stuck and node in self.agents):
            self._follow(node)
        made = self.put(
            PODS.path(namespace, f"{name}-{node}-{self.changes}"),
            {
                "metadata": {
                    "ownerReferences": [{"uid": name, "kind": kind, "controller": True}],
                    "labels": {"of": name},
                },
                "spec": {"nodeName": node, "hostNetwork": hosted, "args": list(self.args)},
                "status": {
                    "phase": "Running",
                    "podIP": address,
                    "conditions": [{"type": "Ready", "status": "True"}],
                },
            },
        )
        if not hosted:
            self.born[made["metadata"]["uid"]] = (node, self.bridges[node])

    def _follow(self, node: str) -> None:
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

    def pods(self, *, hosted: bool) -> set[str]:
        return {
            found["metadata"]["uid"]
            for path, found in self.at.items()
            if path.split("/")[-2] == "pods" and found["spec"]["hostNetwork"] == hosted
        }

    def mtus(self, node: str) -> list[int]:
        """Of a node's pods that there are."""
        there = self.pods(hosted=False)
        return [mtu for uid, (at, mtu) in self.born.items() if uid in there and at == node]

    def stands(self) -> dict[str, Any]:
        """All that a switch may change of the objects."""
        found: dict[str, Any] = json.loads(json.dumps(self.at[DAEMON_SET]))
        found["metadata"] |= {"resourceVersion": "any", "generation": 0}
        found["status"]["observedGeneration"] = 0
        if found["metadata"].get("annotations") == {}:
            del found["metadata"]["annotations"]
        return found

    def _answer(self, asked: Asked) -> Answer:
        path = asked.path.partition("?")[0]
        self.asked.append((asked.method, path))
        if (told := self.before(asked)) is not None:
            return told
        old = self.at.get(path)
        answer = super()._answer(asked)
        changed = answer.status < 300 and old is not None
        if changed and asked.method == "PATCH" and path == DAEMON_SET:
            self._count(old)
        if changed and asked.method == "DELETE" and path.split("/")[-2] == "pods":
            self._made_anew(old)
        return answer

    def _count(self, old: Any) -> None:
        found = self.at[DAEMON_SET]
        if found["spec"] != old["spec"]:
            found["metadata"]["generation"] += 1
            found["status"]["observedGeneration"] = found["metadata"]["generation"]
        current = [
            one
            for path, one in self.at.items()
            if path.split("/")[-2] == "pods" and one["spec"]["hostNetwork"]
            if one["spec"]["args"] == self.args
        ]
        found["status"]["updatedNumberScheduled"] = len(current)

    def _made_anew(self, old: Any) -> None:
        metadata, spec = old["metadata"], old["spec"]
        owner = metadata["ownerReferences"][0]
        self.start(
            metadata["namespace"],
            metadata["labels"]["of"],
            spec["nodeName"],
            owner["kind"],
            old["status"]["podIP"],
            hosted=spec["hostNetwork"],
        )
        self._count(self.at[DAEMON_SET])


@dataclass
class Node:
    """Stands for a NodeShell: what its kernel would print."""

    node: str
    cluster: KubeRouter

    @property
    def address(self) -> str:
        return NODES_OF[self.node]

    @property
    def pods(self) -> str:
        return RANGES[self.node]

    def run(self, argv: Sequence[str]) -> CommandOutput:
        words = tuple(argv)
        code = 0
        if words[:3] == route.argv("")[:3]:
            said = f"{json.dumps([self._way(words[4])])}\n{json.dumps(self._links())}\n"
        elif words == ("ip", "-j", "-d", "link", "show"):
            said = json.dumps(self._links())
        elif words == ("ip", "-j", "-4", "rule", "show"):
            said = json.dumps(self._rules())
        elif words[:3] == ("ip", "link", "delete"):
            self.cluster.tunnels[self.node].remove(words[3])
            said = ""
        elif words[:4] == ("ip", "-4", "rule", "delete"):
            assert words[4:] == ("from", self.pods, "lookup", "77")
            self.cluster.rules.remove(self.node)
            said = ""
        elif words == kube_router_ways._MTUS:
            mtus = [self.cluster.bridges[self.node], *self.cluster.mtus(self.node)]
            said = "".join(f"{mtu}\n" for mtu in mtus)
        else:
            assert words[:2] == ("sh", "-c")
            said, code = "", int(words[-1] in self.cluster.lacks)
        return CommandOutput(said, "", code, 0.0)

    def _rules(self) -> list[dict[str, Any]]:
        main = {"priority": 32766, "src": "all", "table": "main"}
        own = {"priority": 32765, "src": self.pods[:-3], "srclen": 24, "table": "77"}
        return [own, main] if self.node in self.cluster.rules else [main]

    def _links(self) -> list[dict[str, Any]]:
        plain = [{"ifname": name, "mtu": 1500} for name in ("eth0", "kube-bridge")]
        # The kernel's own, and one of IPv6, stay.
        kinds = {"tunl0": "ipip", "tun-6": "ip6tnl"}
        kinds |= dict.fromkeys(sorted(self.cluster.tunnels[self.node]), "ipip")
        return plain + [
            {"ifname": name, "mtu": 1480, "linkinfo": {"info_kind": kind}}
            for name, kind in kinds.items()
        ]

    def _way(self, address: str) -> dict[str, Any]:
        way: dict[str, Any] = {"dst": address, "dev": "eth0", "prefsrc": self.address}
        inside = [node for node, one in RANGES.items() if IPv4Address(address) in IPv4Network(one)]
        router = "10.0.0.254"
        if not inside:
            (peer,) = (node for node, one in NODES_OF.items() if one == address)
            return way | ({"gateway": router} if self.cluster.crosses(self.node, peer) else {})
        mode, crosses = self.cluster.agents[self.node], self.cluster.crosses(self.node, inside[0])
        if mode == "full" or (mode == "subnet" and crosses):
            return way | {"dev": f"tun-{inside[0]}"}
        return way | {"gateway": router if crosses else NODES_OF[inside[0]]}


@contextmanager
def kube_router_cluster(folder: Path) -> Iterator[KubeRouter]:
    """Serve an empty one."""
    with fake_api_server(folder) as fake:
        cluster = KubeRouter(fake.kept)
        fake.answer = cluster.answer
        yield cluster


@contextmanager
def site_of(
    cluster: KubeRouter,
    progress: Callable[[str], None] = lambda step: None,
    check: Callable[[], None] = lambda: None,
    missing: frozenset[str] = frozenset(),
) -> Iterator[Site]:
    """A worker's view of it."""
    with KubeClient(ClusterAccess(cluster.kept, LOCAL), 0.0) as client:
        shells: dict[str, Any] = {
            node: Node(node, cluster) for node in NODES_OF if node not in missing
        }
        yield Site(client, shells, check, progress, missing)
