"""A cluster with Calico that nobody had at hand: an API server's objects, and nodes that follow.

What a node's kernel shows follows from the IPPools as they were when calico-node was last started
there, and a pod has the MTU of the moment it was born at: as Felix does it, where it does. With an
Installation there is an operator that holds the pools to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path
from typing import Any

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import route
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES, PODS
from podmeter_worker.modes import calico_pools, calico_ways
from podmeter_worker.modes.calico_ippool import CalicoPoolSwitcher
from podmeter_worker.modes.switcher import Site

from ...kube.api_server import Answer, Asked, fake_api_server
from ...kube.object_server import Objects

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
POOL, OTHER = "default-ipv4-ippool", "of-another-rack"
INSTALLATION = "/apis/operator.tigera.io/v1/installations/default"
STATUS = "/apis/operator.tigera.io/v1/tigerastatuses/ippools"
V3 = "/apis/projectcalico.org/v3"
FELIX = "/apis/crd.projectcalico.org/v1/felixconfigurations/default"
CONFIG = CONFIG_MAPS.path("kube-system", "calico-config")
NETWORK = IPv4Network("192.168.0.0/16")
#: How much smaller than a NIC's MTU that of pods is.
OVERHEAD = {"none": 0, "vxlan": 50, "ipip": 20}
#: Two in one subnet, one in another.
NODES_OF = {"a": "10.0.0.1/24", "b": "10.0.0.2/24", "c": "10.0.1.3/24"}
_BY_OPERATOR = {"None": "none", "VXLAN": "vxlan", "VXLANCrossSubnet": "vxlan-cross-subnet"}
_BY_OPERATOR |= {"IPIP": "ipip", "IPIPCrossSubnet": "ipip-cross-subnet"}


def pool_path(name: str = POOL, group: str = "crd.projectcalico.org") -> str:
    return calico_pools.resource(group).path(name=name)


def pool(cidr: str = "192.168.0.0/16", **spec: Any) -> dict[str, Any]:
    written = {"cidr": cidr, "ipipMode": "Always", "natOutgoing": True, "nodeSelector": "all()"}
    return {"spec": {**written, **spec}}


def modes_by_operator(installation: dict[str, Any], cidr: str) -> dict[str, str]:
    """What the operator writes into the pool that its Installation lists."""
    listed = installation["spec"]["calicoNetwork"]["ipPools"]
    (said,) = (one["encapsulation"] for one in listed if one["cidr"] == cidr)
    ipip, vxlan, _ = calico_pools._WRITTEN[_BY_OPERATOR[said]]
    return {"ipipMode": ipip, "vxlanMode": vxlan}


def base(value: str) -> str:
    """What a mode wraps packets in where it does."""
    return value.removesuffix("-cross-subnet")


@dataclass
class Calico(Objects):
    """The cluster. `stuck` nodes take over nothing; an operator that is not well follows nothing.

    `felix` is the encapsulation that a node's Felix was last started with; `born` the MTU of each
    pod. `before` is told of each request, and may give an answer in its place.
    """

    addresses: dict[str, str] = field(default_factory=lambda: dict(NODES_OF))
    felix: dict[str, str] = field(default_factory=dict)
    born: dict[str, int] = field(default_factory=dict)
    stuck: set[str] = field(default_factory=set)
    networks: IPv4Network = NETWORK
    operator_is_well: bool = True
    leaves_device: bool = False
    lacks: set[str] = field(default_factory=set)
    asked: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[Asked], Answer | None] = lambda asked: None

    def set_up(self, namespace: str = "kube-system", **variables: str) -> None:
        """calico-node on every node, a pool, and pods on the pod network."""
        environment = {"DATASTORE_TYPE": "kubernetes", **variables}
        self.put(
            DAEMON_SETS.path(namespace, "calico-node"),
            {
                "metadata": {"uid": "calico-node", "generation": 1},
                "spec": {
                    "selector": {"matchLabels": {"k8s-app": "calico-node"}},
                    "template": {
                        "spec": {
                            "containers": [
                                {
                                    "name": "calico-node",
                                    "image": "quay.io/calico/node:v3.30.3",
                                    "env": [
                                        {"name": name, "value": value}
                                        for name, value in environment.items()
                                    ],
                                }
                            ]
                        }
                    },
                },
                "status": {
                    "observedGeneration": 1,
                    "desiredNumberScheduled": len(self.addresses),
                    "updatedNumberScheduled": len(self.addresses),
                    "numberReady": len(self.addresses),
                },
            },
        )
        self.at["/apis/crd.projectcalico.org/v1"] = {"kind": "APIResourceList"}
        self.put(pool_path(), pool())
        for number, (node, address) in enumerate(self.addresses.items()):
            annotations = {"projectcalico.org/IPv4Address": address}
            self.put(NODES.path(name=node), {"metadata": {"annotations": annotations}})
            self.start(namespace, "calico-node", node, "DaemonSet", hosted=True)
            self.start("default", f"app-{node}", node, "ReplicaSet", f"192.168.{number}.7")

    def installed(self, encapsulation: str = "IPIP", **spec: Any) -> None:
        """By its operator, which owns the pool."""
        self.at[V3] = {"kind": "APIResourceList"}
        listed = {"cidr": "192.168.0.0/16", "encapsulation": encapsulation, "blockSize": 26}
        six = {"cidr": "fd00::/48", "encapsulation": "None", "blockSize": 122}
        network = {"bgp": "Enabled", "ipPools": [listed, six], **spec}
        self.put(INSTALLATION, {"spec": {"variant": "Calico", "calicoNetwork": network}})
        labels = {"app.kubernetes.io/managed-by": "tigera-operator"}
        self.put(pool_path(), {**pool(vxlanMode="Never"), "metadata": {"labels": labels}})

    def spec(self, name: str = POOL) -> dict[str, Any]:
        found: dict[str, Any] = self.at[pool_path(name)]["spec"]
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
        """A pod, born with what its node's Felix says then."""
        if hosted and node not in self.stuck:
            found = calico_pools.encapsulation(self.spec())
            self.felix[node] = found or "none"
        made = self.put(
            PODS.path(namespace, f"{name}-{node}-{self.changes}"),
            {
                "metadata": {
                    "ownerReferences": [{"uid": name, "kind": kind, "controller": True}],
                    "labels": {"of": name},
                },
                "spec": {"nodeName": node, "hostNetwork": hosted},
                "status": {
                    "phase": "Running",
                    "podIP": address,
                    "conditions": [{"type": "Ready", "status": "True"}],
                },
            },
        )
        if not hosted:
            self.born[made["metadata"]["uid"]] = 1500 - OVERHEAD[base(self.felix[node])]

    def pods(self, *, hosted: bool) -> set[str]:
        return {
            found["metadata"]["uid"]
            for path, found in self.at.items()
            if path.split("/")[-2] == "pods" and found["spec"]["hostNetwork"] == hosted
        }

    def _answer(self, asked: Asked) -> Answer:
        path = asked.path.partition("?")[0]
        self.asked.append((asked.method, path))
        if (told := self.before(asked)) is not None:
            return told
        of, _, plural = path.rpartition("/")
        if (
            plural in ("ippools", "felixconfigurations")
            and of not in self.at
            and path not in self.at
        ):
            return Answer(404, {"reason": "NotFound"})
        old = self.at.get(path)
        answer = super()._answer(asked)
        if answer.status < 300 and old is not None:
            if asked.method == "DELETE" and path.split("/")[-2] == "pods":
                self._made_anew(old)
            if asked.method == "PATCH" and path == INSTALLATION and self.operator_is_well:
                self._reconciled()
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

    def _reconciled(self) -> None:
        """What pool_controller.go does with those that it owns."""
        found = self.at[pool_path()]
        modes = modes_by_operator(self.at[INSTALLATION], self.spec()["cidr"])
        self.put(pool_path(), {**found, "spec": {**found["spec"], **modes}})


@dataclass
class Node:
    """Stands for a NodeShell: what its kernel would print."""

    node: str
    cluster: Calico
    pods: str | None = None

    @property
    def address(self) -> str:
        return str(IPv4Interface(self.cluster.addresses[self.node]).ip)

    def run(self, argv: Sequence[str]) -> CommandOutput:
        if tuple(argv) == calico_ways._MTUS:
            lines = "".join(f"{name} {mtu}\n" for name, mtu in self.devices().items())
            return CommandOutput(f"bonding_masters \n{lines}", "", 0, 0.0)
        if argv[:3] == route.argv("")[:3]:
            return self._way(argv[4])
        assert argv[:2] == ("sh", "-c")
        module = argv[-1]
        return CommandOutput("", "", 1 if module in self.cluster.lacks else 0, 0.0)

    def devices(self) -> dict[str, int]:
        mode = base(self.cluster.felix[self.node])
        made = {"lo": 65536, "eth0": 1500, "tunl0": 1480}
        if mode == "vxlan" or self.cluster.leaves_device:
            made["vxlan.calico"] = 1450
        for found in self.cluster.at.values():
            uid = found["metadata"].get("uid") if "metadata" in found else None
            if uid in self.cluster.born and found["spec"]["nodeName"] == self.node:
                made[f"cali{uid}"] = self.cluster.born[uid]
        return made

    def _way(self, address: str) -> CommandOutput:
        device, gateway = "eth0", None
        if IPv4Address(address) in self.cluster.networks:
            peer = next(
                found["spec"]["nodeName"]
                for path, found in self.cluster.at.items()
                if path.split("/")[-2] == "pods" and found["status"]["podIP"] == address
            )
            mode = self.cluster.felix[self.node]
            own = IPv4Interface(self.cluster.addresses[self.node])
            there = IPv4Interface(self.cluster.addresses[peer])
            crosses = there.ip not in own.network
            gateway = str(there.ip)
            if crosses or not mode.endswith("-cross-subnet"):
                device = {"none": "eth0", "vxlan": "vxlan.calico", "ipip": "tunl0"}[base(mode)]
        elif "router" in self.cluster.lacks:
            gateway = "10.0.0.254"
        way = {"dst": address, "dev": device, "prefsrc": self.address}
        if gateway is not None:
            way["gateway"] = gateway
        kinds = {"vxlan.calico": "vxlan", "tunl0": "ipip"}
        links = [
            {"ifname": name, "mtu": mtu}
            | ({"linkinfo": {"info_kind": kinds[name]}} if name in kinds else {})
            for name, mtu in self.devices().items()
        ]
        return CommandOutput(f"{json.dumps([way])}\n{json.dumps(links)}\n", "", 0, 0.0)


@contextmanager
def calico_cluster(folder: Path, addresses: dict[str, str] | None = None) -> Iterator[Calico]:
    """Serve an empty one."""
    with fake_api_server(folder) as fake:
        cluster = Calico(fake.kept, addresses=dict(addresses or NODES_OF))
        fake.answer = cluster.answer
        yield cluster


@contextmanager
def site_of(
    cluster: Calico,
    progress: Callable[[str], None] = lambda step: None,
    check: Callable[[], None] = lambda: None,
) -> Iterator[Site]:
    """A worker's view of it."""
    with KubeClient(ClusterAccess(cluster.kept, LOCAL), 0.0) as client:
        shells: dict[str, Any] = {node: Node(node, cluster) for node in cluster.addresses}
        yield Site(client, shells, check, progress)


SWITCHER = CalicoPoolSwitcher()
VALUES = ("none", "vxlan", "vxlan-cross-subnet", "ipip", "ipip-cross-subnet")
Prepare = Callable[[Calico], Any]


def stands(cluster: Calico) -> dict[str, Any]:
    """All that a switch may change of the objects."""
    kept = {
        path: {**found, "metadata": {**found["metadata"], "resourceVersion": "any"}}
        for path, found in cluster.at.items()
        if path in (pool_path(), pool_path(OTHER), INSTALLATION)
    }
    found: dict[str, Any] = json.loads(json.dumps(kept))
    for one in found.values():
        if one["metadata"].get("annotations") == {}:
            del one["metadata"]["annotations"]
    return found
