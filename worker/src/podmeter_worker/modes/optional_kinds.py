"""Kinds of objects that not every cluster knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter_worker.kube.errors import ApiRefusedError

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object, Resource


def listed(client: KubeClient, resource: Resource) -> tuple[Object, ...]:
    """All of a kind; none where the API server knows no such kind. Raises ApiRefusedError."""
    try:
        return client.list_all(resource.path()).items
    except ApiRefusedError as error:
        if error.status != 404:
            raise
        return ()
