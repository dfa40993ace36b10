"""Pod networks as their makers call them, what they run, and what is known of how packets go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.components.component import PodNetwork
from podmeter.domain.components.registry import COMPONENTS

if TYPE_CHECKING:
    from podmeter.domain.components.component import Component

#: Those that Podmeter does not switch; the others are declared by their components.
_OTHERS = (
    PodNetwork(
        "gke-dataplane-v2",
        "GKE Dataplane V2 (Cilium, anetd)",
        ("anetd",),
        wraps="none",
        in_proxys_place=True,
    ),
    PodNetwork(
        "ovn-kubernetes",
        "OVN-Kubernetes",
        ("ovnkube-node", "ovnkube"),
        ("ovnkube-node", "ovnkube"),
        wraps="Geneve",
        in_proxys_place=True,
    ),
    PodNetwork("openshift-sdn", "OpenShift SDN", ("sdn",), wraps="VXLAN", in_proxys_place=True),
    PodNetwork(
        "kube-ovn", "Kube-OVN", ("kube-ovn-cni", "ovs-ovn"), ("kube-ovn-cni",), wraps="Geneve"
    ),
    PodNetwork("antrea", "Antrea", ("antrea-agent",), ("antrea",), wraps="Geneve by default"),
    PodNetwork("weave", "Weave Net", ("weave-net",), ("weave-net",), wraps="VXLAN"),
    PodNetwork("kindnet", "kindnet", ("kindnet",), ("kindnet",), wraps="none"),
    PodNetwork("aws-vpc-cni", "AWS VPC CNI", ("aws-node",), ("aws-node",), wraps="none"),
    PodNetwork(
        "azure-cni",
        "Azure CNI",
        ("azure-cns", "azure-cni", "azure-cni-networkmonitor"),
        ("azure-cns",),
        wraps="none",
    ),
    PodNetwork("gke", "GKE (netd)", ("netd",), wraps="none"),
)


def networks() -> tuple[PodNetwork, ...]:
    """Every pod network; the first that is found in a cluster is it.

    Those of components come first: Cilium may be chained to another one.
    """
    of_components = (one for component in COMPONENTS.values() for one in component.networks)
    return tuple(sorted((*of_components, *_OTHERS), key=lambda one: one.beside))


def network_of(name: str) -> PodNetwork | None:
    """The pod network of that id; None for an unknown id."""
    return next((one for one in networks() if one.id == name), None)


def component_of(name: str) -> Component | None:
    """The component that switches the pod network of that id; None if nothing switches it."""
    found = COMPONENTS.values()
    return next((one for one in found if any(name == network.id for network in one.networks)), None)
