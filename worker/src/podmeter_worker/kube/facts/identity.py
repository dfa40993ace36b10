"""Which real cluster this is, however often and under whatever address it was registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter_worker.kube.resources import NAMESPACES

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient


def cluster_uid(client: KubeClient) -> str:
    """The UID of the kube-system namespace."""
    return str(client.get(NAMESPACES.path(name="kube-system"))["metadata"]["uid"])


def kubernetes_version(client: KubeClient) -> str:
    """The API server's version, such as `v1.34.4`."""
    return str(client.get("/version")["gitVersion"])
