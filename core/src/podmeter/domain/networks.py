"""Pod networks as their makers call them, what they run, and what is known of how packets go."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PodNetwork:
    """A pod network.

    It runs as one of its `daemon_sets`, or as one with a label `app`, `k8s-app` or
    `app.kubernetes.io/name` that is one of its `labels`. `wraps` is what it wraps packets in
    where that cannot be switched by Podmeter, "none" for nothing; None where Podmeter switches it
    or its settings decide. `in_proxys_place` says that it does what kube-proxy does elsewhere.
    """

    id: str
    title: str
    daemon_sets: tuple[str, ...]
    labels: tuple[str, ...] = ()
    wraps: str | None = None
    in_proxys_place: bool = False


#: The first that is found is it: Cilium chained to another network, or Calico's policies on one,
#: come after what they are put on where both are seen. Canal is Calico's policies on flannel.
NETWORKS = (
    PodNetwork("flannel", "flannel", ("kube-flannel-ds", "kube-flannel"), ("flannel",)),
    PodNetwork("canal", "Canal", ("canal", "rke2-canal"), ("canal", "rke2-canal")),
    PodNetwork("calico", "Calico", ("calico-node",), ("calico-node",)),
    PodNetwork("cilium", "Cilium", ("cilium",), ("cilium",)),
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
    PodNetwork("kube-router", "kube-router", ("kube-router",), ("kube-router",)),
)
_BY_ID = {one.id: one for one in NETWORKS}


def network_of(name: str) -> PodNetwork | None:
    """The pod network with that id; None if it is unknown."""
    return _BY_ID.get(name)
