"""A cluster with Cilium of objects: an API server's, and nodes that follow.

What a node's kernel shows follows from the ConfigMap as it was when the node's agent was last made,
read by that version of Cilium, and a pod has the MTU of the moment it was born at. An agent whose
settings exclude each other never gets ready, as Cilium's ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import route
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES, PODS
from podmeter_worker.modes.cilium_routing import CiliumRoutingSwitcher
from podmeter_worker.modes.switcher import Site

from ...kube.api_server import Answer, Asked, fake_api_server
from ...kube.object_server import Objects

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
SWITCHER = CiliumRoutingSwitcher()
CONFIG = CONFIG_MAPS.path("kube-system", "cilium-config")
DAEMON_SET = DAEMON_SETS.path("kube-system", "cilium")
NODE_CONFIGS = "/apis/cilium.io/v2/namespaces/kube-system/ciliumnodeconfigs"
NODES_OF = {"a": "10.0.0.1", "b": "10.0.0.2", "c": "10.0.0.3"}
RANGES = {node: f"10.244.{number}.0/24" for number, node in enumerate(NODES_OF)}
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
class Cilium(Objects):
    """The cluster. On `stuck` nodes agents go on as before, whatever they are told.

    `agents` is what the agent of a node does, `born` the MTU of each pod. `before` is told of each
    request, and may give an answer in its place; `lacks` are modules of the nodes' kernels.
    """

    version: str = "v1.15.19"
    agents: dict[str, str] = field(default_factory=dict)
    born: dict[str, int] = field(default_factory=dict)
    stuck: set[str] = field(default_factory=set)
    lacks: set[str] = field(default_factory=set)
    leaves_device: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[Asked], Answer | None] = lambda asked: None

    def set_up(self, data: dict[str, str] | None = None, version: str = "v1.15.19") -> None:
        """The agents, their ConfigMap, and pods."""
        self.version = version
        self.put(CONFIG, {"data": {"ipam": "kubernetes", "debug": "false", **(data or NEW)}})
        self.put(DAEMON_SET, self.daemon_set())
        for node in NODES_OF:
            self.put(NODES.path(name=node), {})
            self.start("kube-system", "cilium", node, "DaemonSet", hosted=True)
        for number, node in enumerate(NODES_OF):
            self.start("default", f"app-{node}", node, "ReplicaSet", f"10.244.{number}.7")

    def daemon_set(self, **container: Any) -> dict[str, Any]:
        agent = {"name": "cilium-agent", "image": f"quay.io/cilium/cilium:{self.version}"}
        count = len(NODES_OF)
        numbers = ("desiredNumberScheduled", "updatedNumberScheduled", "numberReady")
        return {
            "metadata": {"uid": "cilium", "generation": 1},
            "spec": {
                "selector": {"matchLabels": {"k8s-app": "cilium"}},
                "template": {"spec": {"containers": [{**agent, **container}]}},
            },
            "status": {"observedGeneration": 1, **dict.fromkeys(numbers, count)},
        }

    @property
    def data(self) -> dict[str, str]:
        found: dict[str, str] = self.at[CONFIG]["data"]
        return found

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
        """A pod; an agent reads its settings now, another is born with what its agent does."""
        ready = "True"
        if hosted and not (node in self.stuck and node in self.agents):
            mode = mode_by(self.data, self.version)
            ready = "True" if mode else "False"
            self.agents[node] = mode or "none"
        # One second more at each change of the cluster.
        made_at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.changes)
        made = self.put(
            PODS.path(namespace, f"{name}-{node}-{self.changes}"),
            {
                "metadata": {
                    "ownerReferences": [{"uid": name, "kind": kind, "controller": True}],
                    "labels": {"of": name},
                    "creationTimestamp": made_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                },
                "spec": {"nodeName": node, "hostNetwork": hosted},
                "status": {
                    "phase": "Running",
                    "podIP": address,
                    "conditions": [{"type": "Ready", "status": ready}],
                },
            },
        )
        if not hosted:
            self.born[made["metadata"]["uid"]] = MTU.get(self.agents[node], 0)

    def pods(self, *, hosted: bool) -> set[str]:
        return {
            found["metadata"]["uid"]
            for path, found in self.at.items()
            if path.split("/")[-2] == "pods" and found["spec"]["hostNetwork"] == hosted
        }

    @property
    def mtus(self) -> set[int]:
        """Of the pods that there are."""
        return {self.born[one] for one in self.pods(hosted=False)}

    def stands(self) -> dict[str, Any]:
        """All that a switch may change of the objects."""
        kept = {path: self.at[path] for path in (CONFIG, DAEMON_SET)}
        found: dict[str, Any] = json.loads(json.dumps(kept))
        for one in found.values():
            one["metadata"]["resourceVersion"] = "any"
            if one["metadata"].get("annotations") == {}:
                del one["metadata"]["annotations"]
        return found

    def _answer(self, asked: Asked) -> Answer:
        path = asked.path.partition("?")[0]
        self.asked.append((asked.method, path))
        if (told := self.before(asked)) is not None:
            return told
        if path.endswith("/ciliumnodeconfigs") and any(
            "/ciliumnodeconfigs/" in at for at in self.at
        ):
            return Answer(document=self._listed(path))
        old = self.at.get(path)
        answer = super()._answer(asked)
        gone = asked.method == "DELETE" and answer.status < 300
        if gone and old is not None and path.split("/")[-2] == "pods":
            self._made_anew(old)
        return answer

    def _made_anew(self, old: dict[str, Any]) -> None:
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


@dataclass
class Node:
    """Stands for a NodeShell: what its kernel would print."""

    node: str
    cluster: Cilium

    @property
    def address(self) -> str:
        return NODES_OF[self.node]

    @property
    def pods(self) -> str:
        return RANGES[self.node]

    def run(self, argv: Sequence[str]) -> CommandOutput:
        if tuple(argv) == ("ls", "/sys/class/net"):
            return CommandOutput("\n".join(self.devices()) + "\n", "", 0, 0.0)
        if argv[:3] == route.argv("")[:3]:
            return self._way(argv[4])
        assert argv[:2] == ("sh", "-c")
        return CommandOutput("", "", 1 if argv[-1] in self.cluster.lacks else 0, 0.0)

    def devices(self) -> list[str]:
        mode = self.cluster.agents[self.node]
        made = ["lo", "eth0", "cilium_host", "cilium_net"]
        if mode in ("vxlan", "geneve"):
            made.append(f"cilium_{mode}")
        elif self.cluster.leaves_device:
            made.append("cilium_vxlan")
        return made

    def _way(self, address: str) -> CommandOutput:
        way: dict[str, Any] = {"dst": address, "dev": "eth0", "prefsrc": self.address}
        inside = [node for node, one in RANGES.items() if IPv4Address(address) in IPv4Network(one)]
        mode = self.cluster.agents[self.node]
        if inside and mode == "native":
            way["gateway"] = NODES_OF[inside[0]]
        elif inside:
            way["dev"] = "cilium_host" if mode != "none" else "eth0"
            way["gateway"] = "10.0.0.254"
        elif "router" in self.cluster.lacks:
            way["gateway"] = "10.0.0.254"
        links = [
            {"ifname": name, "mtu": 1500}
            | (
                {"linkinfo": {"info_kind": name.removeprefix("cilium_")}}
                if name in ("cilium_vxlan", "cilium_geneve")
                else {}
            )
            for name in self.devices()
        ]
        return CommandOutput(f"{json.dumps([way])}\n{json.dumps(links)}\n", "", 0, 0.0)


@contextmanager
def cilium_cluster(folder: Path) -> Iterator[Cilium]:
    """Serve an empty one."""
    with fake_api_server(folder) as fake:
        cluster = Cilium(fake.kept)
        fake.answer = cluster.answer
        yield cluster


@contextmanager
def site_of(
    cluster: Cilium,
    progress: Callable[[str], None] = lambda step: None,
    check: Callable[[], None] = lambda: None,
) -> Iterator[Site]:
    """A worker's view of it."""
    with KubeClient(ClusterAccess(cluster.kept, LOCAL), 0.0) as client:
        shells: dict[str, Any] = {node: Node(node, cluster) for node in NODES_OF}
        yield Site(client, shells, check, progress)
