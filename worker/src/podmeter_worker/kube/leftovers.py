"""Which runs have left objects in a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.ports import HOST_NAMESPACE, POD_NAMESPACE
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.resources import (
    ENDPOINT_SLICES,
    INGRESSES,
    NETWORK_POLICIES,
    PODS,
    SERVICES,
)

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient

_WHERE = (
    (PODS, POD_NAMESPACE),
    (PODS, HOST_NAMESPACE),
    (SERVICES, POD_NAMESPACE),
    (ENDPOINT_SLICES, POD_NAMESPACE),
    (NETWORK_POLICIES, POD_NAMESPACE),
    (INGRESSES, POD_NAMESPACE),
)


def run_labels(client: KubeClient) -> set[str]:
    """The labels of the runs that have objects in Podmeter's namespaces."""
    found: set[str] = set()
    for resource, namespace in _WHERE:
        try:
            for item in client.each(resource.path(namespace), labels=labels.RUN):
                found.add(item["metadata"]["labels"][labels.RUN])
        except ApiRefusedError as error:
            if error.status == 403 and (namespace == HOST_NAMESPACE or resource is INGRESSES):
                continue  # no right to make any, so nothing of it either
            raise
    return {label for label in found if labels.is_label(label)}
