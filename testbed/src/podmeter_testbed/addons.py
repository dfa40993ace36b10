"""What runs in the cluster: kube-proxy, a pod network, CoreDNS, and the add-ons asked for."""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from podmeter_testbed import builds, cilium, images, loading, machines
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import (
    CLUSTER_DOMAIN,
    CONTROL_PLANE,
    DNS_SERVICE_ADDRESS,
    NODE_PORT_RANGE,
    NODES,
    POD_SUBNET,
    SERVICE_SUBNET,
    Layout,
)
from podmeter_testbed.settings import AddOn, Cni, Subnets
from podmeter_testbed.shell import wait_for

MANIFESTS = Path(__file__).with_name("manifests")
#: Namespace, and kind with name.
Workload = tuple[str, str]


@dataclass(frozen=True)
class PodNetwork:
    """What a pod network is made of: files of manifests/, and what is waited for.

    `bundles` are its images that nodes do not start with; `after_kube_proxy`, whether it changes
    the tables of kube-proxy's rules; `enforces_policies`, whether it needs no add-on for that.
    """

    files: tuple[str, ...]
    workloads: tuple[Workload, ...]
    bundles: tuple[images.Bundle, ...] = ()
    after_kube_proxy: bool = False
    enforces_policies: bool = True


POD_NETWORKS = {
    Cni.FLANNEL: PodNetwork(
        ("flannel",),
        (("kube-flannel", "daemonset/kube-flannel-ds"),),
        enforces_policies=False,
    ),
    Cni.CILIUM: PodNetwork(
        ("cilium",),
        (("kube-system", "daemonset/cilium"), ("kube-system", "deployment/cilium-operator")),
    ),
    Cni.KUBE_ROUTER: PodNetwork(
        ("kube-router", "kube-router-network"),
        (("kube-system", "daemonset/kube-router"),),
        bundles=(images.KUBE_ROUTER_BUNDLE,),
        after_kube_proxy=True,
    ),
}
KUBE_PROXY = ("kube-system", "daemonset/kube-proxy")
#: kube-router where it routes nothing.
FIREWALL = ("kube-router", "kube-router-firewall")
COREDNS = ("kube-system", "deployment/coredns")
ADD_ON_BUNDLES = {
    AddOn.LOAD_BALANCERS: images.METALLB_BUNDLE,
    AddOn.NETWORK_POLICIES: images.KUBE_ROUTER_BUNDLE,
}
ADD_ON_WORKLOADS: dict[AddOn, tuple[Workload, ...]] = {
    AddOn.LOAD_BALANCERS: (
        ("metallb-system", "deployment/controller"),
        ("metallb-system", "daemonset/speaker"),
    ),
    AddOn.NETWORK_POLICIES: (("kube-system", "daemonset/kube-router"),),
}
_WORKLOAD_KINDS = ("DaemonSet", "Deployment")
_LAST_SYNC = r'kubeproxy_sync_proxy_rules_last_timestamp_seconds\{ip_family="IPv4"\}'
DEFAULT_KUBE_PROXY_MODE = "iptables"
#: Where a router is between nodes, a pod's address cannot be routed to its node by the others.
FLANNEL_BACKENDS = {Subnets.ONE: "host-gw", Subnets.TWO: "vxlan"}
#: Its type is `subnet` unless another is asked for: only where a router is between nodes.
KUBE_ROUTER_OVERLAYS = {Subnets.ONE: "false", Subnets.TWO: "true"}
#: Which nodes answer for MetalLB's addresses: those that are in the subnet of the addresses.
ANNOUNCING_NODES = {
    Subnets.ONE: "[]",
    Subnets.TWO: f"[{{matchLabels: {{kubernetes.io/hostname: {NODES[0]}}}}}]",
}


def needed(cni: Cni, add_ons: frozenset[AddOn]) -> frozenset[AddOn]:
    """Those of the add-ons that a pod network does not do by itself."""
    if POD_NETWORKS[cni].enforces_policies:
        return add_ons - {AddOn.NETWORK_POLICIES}
    return add_ons


def bundles(cni: Cni, add_ons: frozenset[AddOn]) -> tuple[images.Bundle, ...]:
    """The images that nodes do not start with."""
    wanted = (ADD_ON_BUNDLES[add_on] for add_on in sorted(needed(cni, add_ons)))
    return (*POD_NETWORKS[cni].bundles, *wanted)


def workloads(cni: Cni, add_ons: frozenset[AddOn]) -> tuple[Workload, ...]:
    """All that runs in a testbed with that pod network and these add-ons."""
    besides = (ADD_ON_WORKLOADS[add_on] for add_on in sorted(needed(cni, add_ons)))
    return (KUBE_PROXY, *POD_NETWORKS[cni].workloads, COREDNS, *itertools.chain(*besides))


def manifest(layout: Layout, name: str) -> str:
    """A file of manifests/ with this testbed's addresses and images in it."""
    values = {
        "API_SERVER": layout.api_server,
        "CONTROL_PLANE_ADDRESS": layout.address(CONTROL_PLANE),
        "CONTROL_PLANE_ENDPOINT": layout.api_server.removeprefix("https://"),
        "KUBERNETES_VERSION": builds.KUBERNETES.version,
        "POD_SUBNET": POD_SUBNET,
        "SERVICE_SUBNET": SERVICE_SUBNET,
        "NODE_PORT_RANGE": NODE_PORT_RANGE,
        "DNS_SERVICE_ADDRESS": DNS_SERVICE_ADDRESS,
        "CLUSTER_DOMAIN": CLUSTER_DOMAIN,
        "LOAD_BALANCER_POOL": layout.load_balancer_pool,
        "ANNOUNCING_NODES": ANNOUNCING_NODES[layout.subnets],
        "KUBE_PROXY_MODE": DEFAULT_KUBE_PROXY_MODE,
        "KUBE_ROUTER_OVERLAY": KUBE_ROUTER_OVERLAYS[layout.subnets],
        "FLANNEL_BACKEND": FLANNEL_BACKENDS[layout.subnets],
        "KUBE_PROXY_IMAGE": images.KUBE_PROXY.reference,
        "FLANNEL_IMAGE": images.FLANNEL.reference,
        "FLANNEL_CNI_IMAGE": images.FLANNEL_CNI.reference,
        "KUBE_ROUTER_IMAGE": images.KUBE_ROUTER.reference,
        "CILIUM_IMAGE": cilium.IMAGE,
        "COREDNS_IMAGE": images.COREDNS.reference,
    }
    # Only ${NAME} is ours: $(NODE_NAME) is Kubernetes'.
    text = (MANIFESTS / f"{name}.yaml").read_text()
    return re.sub(r"\$\{([A-Z_]+)\}", lambda found: values[found[1]], text)


def metallb(layout: Layout) -> Iterator[dict[str, Any]]:
    """MetalLB's own manifest, without the webhooks that the API server could not reach."""
    path = builds.output(layout.cache, builds.METALLB) / "metallb-native.yaml"
    pictures = {
        "controller": images.METALLB_CONTROLLER.reference,
        "speaker": images.METALLB_SPEAKER.reference,
    }
    for document in yaml.safe_load_all(path.read_text()):
        if not document or document["kind"] == "ValidatingWebhookConfiguration":
            continue
        if document["kind"] == "CustomResourceDefinition":
            document["spec"].pop("conversion", None)
        if document["kind"] in ("Deployment", "DaemonSet"):
            (container,) = document["spec"]["template"]["spec"]["containers"]
            container["image"] = pictures.pop(container["name"])
            container["readinessProbe"] |= {"initialDelaySeconds": 1, "periodSeconds": 1}
            if container["name"] == "controller":
                container["args"].append("--webhook-mode=disabled")
        yield document
    # The controller would make it, but the speakers' volumes would wait long for that.
    yield {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "memberlist", "namespace": "metallb-system"},
        "stringData": {"secretkey": secrets.token_urlsafe(96)},
    }
    if pictures:
        raise TestbedError(f"{path} has no {', '.join(pictures)}; its layout changed")


def _together(layout: Layout, *names: str) -> str:
    return "\n---\n".join(manifest(layout, name) for name in names)


def _has_rules(layout: Layout, node: str) -> bool:
    """Whether kube-proxy on a node says that it has written its rules."""
    try:
        metrics = machines.require(layout, node).run("curl", "--silent", "127.0.0.1:10249/metrics")
    except TestbedError:  # it does not run yet
        return False
    return re.search(rf"(?m)^{_LAST_SYNC} [1-9]", metrics) is not None


def _documents(layout: Layout, name: str) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(manifest(layout, name)) if document]


def start(layout: Layout, kubectl: Kubectl, cni: Cni, seconds: float) -> None:
    """Create kube-proxy, a pod network and CoreDNS, and wait until they are ready."""
    network = POD_NETWORKS[cni]
    kubectl.apply(_together(layout, "kube-proxy", "kubeadm-config"))
    if network.after_kube_proxy:
        # Which would not repeat a first sync that it spoiled.
        what = "kube-proxy's first rules on every node"
        wait_for(what, lambda: all(_has_rules(layout, name) for name in layout.nodes), seconds)
    for bundle in network.bundles:
        loading.load(layout, bundle.archive(layout.cache))
    kubectl.apply(_together(layout, *network.files))
    # While those start, all else that runs no pod is created.
    later = _create_quiet(kubectl, _documents(layout, "coredns"))
    wait_until_rolled_out(kubectl, (KUBE_PROXY, *network.workloads), seconds)
    wait_for(
        "every node to be Ready",
        lambda: kubectl.nodes_ready() == dict.fromkeys(layout.nodes, True),
        seconds,
    )
    # A node is Ready before flannel routes anything: a pod that is made then fails, and kubelet
    # tries again only much later.
    kubectl.apply(yaml.safe_dump_all(later))
    wait_until_rolled_out(kubectl, workloads(cni, frozenset()), seconds)


def add(layout: Layout, kubectl: Kubectl, add_on: AddOn, seconds: float) -> None:
    """Create an add-on of a testbed whose nodes are Ready, and wait until it is.

    Not before: kube-proxy would not repeat a first sync that kube-router spoiled.
    """
    loading.load(layout, ADD_ON_BUNDLES[add_on].archive(layout.cache))
    if add_on is AddOn.LOAD_BALANCERS:
        documents = [*metallb(layout)]
    else:
        documents = [document for name in FIREWALL for document in _documents(layout, name)]
    later = _create_quiet(kubectl, documents)
    if add_on is AddOn.LOAD_BALANCERS:
        # MetalLB's kinds are served a moment after their definitions are there.
        pool = manifest(layout, "metallb-pool")
        wait_for("MetalLB's kinds", lambda: _applied(kubectl, pool), seconds)
    kubectl.apply(yaml.safe_dump_all(later))
    wait_until_rolled_out(kubectl, ADD_ON_WORKLOADS[add_on], seconds)


def _create_quiet(kubectl: Kubectl, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Create all that runs no pod; returns what does."""
    later = [document for document in documents if document["kind"] in _WORKLOAD_KINDS]
    for workload in later:
        _be_patient(workload)
    kubectl.apply(yaml.safe_dump_all(each for each in documents if each not in later))
    return later


def _be_patient(workload: dict[str, Any]) -> None:
    """Keep pods that respond late on a busy machine from being restarted again and again."""
    for container in workload["spec"]["template"]["spec"]["containers"]:
        if probe := container.get("livenessProbe"):
            probe |= {"timeoutSeconds": 15, "failureThreshold": 5}


def _applied(kubectl: Kubectl, text: str) -> bool:
    try:
        kubectl.apply(text)
    except TestbedError as error:
        if "no matches for kind" in str(error) or "not found" in str(error):
            return False
        raise
    return True


def wait_until_rolled_out(kubectl: Kubectl, awaited: tuple[Workload, ...], seconds: float) -> None:
    """Return when each workload runs its newest pods and they are ready."""
    waited_for = set(awaited)

    def rolled_out() -> bool:
        found = kubectl.get("daemonsets,deployments", "--all-namespaces")["items"]
        return waited_for <= {_name(item) for item in found if _is_rolled_out(item)}

    wait_for(", ".join(name for _, name in awaited), rolled_out, seconds)


def _name(item: dict[str, Any]) -> Workload:
    metadata = item["metadata"]
    return metadata["namespace"], f"{item['kind'].lower()}/{metadata['name']}"


def _is_rolled_out(item: dict[str, Any]) -> bool:
    status = item["status"]
    if status.get("observedGeneration") != item["metadata"]["generation"]:
        return False
    if item["kind"] == "DaemonSet":
        wanted = status.get("desiredNumberScheduled", 0)
        counts = [status.get("updatedNumberScheduled"), status.get("numberAvailable")]
    else:
        wanted = item["spec"]["replicas"]
        names = ("replicas", "updatedReplicas", "availableReplicas")
        counts = [status.get(name) for name in names]
    return wanted > 0 and all(count == wanted for count in counts)
