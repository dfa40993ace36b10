"""Recreate the pods of the pod network after its encapsulation changed.

A pod keeps the MTU it was born with, and a bridge takes the smallest of its ports: one old pod
holds its whole node back.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.messages import say
from podmeter_worker.kube import pods
from podmeter_worker.kube.resources import PODS
from podmeter_worker.kube.wait import wait_until
from podmeter_worker.modes import own_pods
from podmeter_worker.modes.daemon_set import is_ready

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import SwitchContext

_SECONDS = 120.0
#: Controllers that recreate a deleted pod.
_REPLACING = {"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController"}
_NAMED = 5


def why_not(context: SwitchContext) -> str | None:
    """Why not all pods can be recreated (Podmeter's own, pods without a controller), or None."""
    networked = _networked(context.client)
    if inside := sorted(_named(pod) for pod in networked if own_pods.is_own(pod)):
        return say("podmeter_inside", pods=inside[:_NAMED])
    alone = [_named(pod) for pod in networked if _replacer(pod) is None]
    if not alone:
        return None
    code = "pods_alone_more" if len(alone) > _NAMED else "pods_alone"
    return say(code, pods=sorted(alone)[:_NAMED])


def renewable(context: SwitchContext) -> list[Object]:
    """The pods that `renew` recreates."""
    return [
        pod
        for pod in _networked(context.client)
        if _replacer(pod) is not None and pod["spec"].get("nodeName") not in context.missing
    ]


def renew(context: SwitchContext) -> None:
    """Delete the pods of the pod network on all nodes; wait for as many ready ones, all new."""
    old = renewable(context)
    uids = {pod["metadata"]["uid"] for pod in old}
    # A pod that was not ready before is not waited for.
    wanted = Counter(_replacer(pod) for pod in old if is_ready(pod))
    for pod in old:
        pods.delete(context.client, pod)

    def renewed(objects: Mapping[tuple[str, str], Object]) -> bool | None:
        present = [pod for pod in objects.values() if not _hosted(pod)]
        if any(pod["metadata"]["uid"] in uids for pod in present):
            return None
        ready = Counter(_replacer(pod) for pod in present if is_ready(pod))
        return True if all(ready[owner] >= count for owner, count in wanted.items()) else None

    wait_until(
        context.client,
        PODS.path(),
        renewed,
        what=say("wait_pods_renewed"),
        deadline_seconds=_SECONDS,
        check=context.check,
    )


def _networked(client: KubeClient) -> list[Object]:
    """Pods on the pod network that have not ended, Podmeter's own left out."""
    return [pod for pod in _all(client) if not _hosted(pod)]


def _all(client: KubeClient) -> Iterable[Object]:
    own = ",".join(f"{name}!={value}" for name, value in labels.MANAGED_BY.items())
    return client.each(
        PODS.path(), labels=own, fields="status.phase!=Succeeded,status.phase!=Failed"
    )


def _named(pod: Object) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def _hosted(pod: Object) -> bool:
    return bool(pod["spec"].get("hostNetwork"))


def _replacer(pod: Object) -> str | None:
    for owner in pod["metadata"].get("ownerReferences") or []:
        if owner.get("controller") and owner["kind"] in _REPLACING:
            return str(owner["uid"])
    return None
