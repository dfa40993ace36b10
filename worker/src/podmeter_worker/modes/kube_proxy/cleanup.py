"""Removing what kube-proxy's modes leave behind, by its own --cleanup on every node.

A clean-up that fails runs again by itself after a while. One that nobody waits for any more, as its
worker was killed or the answer to its creation was lost, could so remove the rules of a kube-proxy
that is back. So a node has one at most, by its name, and none is left when kube-proxy is let back:
each switch and each restore first ends those that are there.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

from podmeter.domain.errors import ConvergenceError
from podmeter.domain.labels import MANAGED_BY
from podmeter.domain.messages import say
from podmeter.domain.ports import HOST_NAMESPACE
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.node_shells import COMMAND_SECONDS, reading_seconds
from podmeter_worker.kube.pods import delete as delete_pod
from podmeter_worker.kube.resources import PODS
from podmeter_worker.kube.wait import wait_until, wait_until_gone

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.node_shells import NodeShell
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import SwitchContext

#: For a pod to start, clean and end on each node: a busy one takes its time for each of these.
_SECONDS = 180.0
#: That many rules of Service ports are removed in a second, where it is slow.
_PORTS_A_SECOND = 20
#: How often a longer wait says how far it is.
_SAID_SECONDS = 30.0
#: What tells a clean-up from a measuring pod, to admission policies too.
_CONTAINER = "kube-proxy"
_OWN = ",".join(f"{name}={value}" for name, value in MANAGED_BY.items())
#: Of what it said at its end, in characters.
_SAID = 600
_IPVS = "grep -qsE '^(TCP|UDP|SCTP) ' /proc/net/ip_vs || [ -e /sys/class/net/kube-ipvs0 ]"


def has_ipvs_rules(context: SwitchContext) -> bool:
    """Whether any node has virtual servers or the device that kube-proxy binds them to."""
    probe, seconds = ("sh", "-c", _IPVS), reading_seconds(context.service_ports)
    return any(shell.run(probe, seconds).exit_code == 0 for shell in context.shells.values())


def iptables_left(shell: NodeShell, seconds: float = COMMAND_SECONDS) -> bool:
    """Whether chains of Services that only the iptables mode makes stand on a node."""
    probe = ("sh", "-c", "iptables-save -t nat | grep -q '^:KUBE-SVC-'")
    return shell.run(probe, seconds).exit_code == 0


def cleaning_seconds(service_ports: int) -> float:
    """How long removing the rules of so many Service ports may take."""
    return _SECONDS + service_ports / _PORTS_A_SECOND


def clean(context: SwitchContext, container: Object) -> None:
    """Run kube-proxy --cleanup once on every node, from the image that runs there.

    kube-proxy's pods must be away: a running one would write its rules again. Raises
    ConvergenceError with what it said last where it keeps failing.
    """
    seconds = cleaning_seconds(context.service_ports)
    uids: set[str] = set()
    mine: list[Object] = []
    begun = said_at = time.monotonic()

    def ended(objects: Mapping[tuple[str, str], Object]) -> bool | None:
        mine[:] = [pod for pod in objects.values() if pod["metadata"]["uid"] in uids]
        return True if len(uids) == len(mine) == len(_succeeded(mine)) else None

    def check() -> None:
        """Called every 2 s."""
        nonlocal said_at
        context.check()
        now = time.monotonic()
        if now - said_at < _SAID_SECONDS:
            return
        said_at = now
        wrong = complaint(mine) or say(
            "cleanup_runs",
            nodes=[pod["spec"]["nodeName"] for pod in mine if pod not in _succeeded(mine)],
        )
        left = max(0, round(begun + seconds - now))
        what = say("wait_cleanup_ends")
        context.progress(say("step_waits", what=what, wrong=wrong, seconds=left))

    end_left(context)
    try:
        for shell in context.shells.values():
            uids.add(_create(context.client, _pod(shell, container, seconds))["metadata"]["uid"])
        wait_until(
            context.client,
            PODS.path(HOST_NAMESPACE),
            ended,
            what=say("wait_cleanup_ends"),
            deadline_seconds=seconds,
            check=check,
        )
    except ConvergenceError as error:
        if (wrong := complaint(mine)) is None:
            raise
        what = say("wait_cleanup_ends")
        late = say("still_not_for", seconds=seconds, what=what, wrong=wrong)
        raise ConvergenceError(late) from error
    finally:
        end_left(context)


def end_left(context: SwitchContext) -> None:
    """End all clean-ups that there are, of whichever run, and wait until they have ended.

    On a dead node nobody can tell; its kubelet starts none again once it is back.
    """
    left = [
        pod
        for pod in context.client.list_all(PODS.path(HOST_NAMESPACE), labels=_OWN).items
        if [one["name"] for one in pod["spec"]["containers"]] == [_CONTAINER]
    ]
    for pod in left:
        delete_pod(context.client, pod)
    awaited = {
        pod["metadata"]["uid"] for pod in left if pod["spec"]["nodeName"] not in context.missing
    }
    if awaited:
        wait_until_gone(
            context.client,
            PODS.path(HOST_NAMESPACE),
            awaited,
            what=say("wait_cleanup_gone"),
            deadline_seconds=_SECONDS,
            labels=_OWN,
        )


def _create(client: KubeClient, body: Object) -> Object:
    """Create a clean-up; where it exists already, a first try of ours has created it."""
    try:
        return client.create(PODS.path(HOST_NAMESPACE), body)
    except ApiRefusedError as error:
        if error.reason != "AlreadyExists":
            raise
    return client.get(PODS.path(HOST_NAMESPACE, body["metadata"]["name"]))


def _succeeded(pods: Iterable[Object]) -> list[Object]:
    return [pod for pod in pods if pod["status"].get("phase") == "Succeeded"]


def complaint(pods: Iterable[Object]) -> str | None:
    """What the first of the pods that failed said at its end, and on which node; None of none."""
    for pod in pods:
        for container in pod["status"].get("containerStatuses", ()):
            for state in (container.get("state", {}), container.get("lastState", {})):
                ended = state.get("terminated", {})
                if ended.get("exitCode") and (said := " ".join(ended.get("message", "").split())):
                    return say("on_node", node=pod["spec"]["nodeName"], what=said[-_SAID:])
    return None


def _name(node: str) -> str:
    """That of the clean-up on a node, whose own name may be too long."""
    return f"pm-kube-proxy-cleanup-{hashlib.sha256(node.encode()).hexdigest()[:12]}"


def _pod(shell: NodeShell, container: Object, seconds: float) -> Object:
    command = (container.get("command") or ["kube-proxy"])[0]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": _name(shell.node),
            "namespace": HOST_NAMESPACE,
            "labels": dict(shell.labels),
        },
        "spec": {
            "nodeName": shell.node,
            "activeDeadlineSeconds": 2 * int(seconds),
            # Another component that writes its rules at that moment makes it fail.
            "restartPolicy": "OnFailure",
            "hostNetwork": True,
            "enableServiceLinks": False,
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 1,
            "tolerations": [{"operator": "Exists"}],
            "containers": [
                {
                    "name": _CONTAINER,
                    "image": container["image"],
                    "imagePullPolicy": "IfNotPresent",
                    "command": [command, "--cleanup", f"--hostname-override={shell.node}"],
                    "terminationMessagePolicy": "FallbackToLogsOnError",
                    # What kube-proxy itself runs with.
                    "securityContext": {"privileged": True},
                    "volumeMounts": [
                        {"name": "xtables-lock", "mountPath": "/run/xtables.lock"},
                        {"name": "modules", "mountPath": "/lib/modules", "readOnly": True},
                    ],
                }
            ],
            "volumes": [
                {
                    "name": "xtables-lock",
                    "hostPath": {"path": "/run/xtables.lock", "type": "FileOrCreate"},
                },
                {"name": "modules", "hostPath": {"path": "/lib/modules"}},
            ],
        },
    }
