"""The state of the component behind a mode, to detect whether anybody changed it since.

A mode that was changed and changed back is in effect again, on other pods or on restarted ones.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from podmeter.domain.messages import Message, say
from podmeter_worker.kube.resources import PODS

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object

#: Plain data, stored in the database for the worker that ends the block.
ComponentState = dict[str, Any]


def read_component_state(
    client: KubeClient, daemon_set: str, *configurations: str
) -> ComponentState:
    """The DaemonSet and what it is set by at these paths, and the DaemonSet's pods."""
    running = client.get(daemon_set)
    configured = [_content(client.get(path)) for path in configurations]
    metadata = running["metadata"]
    return {
        "daemon_set": f"{metadata['namespace']}/{metadata['name']}",
        "uid": metadata["uid"],
        "generation": metadata["generation"],
        "configuration": hashlib.sha256(
            json.dumps(configured, sort_keys=True).encode()
        ).hexdigest(),
        "pods": {
            pod["metadata"]["uid"]: {
                "node": pod["spec"].get("nodeName"),
                "restarts": [
                    one.get("restartCount", 0)
                    for one in pod["status"].get("containerStatuses") or []
                ],
            }
            for pod in pods_of(client, running)
            if "deletionTimestamp" not in pod["metadata"]
        },
    }


def _content(found: Object) -> Object:
    """What somebody has set: neither its status nor whatever is noted on it."""
    return {name: found[name] for name in ("data", "spec") if name in found}


def pods_of(client: KubeClient, daemon_set: Object) -> list[Object]:
    """A DaemonSet's pods."""
    path = PODS.path(daemon_set["metadata"]["namespace"])
    found = client.list_all(path, labels=selector(daemon_set)).items
    return [pod for pod in found if belongs(pod, daemon_set)]


def belongs(pod: Object, daemon_set: Object) -> bool:
    """Whether the DaemonSet made the pod."""
    owners = pod["metadata"].get("ownerReferences") or []
    return any(owner["uid"] == daemon_set["metadata"]["uid"] for owner in owners)


def selector(daemon_set: Object) -> str:
    """Selects a DaemonSet's pods, and perhaps others."""
    chosen = daemon_set["spec"]["selector"].get("matchLabels") or {}
    return ",".join(f"{name}={value}" for name, value in sorted(chosen.items()))


def why_touched(before: ComponentState, after: ComponentState) -> Message | None:
    """What happened in between, or None. Pods of nodes that joined since touched nothing."""
    name = after["daemon_set"]
    if any(before.get(key) != after[key] for key in ("uid", "generation")):
        return say("touched_daemon_set", name=name)
    if before.get("configuration") != after["configuration"]:
        return say("touched_config_map", name=name)
    for uid, pod in before.get("pods", {}).items():
        now = after["pods"].get(uid)
        if now is None:
            return say("touched_pod", name=name, node=pod["node"])
        if now["restarts"] != pod["restarts"]:
            return say("touched_container", name=name, node=pod["node"])
    return None
