"""Restart the pods of a DaemonSet so that they read their configuration again.

The pods are deleted rather than the template touched: all nodes go at once, nothing is left in
the DaemonSet, and an interrupted restart is simply done again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.labels import PAUSED
from podmeter.domain.messages import say
from podmeter_worker.kube import pods
from podmeter_worker.kube.facts.component_state import belongs, pods_of, selector
from podmeter_worker.kube.resources import DAEMON_SETS, PODS
from podmeter_worker.kube.wait import wait_until
from podmeter_worker.modes.changes import change
from podmeter_worker.modes.waiting import wait_until_right

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import SwitchContext

_SECONDS = 90.0


def found_in(client: KubeClient, namespaces: Iterable[str], name: str) -> str | None:
    """The path of the DaemonSet of this name, in the first of the namespaces that has it."""
    paths = (DAEMON_SETS.path(namespace, name) for namespace in namespaces)
    return next((path for path in paths if client.find(path) is not None), None)


def restart(
    context: SwitchContext,
    daemon_set: Object,
    only: Collection[str] | None = None,
    *,
    seconds: float = _SECONDS,
) -> None:
    """Delete all pods, or those on some nodes, and wait until their successors run there."""
    old = [
        pod
        for pod in pods_of(context.client, daemon_set)
        if _belongs(context, pod, daemon_set)
        if only is None or pod["spec"].get("nodeName") in only
    ]
    uids = {pod["metadata"]["uid"] for pod in old}
    nodes = {pod["spec"]["nodeName"] for pod in old if pod["spec"].get("nodeName")}
    for pod in old:
        pods.delete(context.client, pod)
        if node := pod["spec"].get("nodeName"):
            context.accepted(node)
    _await(context, daemon_set, lambda found: _run_anew(found, uids, nodes), seconds)


def await_gone(context: SwitchContext, daemon_set: Object) -> None:
    """Wait until no pod of the DaemonSet is left."""
    _await(context, daemon_set, lambda found: not found)


def await_gone_from(context: SwitchContext, daemon_set: Object, nodes: Collection[str]) -> None:
    """Wait until no pod of the DaemonSet is on any of these nodes."""
    _await(context, daemon_set, lambda found: not _on(found, nodes))


def await_ready_on(context: SwitchContext, daemon_set: Object, nodes: Collection[str]) -> None:
    """Wait until a pod of the DaemonSet is ready on each of these nodes."""
    _await(
        context,
        daemon_set,
        lambda found: (
            {pod["spec"]["nodeName"] for pod in _on(found, nodes) if is_ready(pod)} >= set(nodes)
        ),
    )


def pause(context: SwitchContext, daemon_set: Object) -> None:
    """Take the DaemonSet's pods off all nodes, until `resume`."""
    _select(context, daemon_set, "true")
    for node in context.shells:
        context.accepted(node)
    await_gone(context, daemon_set)


def resume(context: SwitchContext, daemon_set: Object) -> None:
    """End a pause, and wait until the pods run on every node again; nothing where none is."""
    if PAUSED not in daemon_set["spec"]["template"]["spec"].get("nodeSelector", {}):
        return
    _select(context, daemon_set, None)

    def complete(sets: Mapping[tuple[str, str], Object]) -> bool | None:
        return True if any(_is_complete(context, item) for item in sets.values()) else None

    metadata = daemon_set["metadata"]
    wait_until(
        context.client,
        DAEMON_SETS.path(metadata["namespace"]),
        complete,
        what=say("wait_runs_everywhere", name=metadata["name"]),
        deadline_seconds=_SECONDS,
        check=context.check,
        fields=f"metadata.name={metadata['name']}",
    )


def await_rollout(context: SwitchContext, path: str, seconds: float) -> None:
    """Wait until nobody is rolling the DaemonSet at this path any more; watches nothing."""
    what = say("wait_runs_everywhere", name=path.rpartition("/")[2])
    wait_until_right(context, what, lambda: why_rolling(context, path), seconds)


def why_rolling(context: SwitchContext, path: str) -> str | None:
    """That pods of the DaemonSet's present template are not ready on every node, or None."""
    if _is_complete(context, context.client.get(path)):
        return None
    return say("daemon_set_rolls", name=path.rpartition("/")[2])


def await_seen(context: SwitchContext, path: str) -> None:
    """Wait until pods that go are followed by ones of the DaemonSet's present template."""
    wrong = say("daemon_set_rolls", name=path.rpartition("/")[2])

    def look() -> str | None:
        item = context.client.get(path)
        seen = item["status"].get("observedGeneration") == item["metadata"]["generation"]
        return None if seen else wrong

    wait_until_right(context, wrong, look, _SECONDS)


def _is_complete(context: SwitchContext, item: Object) -> bool:
    """Whether pods of its present template are ready on every node that is."""
    status = item["status"]
    wanted = status.get("desiredNumberScheduled", 0)
    current = status.get("observedGeneration") == item["metadata"]["generation"]
    counts = (status.get("updatedNumberScheduled", 0), status.get("numberReady", 0))
    return bool(current and wanted and min(counts) >= wanted - len(context.missing))


def _select(context: SwitchContext, daemon_set: Object, value: str | None) -> None:
    path = DAEMON_SETS.path(daemon_set["metadata"]["namespace"], daemon_set["metadata"]["name"])
    body = {"spec": {"template": {"spec": {"nodeSelector": {PAUSED: value}}}}}
    daemon_set |= change(context.client, path, lambda found: body)[0]


def _await(
    context: SwitchContext,
    daemon_set: Object,
    condition: Callable[[list[Object]], bool],
    seconds: float = _SECONDS,
) -> None:
    def look(objects: Mapping[tuple[str, str], Object]) -> bool | None:
        found = [pod for pod in objects.values() if _belongs(context, pod, daemon_set)]
        return True if condition(found) else None

    wait_until(
        context.client,
        PODS.path(daemon_set["metadata"]["namespace"]),
        look,
        what=say("wait_runs_anew", name=daemon_set["metadata"]["name"]),
        deadline_seconds=seconds,
        check=context.check,
        labels=selector(daemon_set),
    )


def _run_anew(found: list[Object], old: set[str], nodes: set[str]) -> bool:
    if any(pod["metadata"]["uid"] in old for pod in found):
        return False
    return nodes <= {pod["spec"].get("nodeName") for pod in found if is_ready(pod)}


def _on(found: Iterable[Object], nodes: Collection[str]) -> list[Object]:
    return [pod for pod in found if pod["spec"].get("nodeName") in nodes]


def is_ready(pod: Object) -> bool:
    """Whether a pod's condition Ready is true."""
    conditions = pod["status"].get("conditions") or []
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _belongs(context: SwitchContext, pod: Object, daemon_set: Object) -> bool:
    if pod["spec"].get("nodeName") in context.missing:
        return False  # nobody there could end it
    return belongs(pod, daemon_set)
