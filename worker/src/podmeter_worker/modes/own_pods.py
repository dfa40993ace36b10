"""Which pods of a cluster are Podmeter itself, where it runs in the cluster that it measures.

By their label, so that it is seen from any worker that PostgreSQL or another worker is in there;
and, without a label, a worker recognises the pod that it runs in by its name and address.
"""

from __future__ import annotations

import socket
from functools import cache
from typing import TYPE_CHECKING

from podmeter.domain.labels import SERVICE

if TYPE_CHECKING:
    from podmeter_worker.kube.resources import Object

#: A host name is as long at most; the kubelet cuts a pod's name to it.
_HOST_NAME_LENGTH = 63


def is_own(pod: Object) -> bool:
    """Whether a pod is one of Podmeter's services, or where this worker runs."""
    metadata = pod["metadata"]
    if SERVICE in (metadata.get("labels") or {}):
        return True
    name, addresses = _here()
    host_name = str(metadata["name"])[:_HOST_NAME_LENGTH].rstrip("-.")
    return host_name == name and pod.get("status", {}).get("podIP") in addresses


@cache
def _here() -> tuple[str, frozenset[str]]:
    """The name of this machine and its addresses; in a pod, that pod's."""
    name = socket.gethostname()
    try:
        found = socket.getaddrinfo(name, None)
    except OSError:
        found = []
    return name, frozenset(str(address[0]) for *_, address in found)
