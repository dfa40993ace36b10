"""A cluster with kube-proxy of objects: an API server's, its DaemonSet controller, and kernels.

The controller acts at once: pods come to every node that a DaemonSet's template lets them on, those
that it keeps off go, and a changed template rolls all others unless updates wait. A node's kernel
holds what the pods there have written: each pod reads its mode when it is made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bench.scripted.outputs import kube_proxy_metrics

from podmeter.domain.ports import HOST_NAMESPACE, CommandOutput
from podmeter.drivers import kube_proxy
from podmeter.drivers.netfilter.backend import PROBE_ARGV
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES, PODS, Object
from podmeter_worker.modes.kube_proxy import cleanup as kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy.switcher import KubeProxySwitcher
from podmeter_worker.modes.kube_proxy.text import written_mode

from ...kube.api_server import Answer, Asked
from ..cluster_of_objects import NODES_OF, ClusterOfObjects, NodeOfObjects, is_pod

SWITCHER = KubeProxySwitcher()
MODES = ("iptables", "ipvs", "nftables")
CLUSTERS = DAEMON_SETS.path("kube-system", "kube-proxy")
#: Podmeter's own DaemonSet and ConfigMap of each mode.
OWN = {mode: DAEMON_SETS.path("kube-system", f"podmeter-kube-proxy-{mode}") for mode in MODES}
CONFIGURATION = CONFIG_MAPS.path("kube-system", "kube-proxy")
OWN_CONFIGURATION = {
    mode: CONFIG_MAPS.path("kube-system", f"podmeter-kube-proxy-{mode}") for mode in MODES
}
TEXT = 'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: "{}"\n'
ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}
#: What an owner may have asked of the nodes that kube-proxy runs on.
OWNERS = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {
                    "matchExpressions": [
                        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}
                    ]
                },
                {"matchExpressions": [{"key": "edge", "operator": "Exists"}]},
            ]
        },
        "preferredDuringSchedulingIgnoredDuringExecution": [],
    }
}
_READY: Object = {
    "spec": {},
    "status": {
        "conditions": [{"type": "Ready", "status": "True"}],
        "addresses": [{"type": "InternalIP", "address": "192.0.2.1"}],
        "capacity": {"cpu": "4", "memory": "8Gi"},
        "nodeInfo": {
            "operatingSystem": "linux",
            "architecture": "amd64",
            "kernelVersion": "6.12",
            "osImage": "Debian 13",
            "bootID": "boot",
        },
    },
}
#: What a kernel holds besides after kube-proxy of a mode has started: it removes the other one's.
_REMOVES = {"iptables": {"nftables"}, "nftables": {"iptables"}, "ipvs": set[str]()}


@dataclass
class KubeProxies(ClusterOfObjects):
    """The cluster. `kernels` are the modes that a node's kernel holds rules of.

    `started` are the names of nodes in the order in which pods of kube-proxy were started there,
    `clashes` those where two were at a time, or one beside a clean-up.
    """

    switched: ClassVar = (
        CLUSTERS,
        CONFIGURATION,
        *OWN.values(),
        *OWN_CONFIGURATION.values(),
    )

    kernels: dict[str, set[str]] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    clashes: list[str] = field(default_factory=list)
    made: int = 0
    #: Whether a clean-up ends well as soon as it is created, or fails until `clean_again`.
    cleans: bool = True
    #: The names of the nodes that there are.
    names: tuple[str, ...] = tuple(NODES_OF)

    def set_up(self, mode: str = "iptables", affinity: Object | None = None) -> None:
        """kube-proxy on all nodes in a mode."""
        for node in self.names:
            self._join(node)
        data = {"config.conf": TEXT.format(mode), "kubeconfig.conf": "clusters: []"}
        self.put(CONFIGURATION, {"data": data})
        pod: Object = {
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "containers": [{"name": "kube-proxy", "image": "kube-proxy:v1.34.4"}],
            "volumes": [
                {"name": "kube-proxy", "configMap": {"name": "kube-proxy", "defaultMode": 420}},
                {"name": "lib-modules", "hostPath": {"path": "/lib/modules"}},
            ],
        }
        if affinity is not None:
            pod["affinity"] = affinity
        self.put(
            CLUSTERS,
            {
                "spec": {
                    "selector": {"matchLabels": {"k8s-app": "kube-proxy"}},
                    "template": {"metadata": {"labels": {"k8s-app": "kube-proxy"}}, "spec": pod},
                    "updateStrategy": ROLLING,
                },
            },
        )
        self.reconcile()

    def replace_nodes(self, *replaced: tuple[str, str]) -> None:
        """Nodes go, and others join under new names, as an upgrade of a node group does it."""
        for old, new in replaced:
            self.remove_node(old)
            self.names = (*self.names, new)
            self._join(new)
        self.reconcile()

    def remove_node(self, node: str) -> None:
        """One goes, with its pods."""
        for path in self.agents_on(node):
            del self.at[path]
        del self.at[NODES.path(name=node)]
        del self.kernels[node]
        self.names = tuple(name for name in self.names if name != node)

    def _join(self, node: str) -> None:
        labels = {"kubernetes.io/hostname": f"host-{node}", "kubernetes.io/os": "linux"}
        self.put(NODES.path(name=node), {"metadata": {"labels": labels}, **_READY})
        self.kernels[node] = set()

    def shells(self) -> Mapping[str, Node]:
        return {node: Node(node, self) for node in self.names}

    def pods_on(self, node: str, daemon_set: str = "") -> list[Object]:
        """kube-proxy's pods on a node, of any DaemonSet or of one."""
        return [
            found
            for found in self.all_pods()
            if "of" in found and found["spec"]["nodeName"] == node
            if not daemon_set or found["of"] == daemon_set
        ]

    def agents_on(self, *nodes: str) -> dict[str, str]:
        return {
            path: found["metadata"]["uid"]
            for path, found in self.at.items()
            if is_pod(path) and "of" in found
            if not nodes or found["spec"]["nodeName"] in nodes
        }

    def mode_on(self, node: str) -> str | None:
        """What kube-proxy on a node says that it is in."""
        return next((str(pod["mode"]) for pod in self.pods_on(node)), None)

    def touch(self, path: str, change: Callable[[Object], None]) -> None:
        """What the cluster's owner does with an object."""
        self.edit(path, change)
        self.reconcile()

    def reconcile(self) -> None:
        """What the DaemonSet controller and the kubelets do."""
        for path in (CLUSTERS, *OWN.values()):
            found = self.at.get(path)
            # All that go do so before any come.
            for at, pod in [(at, one) for at, one in self.at.items() if is_pod(at)]:
                if pod.get("of") != path:
                    continue
                rolled = (
                    found is not None
                    and found["spec"]["updateStrategy"]["type"] == "RollingUpdate"
                    and pod["hash"] != _hash(found)
                )
                if found is None or rolled or not self._runs_on(found, pod["spec"]["nodeName"]):
                    del self.at[at]
        for path in (CLUSTERS, *OWN.values()):
            found = self.at.get(path)
            if found is None:
                continue
            for node in self.names:
                if self._runs_on(found, node) and not self.pods_on(node, path):
                    self._start(path, found, node)
            self._count(path, found)

    def _start(self, path: str, found: Object, node: str) -> None:
        if self.pods_on(node) or any(one["spec"]["nodeName"] == node for one in self.cleanups()):
            self.clashes.append(node)
        (volume, *_) = found["spec"]["template"]["spec"]["volumes"]
        text = self.at[CONFIG_MAPS.path("kube-system", volume["configMap"]["name"])]["data"]
        mode = written_mode(text["config.conf"]) or "iptables"
        if node not in self.stuck:
            self.kernels[node] = self.kernels[node] - _REMOVES[mode] | {mode}
        self.started.append(node)
        self.made += 1
        self.put(
            PODS.path("kube-system", f"proxy-{self.made}"),
            {
                "metadata": {
                    "ownerReferences": [{"uid": found["metadata"]["uid"]}],
                    "labels": found["spec"]["template"]["metadata"]["labels"],
                },
                "spec": {"nodeName": node},
                "status": {"conditions": [{"type": "Ready", "status": "True"}]},
                "of": path,
                "mode": mode,
                "hash": _hash(found),
            },
        )

    def _count(self, path: str, found: Object) -> None:
        """As its status tells it."""
        nodes = [node for node in self.names if self._runs_on(found, node)]
        pods = [pod for node in nodes for pod in self.pods_on(node, path)]
        self.state(
            path,
            observedGeneration=found["metadata"]["generation"],
            desiredNumberScheduled=len(nodes),
            numberReady=len(pods),
            updatedNumberScheduled=sum(pod["hash"] == _hash(found) for pod in pods),
        )

    def _runs_on(self, found: Object, node: str) -> bool:
        spec = found["spec"]["template"]["spec"]
        labels = self.at[NODES.path(name=node)]["metadata"]["labels"]
        chosen = spec.get("nodeSelector") or {}
        of_nodes = (spec.get("affinity") or {}).get("nodeAffinity") or {}
        required = of_nodes.get("requiredDuringSchedulingIgnoredDuringExecution")
        terms = None if required is None else required["nodeSelectorTerms"]
        return all(labels.get(name) == value for name, value in chosen.items()) and (
            terms is None or any(_matches(term, labels) for term in terms)
        )

    def _answer(self, asked: Asked) -> Answer:
        path = asked.path.partition("?")[0]
        answer = super()._answer(asked)
        if asked.method != "GET" and answer.status < 300:
            if self.cleans and (asked.method, path) == ("POST", PODS.path(HOST_NAMESPACE)):
                self.clean_again()
            self.reconcile()
        return answer

    def cleanups(self) -> list[Object]:
        """The pods of clean-ups that have not ended well."""
        return [
            pod
            for path, pod in self.at.items()
            if path.startswith(f"{PODS.path(HOST_NAMESPACE)}/")
            if pod.get("status", {}).get("phase") != "Succeeded"
        ]

    def clean_again(self) -> None:
        """The kubelets run again what has failed."""
        for pod in self.cleanups():
            self._cleaned(pod)

    def _cleaned(self, pod: Object) -> None:
        """A clean-up has run on a node: rules of all modes are gone."""
        node = pod["spec"]["nodeName"]
        if self.pods_on(node):
            self.clashes.append(node)
        self.kernels[node] = set()
        self.state(PODS.path(HOST_NAMESPACE, pod["metadata"]["name"]), phase="Succeeded")

    def _follow(self, node: str) -> bool:
        raise NotImplementedError

    def _mtu(self, node: str) -> int:
        raise NotImplementedError

    def _changed(self, method: str, path: str, old: Object) -> None:
        """The controller sees to it."""

    def stands(self) -> dict[str, Any]:
        """But the counts of its pods."""
        found = super().stands()
        for one in found.values():
            one.pop("status", None)
        return found


@dataclass
class Node(NodeOfObjects):
    """One of its nodes."""

    cluster: KubeProxies

    @property
    def labels(self) -> dict[str, str]:
        return {"podmeter.io/run": "r1", "app.kubernetes.io/managed-by": "podmeter"}

    def run(self, argv: Any, limit_seconds: float = 30.0) -> CommandOutput:
        words, held = tuple(argv), self.cluster.kernels[self.node]
        if words[0] == "curl":
            mode = self.cluster.mode_on(self.node)
            if mode is None:
                return CommandOutput("", "curl: (7) Failed to connect", 7, 0.0)
            return CommandOutput(mode, "", 0, 0.0)
        if words == kube_proxy.argv():
            # A stuck node's first sync has failed.
            return kube_proxy_metrics(1, has_succeeded=self.node not in self.cluster.stuck)
        if words == PROBE_ARGV:
            names = {"iptables": "iptables-nft"}
            lines = [names.get(mode, mode) for mode in sorted(held)]
            return CommandOutput("\n".join([*lines, "end\n"]), "", 0, 0.0)
        if words == ("sh", "-c", kube_proxy_cleanup._IPVS):
            return CommandOutput("", "", int("ipvs" not in held), 0.0)
        if "KUBE-SVC" in words[-1]:
            return CommandOutput("", "", int("iptables" not in held), 0.0)
        return super().run(argv)

    def way(self, address: str) -> Object:
        raise NotImplementedError

    def links(self) -> list[Object]:
        raise NotImplementedError


def _hash(found: Object) -> str:
    text = json.dumps(found["spec"]["template"], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _matches(term: Object, labels: Mapping[str, str]) -> bool:
    expressions = term.get("matchExpressions") or []
    return bool(expressions) and all(_holds(one, labels) for one in expressions)


def _holds(expression: Object, labels: Mapping[str, str]) -> bool:
    value, values = labels.get(expression["key"]), expression.get("values") or []
    match expression["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
    raise AssertionError(expression)
