"""A cluster of objects whose pod network is switched: an API server's, and nodes that follow.

What those with Calico, with Cilium and with kube-router share: the agent of a node reads its
settings when its pod is made, any other pod has the MTU of the moment it was born at, a pod that is
deleted is recreated, and requests to the API server are recorded or answered differently.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv4Network
from typing import Any, ClassVar

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import route
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import NODES, PODS, Object
from podmeter_worker.modes.switcher import SwitchContext

from ..kube.api_server import Answer, Asked
from ..kube.object_server import Objects

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
NODES_OF = {"a": "10.0.0.1", "b": "10.0.0.2", "c": "10.0.0.3"}
RANGES = {node: f"10.244.{number}.0/24" for number, node in enumerate(NODES_OF)}


def node_of(address: str) -> str | None:
    """The node whose pods have such addresses."""
    found = (node for node, one in RANGES.items() if IPv4Address(address) in IPv4Network(one))
    return next(found, None)


def daemon_set(name: str, *containers: Object, count: int = len(NODES_OF)) -> Object:
    """One whose pods are the newest, ready on so many nodes."""
    numbers = ("desiredNumberScheduled", "updatedNumberScheduled", "numberReady")
    return {
        "metadata": {"uid": name, "generation": 1},
        "spec": {
            "selector": {"matchLabels": {"k8s-app": name}},
            "template": {"spec": {"containers": list(containers)}},
        },
        "status": {"observedGeneration": 1, **dict.fromkeys(numbers, count)},
    }


def is_pod(path: str) -> bool:
    return path.split("/")[-2] == "pods"


@dataclass
class ClusterOfObjects(Objects, ABC):
    """The cluster. On `stuck` nodes agents ignore changes of their configuration.

    `agents` is what the agent of a node does, `born` the MTU of each pod by its UID. `lacks` are
    modules of the nodes' kernels. `asked` are methods and paths; `before` is called for each
    request, and may respond in its place. `switched` are the paths of all that a switch may change.
    """

    switched: ClassVar[tuple[str, ...]]

    agents: dict[str, str] = field(default_factory=dict)
    born: dict[str, int] = field(default_factory=dict)
    stuck: set[str] = field(default_factory=set)
    lacks: set[str] = field(default_factory=set)
    asked: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[Asked], Answer | None] = lambda asked: None

    @abstractmethod
    def shells(self) -> Mapping[str, NodeOfObjects]:
        """Replacements for the node shells, by node."""

    @abstractmethod
    def _follow(self, node: str) -> bool:
        """The agent of a node reads its settings; whether it gets ready."""

    @abstractmethod
    def _mtu(self, node: str) -> int:
        """That of a pod that is born on a node now."""

    def _template(self) -> Object:
        """What else the spec of a pod has that is made now."""
        return {}

    def _changed(self, method: str, path: str, old: Object) -> None:
        """Do what controllers do when an object was changed, or deleted."""
        if method == "DELETE" and is_pod(path):
            self._made_anew(old)
        elif method != "DELETE" and "/daemonsets/" in path:
            self.state(path, observedGeneration=self.at[path]["metadata"]["generation"])

    def edit(self, path: str, change: Callable[[Object], Any]) -> Object:
        """As anybody's change, it is followed."""
        old = self.at[path]
        made = super().edit(path, change)
        self._changed("PUT", path, old)
        return made

    def populate(
        self,
        agent: str,
        namespace: str = "kube-system",
        *,
        nodes: Mapping[str, Object] | None = None,
        network: str = "10.244",
    ) -> None:
        """Nodes, the agent's pod on each, and one on the pod network, instead of all pods before.

        `network` is how the pods' addresses begin.
        """
        for path in [one for one in self.at if is_pod(one)]:
            del self.at[path]
        self.born.clear()
        nodes = nodes or {node: {} for node in NODES_OF}
        for node, body in nodes.items():
            self.put(NODES.path(name=node), body)
            self.start(namespace, agent, node, "DaemonSet", hosted=True)
        for number, node in enumerate(nodes):
            self.start("default", f"app-{node}", node, "ReplicaSet", f"{network}.{number}.7")

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
        """A pod; an agent reads its settings now, another has the MTU of what its agent does."""
        ready = True
        if hosted and not (node in self.stuck and node in self.agents):
            ready = self._follow(node)
        # One second more at each change of the cluster.
        number = self.store.version
        made_at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
        made = self.put(
            PODS.path(namespace, f"{name}-{node}-{number}"),
            {
                "metadata": {
                    "ownerReferences": [{"uid": name, "kind": kind, "controller": True}],
                    "labels": {"k8s-app": name},
                    "creationTimestamp": made_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                },
                "spec": {"nodeName": node, "hostNetwork": hosted, **self._template()},
                "status": {
                    "phase": "Running",
                    "podIP": address,
                    "conditions": [{"type": "Ready", "status": str(ready)}],
                },
            },
        )
        if not hosted:
            self.born[made["metadata"]["uid"]] = self._mtu(node)

    def _made_anew(self, old: Object) -> None:
        metadata, spec = old["metadata"], old["spec"]
        self.start(
            metadata["namespace"],
            metadata["labels"]["k8s-app"],
            spec["nodeName"],
            metadata["ownerReferences"][0]["kind"],
            old["status"]["podIP"],
            hosted=spec["hostNetwork"],
        )

    def all_pods(self) -> Iterator[Object]:
        """The pods of every namespace."""
        return self.store.all_of(PODS.version, PODS.plural)

    def pods(self, *, hosted: bool) -> set[str]:
        """The UIDs of those that there are, on their nodes' network or on that of pods."""
        return {
            found["metadata"]["uid"]
            for found in self.all_pods()
            if found["spec"]["hostNetwork"] == hosted
        }

    def agents_on(self, *nodes: str) -> dict[str, str]:
        """The UIDs of the agents' pods by their paths, on these nodes or on all."""
        return {
            path: found["metadata"]["uid"]
            for path, found in self.at.items()
            if is_pod(path) and found["spec"]["hostNetwork"]
            if not nodes or found["spec"]["nodeName"] in nodes
        }

    def mtus(self, *nodes: str) -> set[int]:
        """Of the pods that there are, on these nodes or on all."""
        return {
            self.born[found["metadata"]["uid"]]
            for found in self.all_pods()
            if not found["spec"]["hostNetwork"]
            if not nodes or found["spec"]["nodeName"] in nodes
        }

    def stands(self) -> dict[str, Any]:
        """All that a switch may change of the objects, by path; without what counts changes."""
        there = {path: self.at[path] for path in self.switched if path in self.at}
        found: dict[str, Any] = json.loads(json.dumps(there))
        for one in found.values():
            for name in ("resourceVersion", "generation"):
                del one["metadata"][name]
            one.get("status", {}).pop("observedGeneration", None)
            if one["metadata"].get("annotations") == {}:
                del one["metadata"]["annotations"]
        return found

    def _answer(self, asked: Asked) -> Answer:
        path = asked.path.partition("?")[0]
        self.asked.append((asked.method, path))
        told = self.before(asked)
        if told is not None:
            return told
        old = self.at.get(path)
        answer = super()._answer(asked)
        if answer.status < 300 and old is not None and asked.method != "GET":
            self._changed(asked.method, path, old)
        return answer


@dataclass
class NodeOfObjects(ABC):
    """Stands for a NodeShell: what its kernel would print."""

    node: str
    cluster: ClusterOfObjects

    @property
    def address(self) -> str:
        return NODES_OF[self.node]

    @property
    def pods(self) -> str | None:
        return RANGES[self.node]

    @abstractmethod
    def way(self, address: str) -> Object:
        """How the way to an address is another than by eth0, in the words of `ip -j route get`."""

    @abstractmethod
    def links(self) -> list[Object]:
        """Its devices, in the words of `ip -j -d link show`."""

    def said(self, words: tuple[str, ...]) -> str | None:
        """What else it prints; None for what it does not know."""
        return None

    def run(self, argv: Sequence[str]) -> CommandOutput:
        words = tuple(argv)
        if words[:2] == route.argv("")[:2]:
            plain = {"dst": words[2], "dev": "eth0", "prefsrc": self.address}
            way = {**plain, **self.way(words[2])}
            return CommandOutput(f"{json.dumps([way])}\n{json.dumps(self.links())}\n", "", 0, 0.0)
        if (said := self.said(words)) is not None:
            return CommandOutput(said, "", 0, 0.0)
        # Whether its kernel has a module.
        assert words[:2] == ("sh", "-c")
        return CommandOutput("", "", int(words[-1] in self.cluster.lacks), 0.0)


def link(name: str, mtu: int, kind: str | None = None) -> Object:
    """A device in the words of `ip -j -d link show`."""
    return {"ifname": name, "mtu": mtu} | ({"linkinfo": {"info_kind": kind}} if kind else {})


def client_of(cluster: ClusterOfObjects) -> KubeClient:
    return KubeClient(ClusterAccess(cluster.kept, LOCAL), 0.0)


@contextmanager
def site_of(
    cluster: ClusterOfObjects,
    progress: Callable[[str], None] = lambda step: None,
    check: Callable[[], None] = lambda: None,
    missing: frozenset[str] = frozenset(),
) -> Iterator[SwitchContext]:
    """A worker's view of it."""
    shells: dict[str, Any] = {
        node: shell for node, shell in cluster.shells().items() if node not in missing
    }
    with client_of(cluster) as client:
        yield SwitchContext(client, shells, check, progress, missing)
