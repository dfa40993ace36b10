"""What may be done in a cluster, and the rights each of it takes: the one list of them.

The manifest that a cluster's owner applies, and the check of what is missing, both read it.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from podmeter.domain.components.registry import COMPONENTS
from podmeter.domain.messages import say
from podmeter.domain.pod_guard import PRIORITY, priority_check
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter.domain.rights import Feature, Right
from podmeter.rbac.guards import measuring_guards

if TYPE_CHECKING:
    from collections.abc import Collection

    from podmeter.domain.guards import Guard


#: Podmeter's account in a cluster, in the namespace of its measuring pods.
SERVICE_ACCOUNT = "podmeter"


class Capability(StrEnum):
    """What a cluster's owner may allow, each on top of the one before.

    measure: pods on the pod network, Services. host_access: pods on the nodes' network, which may
    read and change their netfilter rules; needed by all kinds that compare with node→node or count
    kernel rules; cluster-admin in effect. switch_modes: change kube-proxy's and the CNI's mode, and
    restart any pod; cluster-admin in effect too. renew, beside any of these: the token asks for its
    own next one. `AMOUNTS_TO` says it plainly.
    """

    MEASURE = "measure"
    HOST_ACCESS = "host_access"
    SWITCH_MODES = "switch_modes"
    RENEW = "renew"


#: Each rests upon those before it.
LEVELS = (Capability.MEASURE, Capability.HOST_ACCESS, Capability.SWITCH_MODES)

#: What a capability is worth to anyone who holds the token, in words for the cluster's owner.
AMOUNTS_TO: dict[Capability, str] = {
    Capability.MEASURE: (
        "Anyone who has the token can see all nodes, Services and DaemonSets, and run "
        "commands in pods of the namespace podmeter, which have no permissions. They can "
        "point Services of that namespace, including node ports, at any address, route host "
        "names of the cluster's ingress controllers to them, and create and delete "
        "NetworkPolicies in it."
    ),
    Capability.HOST_ACCESS: (
        "This is cluster-admin in effect: anyone who has the token can run commands as root with "
        "NET_ADMIN on the network of every node, and so reads and redirects all that passes there, "
        "the control plane's traffic included. Without the admission policy below it also starts "
        "privileged pods of any image."
    ),
    Capability.SWITCH_MODES: (
        "This is cluster-admin in effect, as host access is; also, anyone who has the token "
        "deletes any pod of the cluster and changes the configuration of kube-proxy and of the pod "
        "network. Without the admission policy below it runs any image as root on every node."
    ),
    Capability.RENEW: (
        "The token may ask for its own next token, and for nobody else's: Podmeter renews it at "
        "half its life. A thief can do the same: a stolen token renews itself until the "
        f"ServiceAccount is deleted (kubectl --namespace {POD_NAMESPACE} delete serviceaccount "
        f"{SERVICE_ACCOUNT}), after which the manifest is applied again and a new token made."
    ),
}

_PODS = ("create", "get", "list", "watch", "delete", "deletecollection")
#: Waited for by asking them, swept by their names.
_BULK = ("create", "get", "list", "delete")

#: In addition to the rights that switching each component needs.
_RIGHTS: dict[Capability, tuple[Right, ...]] = {
    Capability.MEASURE: (
        Right("", "nodes", ("list",), say("right_nodes")),
        Right("", "services", ("list",), say("right_all_services")),
        Right("", "namespaces", ("get",), say("right_namespace"), names=("kube-system",)),
        Right("apps", "daemonsets", ("get", "list"), say("right_daemon_sets")),
        Right("networking.k8s.io", "servicecidrs", ("list",), say("right_service_cidrs")),
        # By name wherever they are: a role in a namespace that a cluster lacks cannot be applied.
        Right(
            "",
            "configmaps",
            ("get",),
            say("right_config_maps"),
            names=("kubeadm-config", "kube-proxy", "cilium-config", "kube-flannel-cfg"),
        ),
        Right(
            "",
            "configmaps",
            ("get",),
            say("right_config_maps"),
            names=("kube-proxy-config",),
            optional=True,
        ),
        Right("", "pods", _PODS, say("right_pods"), POD_NAMESPACE),
        # An exec by WebSocket is a get to the API server; from 1.35 on it asks for create too.
        Right("", "pods/exec", ("create", "get"), say("right_exec"), POD_NAMESPACE),
        Right("", "events", ("list",), say("right_events"), POD_NAMESPACE, optional=True),
        Right("", "services", _BULK, say("right_services"), POD_NAMESPACE),
        Right(
            "discovery.k8s.io", "endpointslices", _BULK, say("right_endpoint_slices"), POD_NAMESPACE
        ),
        Right(
            "networking.k8s.io",
            "networkpolicies",
            ("list", "deletecollection"),
            say("right_policies"),
            POD_NAMESPACE,
        ),
        # A manifest that was applied before there were any still does for all else.
        Right(
            "networking.k8s.io",
            "networkpolicies",
            ("create", "get", "delete"),
            say("right_measured_policies"),
            POD_NAMESPACE,
            optional=True,
        ),
        Right(
            "networking.k8s.io",
            "ingresses",
            _BULK,
            say("right_ingresses"),
            POD_NAMESPACE,
            optional=True,
            feature=Feature.INGRESS,
        ),
        Right(
            "networking.k8s.io",
            "ingressclasses",
            ("list",),
            say("right_ingress_classes"),
            optional=True,
            feature=Feature.INGRESS,
        ),
        Right(
            "coordination.k8s.io",
            "leases",
            ("create", "get", "update", "delete"),
            say("right_leases"),
            POD_NAMESPACE,
        ),
    ),
    Capability.HOST_ACCESS: (
        Right("", "pods", _PODS, say("right_host_pods"), HOST_NAMESPACE),
        Right("", "pods/exec", ("create", "get"), say("right_exec"), HOST_NAMESPACE),
        Right("", "events", ("list",), say("right_events"), HOST_NAMESPACE, optional=True),
    ),
    Capability.SWITCH_MODES: (
        Right("", "pods", ("list", "watch", "delete"), say("right_renew_pods")),
        Right("apps", "daemonsets", ("watch",), say("right_watch_daemon_sets"), "kube-system"),
    ),
    Capability.RENEW: (
        Right(
            "",
            "serviceaccounts/token",
            ("create",),
            say("right_token"),
            POD_NAMESPACE,
            names=(SERVICE_ACCOUNT,),
        ),
    ),
}


def rights_of(capability: Capability) -> tuple[Right, ...]:
    """What a capability takes, those that it rests upon left out."""
    if capability is not Capability.SWITCH_MODES:
        return _RIGHTS[capability]
    of_components = (right for component in COMPONENTS.values() for right in component.rights)
    return (*_RIGHTS[capability], *of_components)


def needed(capability: Capability) -> tuple[Capability, ...]:
    """A capability with those it rests upon; to renew a token it takes nothing to renew it for."""
    if capability not in LEVELS:
        return (LEVELS[0], capability)
    return LEVELS[: LEVELS.index(capability) + 1]


def guards(
    allowed: Collection[Capability],
    image: str | None,
    pull_secret: str | None = None,
    *,
    host_names: bool = False,
    default_priority: int = 0,
) -> tuple[Guard, ...]:
    """What holds the capabilities to what Podmeter does with them; pods to that image, and to the
    priority that pods have by default.
    """
    switching = Capability.SWITCH_MODES in allowed
    of_components = [guard for component in COMPONENTS.values() for guard in component.guards]
    found = (
        *measuring_guards(image, pull_secret, host_names=host_names),
        *(of_components if switching else ()),
    )
    default = priority_check(default_priority)
    return tuple(
        replace(guard, checks=tuple(default if one is PRIORITY else one for one in guard.checks))
        for guard in found
    )
