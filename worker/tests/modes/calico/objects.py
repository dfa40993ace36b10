"""A simulated cluster with Calico: an API server's objects, and nodes that follow.

What a node's kernel shows follows from the IPPools as they were when calico-node was last started
there, and a pod has the MTU of the moment it was born at: as Felix does it, where it does. With an
Installation there is an operator that holds the pools to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any, ClassVar

from podmeter.domain.ports import CommandOutput
from podmeter.drivers import program
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, Object
from podmeter_worker.modes.calico import datapath as calico_datapath
from podmeter_worker.modes.calico import pools as calico_pools
from podmeter_worker.modes.calico.switcher import CalicoPoolSwitcher

from ..cluster_of_objects import ClusterOfObjects, NodeOfObjects, daemon_set, link

SWITCHER = CalicoPoolSwitcher()
VALUES = ("none", "vxlan", "vxlan-cross-subnet", "ipip", "ipip-cross-subnet")
POOL, OTHER = "default-ipv4-ippool", "of-another-rack"
INSTALLATION = "/apis/operator.tigera.io/v1/installations/default"
STATUS = "/apis/operator.tigera.io/v1/tigerastatuses/ippools"
V1, V3 = "crd.projectcalico.org/v1", "projectcalico.org/v3"
FELIX = "/apis/crd.projectcalico.org/v1/felixconfigurations/default"
BGP = "/apis/crd.projectcalico.org/v1/bgpconfigurations/default"
CONFIG = CONFIG_MAPS.path("kube-system", "calico-config")
NETWORK = IPv4Network("192.168.0.0/16")
#: How much smaller than a NIC's MTU that of pods is.
OVERHEAD = {"none": 0, "vxlan": 50, "ipip": 20}
#: Two in one subnet, one in another.
NODES_OF = {"a": "10.0.0.1/24", "b": "10.0.0.2/24", "c": "10.0.1.3/24"}
_BY_OPERATOR = {"None": "none", "VXLAN": "vxlan", "VXLANCrossSubnet": "vxlan-cross-subnet"}
_BY_OPERATOR |= {"IPIP": "ipip", "IPIPCrossSubnet": "ipip-cross-subnet"}
Prepare = Callable[["Calico"], Any]


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
class Calico(ClusterOfObjects):
    """The cluster. `agents` is the encapsulation that a node's Felix was last started with.

    An operator that is not well follows nothing. `addresses` are its nodes' with their subnets,
    `networks` where pods are; one that `leaves_device` leaves VXLAN's under every mode.
    """

    switched: ClassVar = (pool_path(), pool_path(OTHER), INSTALLATION)

    addresses: dict[str, str] = field(default_factory=lambda: dict(NODES_OF))
    networks: IPv4Network = NETWORK
    operator_is_well: bool = True
    leaves_device: bool = False
    #: Whether anybody tells the nodes the way to pods that are not wrapped, and by which gateway.
    routed: bool = True
    top_of_rack: str = ""
    #: Whether pods are reached by the default route where no other one leads there.
    reached: bool = False

    def set_up(self, namespace: str = "kube-system", **variables: str) -> None:
        """calico-node on every node, a pool, and pods on the pod network."""
        environment = {"DATASTORE_TYPE": "kubernetes", **variables}
        container = {
            "name": "calico-node",
            "image": "quay.io/calico/node:v3.30.3",
            "env": [{"name": name, "value": value} for name, value in environment.items()],
        }
        made = daemon_set("calico-node", container, count=len(self.addresses))
        self.put(DAEMON_SETS.path(namespace, "calico-node"), made)
        self.serve(V1, "ippools", "felixconfigurations", "bgpconfigurations", "bgppeers")
        self.put(pool_path(), pool())
        nodes: dict[str, Object] = {
            node: {"metadata": {"annotations": {"projectcalico.org/IPv4Address": address}}}
            for node, address in self.addresses.items()
        }
        self.populate("calico-node", namespace, nodes=nodes, network="192.168")

    def installed(self, encapsulation: str = "IPIP", **spec: Any) -> None:
        """By its operator, which owns the pool."""
        self.serve(V3, "ippools", "felixconfigurations", "bgpconfigurations", "bgppeers")
        listed = {"cidr": "192.168.0.0/16", "encapsulation": encapsulation, "blockSize": 26}
        six = {"cidr": "fd00::/48", "encapsulation": "None", "blockSize": 122}
        network = {"bgp": "Enabled", "ipPools": [listed, six], **spec}
        self.put(INSTALLATION, {"spec": {"variant": "Calico", "calicoNetwork": network}})
        labels = {"app.kubernetes.io/managed-by": "tigera-operator"}
        self.put(pool_path(), {**pool(vxlanMode="Never"), "metadata": {"labels": labels}})

    def edit_container(self, change: Callable[[Object], Any]) -> None:
        """Change that of calico-node's DaemonSet, wherever that is."""
        path = next(one for one in self.at if one.endswith("/daemonsets/calico-node"))
        self.edit(path, lambda found: change(found["spec"]["template"]["spec"]["containers"][0]))

    def spec(self, name: str = POOL) -> dict[str, Any]:
        found: dict[str, Any] = self.at[pool_path(name)]["spec"]
        return found

    def shells(self) -> dict[str, Node]:
        return {node: Node(node, self) for node in self.addresses}

    def _follow(self, node: str) -> bool:
        self.agents[node] = calico_pools.encapsulation(self.spec()) or "none"
        return True

    def _mtu(self, node: str) -> int:
        return 1500 - OVERHEAD[base(self.agents[node])]

    def _changed(self, method: str, path: str, old: Object) -> None:
        super()._changed(method, path, old)
        if method == "PATCH" and path == INSTALLATION and self.operator_is_well:
            self._reconciled()

    def _reconciled(self) -> None:
        """What pool_controller.go does with those that it owns."""
        modes = modes_by_operator(self.at[INSTALLATION], self.spec()["cidr"])
        self.edit(pool_path(), lambda found: found["spec"].update(modes))


@dataclass
class Node(NodeOfObjects):
    """One of its nodes."""

    cluster: Calico

    @property
    def address(self) -> str:
        return str(IPv4Interface(self.cluster.addresses[self.node]).ip)

    @property
    def pods(self) -> None:
        """Calico's nodes have no one range of pods each."""

    def run(self, argv: Sequence[str]) -> CommandOutput:
        if tuple(argv[:2]) == program.argv("reach"):
            return CommandOutput("", "", int(not self.cluster.reached), 0.0)
        return super().run(argv)

    def said(self, words: tuple[str, ...]) -> str | None:
        if words == ("ip", "-j", "-4", "route", "show"):
            return json.dumps(self.routes())
        if words == calico_datapath._MTUS:
            lines = "".join(f"{name} {mtu}\n" for name, mtu in self.devices().items())
            return f"bonding_masters \n{lines}"
        return None

    def devices(self) -> dict[str, int]:
        mode = base(self.cluster.agents[self.node])
        made = {"lo": 65536, "eth0": 1500, "tunl0": 1480}
        if mode == "vxlan" or self.cluster.leaves_device:
            made["vxlan.calico"] = 1450
        for found in self.cluster.all_pods():
            if found["spec"]["nodeName"] == self.node:
                uid = found["metadata"]["uid"]
                made |= {f"cali{uid}": self.cluster.born[uid]} if uid in self.cluster.born else {}
        return made

    def routes(self) -> list[Object]:
        found: list[Object] = [{"dst": "default", "dev": "eth0", "gateway": "10.0.0.254"}]
        for pod in self.cluster.all_pods() if self.cluster.routed else ():
            address, peer = pod["status"]["podIP"], pod["spec"]["nodeName"]
            if address and peer != self.node:
                block = IPv4Network(f"{address}/26", strict=False)
                via = self.cluster.top_of_rack or self.cluster.addresses[peer].partition("/")[0]
                found.append({"dst": str(block), "dev": "eth0", "gateway": via})
        return found

    def links(self) -> list[Object]:
        kinds = {"vxlan.calico": "vxlan", "tunl0": "ipip"}
        return [link(name, mtu, kinds.get(name)) for name, mtu in self.devices().items()]

    def way(self, address: str) -> Object:
        if IPv4Address(address) not in self.cluster.networks:
            return {"gateway": "10.0.0.254"} if "router" in self.cluster.lacks else {}
        peer = next(
            found["spec"]["nodeName"]
            for found in self.cluster.all_pods()
            if found["status"]["podIP"] == address
        )
        mode = self.cluster.agents[self.node]
        own = IPv4Interface(self.cluster.addresses[self.node])
        there = IPv4Interface(self.cluster.addresses[peer])
        device = "eth0"
        if there.ip not in own.network or not mode.endswith("-cross-subnet"):
            device = {"none": "eth0", "vxlan": "vxlan.calico", "ipip": "tunl0"}[base(mode)]
        return {"dev": device, "gateway": str(there.ip)}
