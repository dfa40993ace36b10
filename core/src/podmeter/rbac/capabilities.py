"""What may be done in a cluster, and the rights each of it takes: the one list of them.

The manifest that a cluster's owner applies, and the check of what is missing, both read it.
"""

from __future__ import annotations

from enum import StrEnum

from podmeter.domain.components.registry import COMPONENTS
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter.domain.rights import Right


class Capability(StrEnum):
    """What a cluster's owner may allow, each on top of the one before.

    measure: pods on the pod network, Services, policies. host_access: pods on the nodes' network,
    which may read and change their netfilter rules; needed by all kinds that compare with
    node→node or count kernel rules. switch_modes: change kube-proxy's and the CNI's mode.
    """

    MEASURE = "measure"
    HOST_ACCESS = "host_access"
    SWITCH_MODES = "switch_modes"


_PODS = ("create", "get", "list", "watch", "delete", "deletecollection")
_BULK = ("create", "get", "list", "watch", "delete", "deletecollection")

RIGHTS: dict[Capability, tuple[Right, ...]] = {
    Capability.MEASURE: (
        Right("", "nodes", ("get", "list"), "where pods may be placed, what the nodes are"),
        Right("", "services", ("list",), "how many Services there are, what ports are free"),
        Right("", "namespaces", ("get",), "which cluster this is", names=("kube-system",)),
        Right("apps", "daemonsets", ("get", "list"), "which pod network and kube-proxy there are"),
        Right("networking.k8s.io", "servicecidrs", ("list",), "how many ClusterIPs are free"),
        # By name wherever they are: a role in a namespace that a cluster lacks cannot be applied.
        Right(
            "",
            "configmaps",
            ("get",),
            "the mode that kube-proxy and the pod network are set to, the ranges in use",
            names=("kubeadm-config", "kube-proxy", "cilium-config", "kube-flannel-cfg"),
        ),
        Right("", "pods", _PODS, "measuring pods", POD_NAMESPACE),
        # An exec by WebSocket is a get to the API server; from 1.35 on it asks for create too.
        Right("", "pods/exec", ("create", "get"), "running tools in them", POD_NAMESPACE),
        Right("", "services", _BULK, "Services that are measured", POD_NAMESPACE),
        Right("discovery.k8s.io", "endpointslices", _BULK, "their endpoints", POD_NAMESPACE),
        Right("networking.k8s.io", "networkpolicies", _BULK, "policies", POD_NAMESPACE),
        Right("", "limitranges", ("list",), "what would change the pods", POD_NAMESPACE),
        Right("", "resourcequotas", ("list",), "what would refuse the pods", POD_NAMESPACE),
        Right(
            "coordination.k8s.io",
            "leases",
            ("create", "get", "update", "delete"),
            "one run at a time",
            POD_NAMESPACE,
        ),
    ),
    Capability.HOST_ACCESS: (
        Right("", "pods", _PODS, "pods on the nodes' network", HOST_NAMESPACE),
        Right("", "pods/exec", ("create", "get"), "running tools in them", HOST_NAMESPACE),
        Right("", "limitranges", ("list",), "what would change the pods", HOST_NAMESPACE),
        Right("", "resourcequotas", ("list",), "what would refuse the pods", HOST_NAMESPACE),
    ),
    Capability.SWITCH_MODES: (
        Right("", "pods", ("list", "watch", "delete"), "pods are created anew after a switch"),
        Right("apps", "daemonsets", ("list", "watch"), "waiting until it runs", "kube-system"),
        *(right for component in COMPONENTS for right in component.rights),
    ),
}


def needed(capability: Capability) -> tuple[Capability, ...]:
    """A capability with those it rests upon."""
    order = list(Capability)
    return tuple(order[: order.index(capability) + 1])
