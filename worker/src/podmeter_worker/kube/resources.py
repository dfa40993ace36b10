"""Paths of the API's resources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

#: What the API server takes and gives: JSON as it is on the wire.
Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource by API version and plural name; `namespaced` unless it is the cluster's."""

    version: str
    plural: str
    namespaced: bool = True

    @property
    def group(self) -> str:
        """The API group, '' for the core."""
        return self.version.rpartition("/")[0]

    def path(self, namespace: str | None = None, name: str | None = None, sub: str = "") -> str:
        """The path of all, of a namespace's, or of one; `sub` is a subresource of one.

        Raises ValueError for a name that would be more, or less, than one part of it.
        """
        parts = ["api" if "/" not in self.version else "apis", self.version]
        if namespace is not None:
            parts += ["namespaces", _part(namespace)]
        parts.append(self.plural)
        if name is not None:
            parts.append(_part(name))
        if sub:
            parts.append(sub)
        return "/" + "/".join(parts)


def _part(name: str) -> str:
    # Kubernetes itself takes none of these (IsValidPathSegmentName).
    if name in ("", ".", "..") or "/" in name or "%" in name:
        raise ValueError(f"{name!r} is no name of an object")
    return quote(name, safe="")


NAMESPACES = Resource("v1", "namespaces", namespaced=False)
NODES = Resource("v1", "nodes", namespaced=False)
PODS = Resource("v1", "pods")
EVENTS = Resource("v1", "events")
SERVICE_ACCOUNTS = Resource("v1", "serviceaccounts")
SERVICES = Resource("v1", "services")
CONFIG_MAPS = Resource("v1", "configmaps")
ENDPOINT_SLICES = Resource("discovery.k8s.io/v1", "endpointslices")
DAEMON_SETS = Resource("apps/v1", "daemonsets")
LEASES = Resource("coordination.k8s.io/v1", "leases")
NETWORK_POLICIES = Resource("networking.k8s.io/v1", "networkpolicies")
INGRESSES = Resource("networking.k8s.io/v1", "ingresses")
INGRESS_CLASSES = Resource("networking.k8s.io/v1", "ingressclasses", namespaced=False)
SERVICE_CIDRS = Resource("networking.k8s.io/v1", "servicecidrs", namespaced=False)
ACCESS_REVIEWS = Resource("authorization.k8s.io/v1", "selfsubjectaccessreviews", namespaced=False)
