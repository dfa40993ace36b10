"""Removing what kube-proxy's modes leave behind, by its own --cleanup on every node."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from podmeter.domain.errors import ConvergenceError
from podmeter.domain.messages import say
from podmeter.domain.ports import HOST_NAMESPACE
from podmeter_worker.kube.node_shells import COMMAND_SECONDS, reading_seconds
from podmeter_worker.kube.resources import PODS
from podmeter_worker.kube.wait import wait_until, wait_until_gone

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podmeter_worker.kube.node_shells import NodeShell
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import SwitchContext

#: For a pod to start, clean and end on each node: a busy one takes its time for each of these.
_SECONDS = 180.0
#: That many rules of Service ports are removed in a second, where it is slow.
_PORTS_A_SECOND = 20
#: How often a longer wait says how far it is.
_SAID_SECONDS = 30.0
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
    made = [
        context.client.create(PODS.path(HOST_NAMESPACE), _pod(shell, container, seconds))
        for shell in context.shells.values()
    ]
    uids = {pod["metadata"]["uid"] for pod in made}

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

    try:
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
        for pod in made:
            context.client.delete(PODS.path(HOST_NAMESPACE, pod["metadata"]["name"]))
        wait_until_gone(
            context.client,
            PODS.path(HOST_NAMESPACE),
            uids,
            what=say("wait_cleanup_gone"),
            deadline_seconds=_SECONDS,
        )


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


def _pod(shell: NodeShell, container: Object, seconds: float) -> Object:
    command = (container.get("command") or ["kube-proxy"])[0]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": "pm-kube-proxy-cleanup-",
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
                    "name": "kube-proxy",
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
