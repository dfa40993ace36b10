"""The kinds of objects that a scripted API server serves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """The name of a kind, and whether its objects are in namespaces."""

    name: str
    namespaced: bool = True


#: Kinds by the API version and plural of their resource.
Kinds = Mapping[tuple[str, str], Kind]

_RBAC, _ADMISSION = "rbac.authorization.k8s.io/v1", "admissionregistration.k8s.io/v1"
#: What every server here serves. Stores may have more, as clusters have custom resources.
KINDS: Kinds = {
    ("v1", "namespaces"): Kind("Namespace", namespaced=False),
    ("v1", "nodes"): Kind("Node", namespaced=False),
    ("v1", "pods"): Kind("Pod"),
    ("v1", "services"): Kind("Service"),
    ("v1", "configmaps"): Kind("ConfigMap"),
    ("v1", "secrets"): Kind("Secret"),
    ("v1", "events"): Kind("Event"),
    ("v1", "limitranges"): Kind("LimitRange"),
    ("v1", "resourcequotas"): Kind("ResourceQuota"),
    ("apps/v1", "daemonsets"): Kind("DaemonSet"),
    ("apps/v1", "deployments"): Kind("Deployment"),
    ("coordination.k8s.io/v1", "leases"): Kind("Lease"),
    ("discovery.k8s.io/v1", "endpointslices"): Kind("EndpointSlice"),
    ("networking.k8s.io/v1", "networkpolicies"): Kind("NetworkPolicy"),
    ("networking.k8s.io/v1", "ingresses"): Kind("Ingress"),
    ("networking.k8s.io/v1", "ingressclasses"): Kind("IngressClass", namespaced=False),
    ("networking.k8s.io/v1", "servicecidrs"): Kind("ServiceCIDR", namespaced=False),
    ("authorization.k8s.io/v1", "selfsubjectaccessreviews"): Kind(
        "SelfSubjectAccessReview", namespaced=False
    ),
    # What the manifest of a cluster's owner makes.
    ("v1", "serviceaccounts"): Kind("ServiceAccount"),
    (_RBAC, "clusterroles"): Kind("ClusterRole", namespaced=False),
    (_RBAC, "clusterrolebindings"): Kind("ClusterRoleBinding", namespaced=False),
    (_RBAC, "roles"): Kind("Role"),
    (_RBAC, "rolebindings"): Kind("RoleBinding"),
    (_ADMISSION, "validatingadmissionpolicies"): Kind(
        "ValidatingAdmissionPolicy", namespaced=False
    ),
    (_ADMISSION, "validatingadmissionpolicybindings"): Kind(
        "ValidatingAdmissionPolicyBinding", namespaced=False
    ),
    ("scheduling.k8s.io/v1", "priorityclasses"): Kind("PriorityClass", namespaced=False),
}
