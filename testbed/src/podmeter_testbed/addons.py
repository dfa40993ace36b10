"""What runs in the cluster: kube-proxy, flannel, kube-router, CoreDNS, MetalLB."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from podmeter_testbed import builds, images
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
from podmeter_testbed.shell import wait_for

MANIFESTS = Path(__file__).with_name("manifests")
# Without these no other pod has a network, and kubelet would try again only much later.
NETWORK_FILES = ("kube-proxy", "flannel", "kubeadm-config")
OTHER_FILES = ("coredns", "kube-router")
NETWORK_WORKLOADS = (
    ("kube-system", "daemonset/kube-proxy"),
    ("kube-flannel", "daemonset/kube-flannel-ds"),
)
OTHER_WORKLOADS = (
    ("kube-system", "daemonset/kube-router"),
    ("kube-system", "deployment/coredns"),
    ("metallb-system", "deployment/controller"),
    ("metallb-system", "daemonset/speaker"),
)
WORKLOADS = NETWORK_WORKLOADS + OTHER_WORKLOADS
DEFAULT_KUBE_PROXY_MODE = "iptables"
DEFAULT_FLANNEL_BACKEND = "host-gw"


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
        "KUBE_PROXY_MODE": DEFAULT_KUBE_PROXY_MODE,
        "FLANNEL_BACKEND": DEFAULT_FLANNEL_BACKEND,
        "KUBE_PROXY_IMAGE": images.KUBE_PROXY.reference,
        "FLANNEL_IMAGE": images.FLANNEL.reference,
        "FLANNEL_CNI_IMAGE": images.FLANNEL_CNI.reference,
        "KUBE_ROUTER_IMAGE": images.KUBE_ROUTER.reference,
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


def start_network(layout: Layout, kubectl: Kubectl, seconds: float) -> None:
    """Create kube-proxy and flannel, wait until they run on both nodes, which makes them Ready."""
    kubectl.apply("\n---\n".join(manifest(layout, name) for name in NETWORK_FILES))
    wait_until_rolled_out(kubectl, NETWORK_WORKLOADS, seconds)
    wait_for(
        "both nodes to be Ready",
        lambda: kubectl.nodes_ready() == dict.fromkeys(NODES, True),
        seconds,
    )


def start_others(layout: Layout, kubectl: Kubectl, seconds: float) -> None:
    """Create what needs a pod network, and wait until it is ready."""
    kubectl.apply("\n---\n".join(manifest(layout, name) for name in OTHER_FILES))
    kubectl.apply(yaml.safe_dump_all(metallb(layout)))
    # Its kinds are served a moment after their definitions are there.
    wait_for(
        "MetalLB's kinds",
        lambda: _applied(kubectl, manifest(layout, "metallb-pool")),
        seconds,
    )
    wait_until_rolled_out(kubectl, OTHER_WORKLOADS, seconds)


def _applied(kubectl: Kubectl, text: str) -> bool:
    try:
        kubectl.apply(text)
    except TestbedError as error:
        if "no matches for kind" in str(error) or "not found" in str(error):
            return False
        raise
    return True


def wait_until_rolled_out(
    kubectl: Kubectl, workloads: tuple[tuple[str, str], ...], seconds: float
) -> None:
    """Return when each workload runs its newest pods and they are ready."""
    for namespace, workload in workloads:
        kubectl.run(
            *("--namespace", namespace, "rollout", "status", workload),
            f"--timeout={seconds:.0f}s",
            timeout=seconds + 10,
        )
