"""Recreate the pods of the pod network after its encapsulation changed.

A pod keeps the MTU it was born with, and a bridge takes the smallest of its ports: one old pod
holds its whole node back.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain import labels
from podmeter.domain.errors import ConvergenceError, PreconditionError
from podmeter.domain.messages import say
from podmeter_worker.kube import pods
from podmeter_worker.kube.facts.component_state import pods_of
from podmeter_worker.kube.resources import PODS
from podmeter_worker.kube.wait import wait_until
from podmeter_worker.modes import own_pods
from podmeter_worker.modes.daemon_set import is_ready
from podmeter_worker.modes.waiting import wait_until_right

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import SwitchContext

_SECONDS = 120.0
#: Controllers that recreate a deleted pod.
_REPLACING = {"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController"}
_NAMED = 5
#: Restarts of a network that a restore makes for pods' MTU alone: some may have been cut short, but
#: an MTU that the owner has fixed stays whatever is restarted.
_RESTARTS = 5


def why_not(context: SwitchContext) -> str | None:
    """Why not all pods can be recreated (Podmeter's own, pods without a controller), or None."""
    networked = _networked(context.client)
    if inside := sorted(_named(pod) for pod in networked if own_pods.is_own(pod)):
        return say("podmeter_inside", pods=inside[:_NAMED])
    alone = [pod for pod in networked if _replacer(pod) is None]
    if not alone:
        return None
    code = "pods_alone_more" if len(alone) > _NAMED else "pods_alone"
    return say(code, pods=_names(alone))


@dataclass(frozen=True, slots=True)
class OldPods:
    """Pods that were created before the network's agent on their node, so with an MTU of before.

    Those that are `alone` have no controller that recreates them.
    """

    renewable: list[Object]
    ending: list[Object]
    alone: list[Object]

    @property
    def nodes(self) -> set[str]:
        """Where they are."""
        return {one["spec"]["nodeName"] for one in (*self.renewable, *self.ending, *self.alone)}


def old_pods(
    context: SwitchContext, running: Object, nodes: Collection[str] | None = None
) -> OldPods:
    """Those on these nodes, or on all; `running` is the DaemonSet of the network's agents."""
    started: dict[str, str] = {}
    for agent in pods_of(context.client, running):
        node, created = agent["spec"].get("nodeName", ""), agent["metadata"]["creationTimestamp"]
        started[node] = max(created, started.get(node, ""))
    old = OldPods([], [], [])
    for pod in _networked(context.client):
        node = pod["spec"].get("nodeName")
        if node in context.missing or (nodes is not None and node not in nodes):
            continue
        # Both are to the second, in UTC and of one form.
        if pod["metadata"]["creationTimestamp"] <= started.get(node, ""):
            kept = old.alone if _replacer(pod) is None else old.renewable
            (old.ending if _ends(pod) else kept).append(pod)
    return old


def renewable(context: SwitchContext, nodes: Collection[str] | None = None) -> list[Object]:
    """The pods on these nodes, or on all, that a controller recreates."""
    return [
        pod
        for pod in _networked(context.client)
        if _replacer(pod) is not None and pod["spec"].get("nodeName") not in context.missing
        if nodes is None or pod["spec"].get("nodeName") in nodes
    ]


def renew(context: SwitchContext, chosen: Iterable[Object] | None = None) -> None:
    """Delete these pods, or all that are renewable; wait for as many ready ones, all new.

    Those that are ending are only waited for. Raises ConvergenceError with the ones that stay.
    """
    present = renewable(context)
    old = present if chosen is None else list(chosen)
    uids, owners = {pod["metadata"]["uid"] for pod in old}, {_replacer(pod) for pod in old}
    # Not waited for: successors of pods that were not ready before, or were ending already.
    wanted = Counter(
        _replacer(pod)
        for pod in present
        if _replacer(pod) in owners and is_ready(pod) and not _ends(pod)
    )
    for pod in old:
        if not _ends(pod):
            pods.delete(context.client, pod)

    def renewed(objects: Mapping[tuple[str, str], Object]) -> bool | None:
        found = [pod for pod in objects.values() if not _hosted(pod)]
        if any(pod["metadata"]["uid"] in uids for pod in found):
            return None
        ready = Counter(_replacer(pod) for pod in found if is_ready(pod))
        return True if all(ready[owner] >= count for owner, count in wanted.items()) else None

    what = say("wait_pods_renewed")
    try:
        wait_until(
            context.client,
            PODS.path(),
            renewed,
            what=what,
            deadline_seconds=_SECONDS,
            check=context.check,
        )
    except ConvergenceError as error:
        stay = [pod for pod in _networked(context.client) if pod["metadata"]["uid"] in uids]
        if not stay:
            raise
        wrong = say("pods_ending", pods=_names(stay))
        late = say("still_not_for", seconds=_SECONDS, what=what, wrong=wrong)
        raise ConvergenceError(late) from error


def await_mtu(
    context: SwitchContext, running: Object, wrong: Callable[[], Mapping[str, str]], seconds: float
) -> None:
    """Wait until no node has pods with a `wrong` MTU; that has what is wrong, by node.

    Raises PreconditionError with pods of before that hold it back, ConvergenceError without any.
    """
    try:
        what = say("wait_pod_mtu")
        wait_until_right(context, what, lambda: next(iter(wrong().values()), None), seconds)
    except ConvergenceError as error:
        old = old_pods(context, running, wrong())
        if stay := [*old.alone, *old.ending]:
            raise PreconditionError(say("pods_keep_mtu", pods=_names(stay))) from error
        raise


def finish(
    context: SwitchContext, running: Object, wrong: Callable[[], Mapping[str, str]], seconds: float
) -> bool:
    """End a renewal that was cut short, or waits for pods that nobody recreates.

    No pod is recreated twice, however often this is tried: only those of before are. False where
    none of these is on a node with a `wrong` MTU: then the agents were perhaps not restarted yet.
    The caller restarts them, and counts that.

    Raises as `renew` and `await_mtu`, and ConvergenceError where restarts did not help so far.
    """
    nodes = wrong()
    old = old_pods(context, running, nodes)
    if unexplained := sorted(nodes.keys() - old.nodes):
        if context.mtu_restarts >= _RESTARTS:
            raise ConvergenceError(nodes[unexplained[0]])
        return False
    if old.renewable:
        renew(context, old.renewable)
    await_mtu(context, running, wrong, seconds)
    return True


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


def _names(found: Iterable[Object]) -> list[str]:
    """Some of them."""
    return sorted(map(_named, found))[:_NAMED]


def _ends(pod: Object) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def _hosted(pod: Object) -> bool:
    return bool(pod["spec"].get("hostNetwork"))


def _replacer(pod: Object) -> str | None:
    for owner in pod["metadata"].get("ownerReferences") or []:
        if owner.get("controller") and owner["kind"] in _REPLACING:
            return str(owner["uid"])
    return None
