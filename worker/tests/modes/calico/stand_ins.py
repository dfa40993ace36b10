"""A stand-in for Calico on a real API server: its DaemonSet, its operator, and its nodes.

calico-node only sleeps, a thread acts as the operator, and the tests set what the devices of
nodes show. Its kinds are in `definitions`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bench.scripted.store import Store

from podmeter.domain.ports import CommandOutput
from podmeter_testbed.shell import wait_for
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.facts.nodes import internal_address
from podmeter_worker.kube.resources import DAEMON_SETS, NAMESPACES, NODES, PODS

from ...labs import IMAGE
from .definitions import CIDR, OWNED, pool_body
from .objects import INSTALLATION, Node, modes_by_operator, pool_path

_ADDRESS = "projectcalico.org/IPv4Address"


@contextmanager
def calico_node(admin: KubeClient, namespace: str) -> Iterator[None]:
    """The DaemonSet of that name, whose pods sleep, and what it writes on its nodes."""
    for item in admin.list_all(NODES.path()).items:
        told = {_ADDRESS: f"{internal_address(item)}/24"}
        path = NODES.path(name=item["metadata"]["name"])
        admin.patch(path, {"metadata": {"annotations": told}})
    if namespace != "kube-system":
        admin.create(NAMESPACES.path(), {"metadata": {"name": namespace}})
    chosen = {"k8s-app": "calico-node"}
    environment = {"DATASTORE_TYPE": "kubernetes", "CALICO_NETWORKING_BACKEND": "bird"}
    container = {
        "name": "calico-node",
        "image": IMAGE.reference,
        "imagePullPolicy": "IfNotPresent",
        "command": ["sleep", "infinity"],
        "env": [{"name": name, "value": value} for name, value in environment.items()],
    }
    spec = {
        "hostNetwork": True,
        "terminationGracePeriodSeconds": 0,
        "tolerations": [{"operator": "Exists"}],
        "containers": [container],
    }
    path = DAEMON_SETS.path(namespace)
    made = admin.create(
        path,
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": "calico-node"},
            "spec": {
                "selector": {"matchLabels": chosen},
                "template": {"metadata": {"labels": chosen}, "spec": spec},
            },
        },
    )
    path = f"{path}/{made['metadata']['name']}"
    try:

        def runs() -> bool:
            status = admin.get(path).get("status") or {}
            return bool(0 < status.get("desiredNumberScheduled", 0) == status.get("numberReady"))

        wait_for("calico-node to run", runs, 120)
        yield
    finally:
        admin.delete(path)
        if namespace != "kube-system":
            admin.delete(NAMESPACES.path(name=namespace))
        for item in admin.list_all(NODES.path()).items:
            none = {"metadata": {"annotations": {_ADDRESS: None}}}
            admin.patch(NODES.path(name=item["metadata"]["name"]), none)
        selector = "k8s-app=calico-node"

        def gone() -> bool:
            if admin.list_all(PODS.path(), labels=selector).items:
                return False
            kept = namespace == "kube-system"
            return kept or admin.find(NAMESPACES.path(name=namespace)) is None

        wait_for(f"{namespace}'s calico-node to be gone", gone, 120)


@contextmanager
def by_manifest(admin: KubeClient) -> Iterator[str]:
    """Calico as its own manifest installs it: the path of what is switched."""
    path = pool_path()
    admin.create(path.rpartition("/")[0], pool_body({"nodeSelector": "all()"}))
    try:
        with calico_node(admin, "kube-system"):
            yield path
    finally:
        admin.delete(path)


@contextmanager
def by_operator(admin: KubeClient) -> Iterator[str]:
    """Calico with its operator, which reverts changes of the pool."""
    path = pool_path()
    admin.create(path.rpartition("/")[0], pool_body({}, labels=OWNED))
    listed = [
        {"cidr": CIDR, "encapsulation": "IPIP", "blockSize": 26, "nodeSelector": "all()"},
        {"cidr": "fd00:10::/56", "encapsulation": "None", "blockSize": 122},
    ]
    network = {"bgp": "Enabled", "linuxDataplane": "Iptables", "ipPools": listed}
    admin.create(
        INSTALLATION.rpartition("/")[0],
        {
            "apiVersion": "operator.tigera.io/v1",
            "kind": "Installation",
            "metadata": {"name": "default"},
            "spec": {"variant": "Calico", "cni": {"type": "Calico"}, "calicoNetwork": network},
        },
    )
    ended = threading.Event()

    def reconcile() -> None:
        while not ended.wait(0.2):
            modes = modes_by_operator(admin.get(INSTALLATION), CIDR)
            spec = admin.get(path)["spec"]
            if any(spec.get(key, "Never") != value for key, value in modes.items()):
                admin.patch(path, {"spec": modes})

    thread = threading.Thread(target=reconcile)
    thread.start()
    try:
        with calico_node(admin, "calico-system"):
            yield INSTALLATION
    finally:
        ended.set()
        thread.join()
        admin.delete(INSTALLATION)
        admin.delete(path)


@dataclass
class ToldNode(Node):
    """A node whose devices show what the pool says at the moment, as Felix would have it."""

    admin: KubeClient

    def run(self, argv: Sequence[str]) -> CommandOutput:
        found = self.admin.get(pool_path())["spec"]
        modes = {"Never": "", "Always": "", "CrossSubnet": "-cross-subnet"}
        value = "none"
        for name, key in (("vxlan", "vxlanMode"), ("ipip", "ipipMode")):
            if found.get(key, "Never") != "Never":
                value = name + modes[found[key]]
        self.cluster.agents = dict.fromkeys(self.cluster.addresses, value)
        self.cluster.store = Store()
        for item in self.admin.list_all(PODS.path()).items:
            if "nodeName" in item["spec"] and item["status"].get("podIP"):
                metadata = item["metadata"]
                self.cluster.put(PODS.path(metadata["namespace"], metadata["name"]), item)
        return super().run(argv)
