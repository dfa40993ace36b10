"""Whether kube-proxy is in its mode on every node, and what helps where it is not."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ConvergenceError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import KubeProxyMode
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.drivers.netfilter import backend as backends
from podmeter_worker.kube.node_shells import reading_seconds
from podmeter_worker.kube.resources import SERVICES
from podmeter_worker.modes import daemon_set
from podmeter_worker.modes.kube_proxy import cleanup as kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy import periods as kube_proxy_periods
from podmeter_worker.modes.kube_proxy.syncs import Syncing, syncing
from podmeter_worker.modes.waiting import wait_until_right

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput
    from podmeter.domain.switching import SyncPeriods
    from podmeter_worker.kube.node_shells import NodeShell
    from podmeter_worker.kube.resources import Object
    from podmeter_worker.modes.switcher import SwitchContext

#: How long the mode may take to be in effect before it is helped along where it is not: by a
#: nudge, by a restart, by a nudge. Time in which kube-proxy writes its rules does not count.
_EFFECTIVE_SECONDS = (15.0, 15.0, 60.0, 180.0)
#: That many more Services are given as much time once more.
_SERVICES_IN_TIME = 1000
#: A sync may take so long: with 30,000 Services some take a quarter of an hour on a slow node.
_LONGEST_SYNC_SECONDS = 7200.0


@dataclass(frozen=True, slots=True)
class Target:
    """The desired mode of kube-proxy on every node, and the port that reports it.

    With the periods, if any; one that does not tell these has them unless it is `sure`.
    """

    mode: str
    port: int
    periods: SyncPeriods | None
    sure: bool


def observed(shell: NodeShell, port: int, services: int = 0) -> str:
    """The mode of one node; PreconditionError where kube-proxy and kernel disagree.

    With so many `services` added its kernel is given more time to tell.
    """
    seconds = reading_seconds(services)
    told = _told(shell, port)
    if told.exit_code != 0:
        raise PreconditionError(say("proxy_silent", node=shell.node, said=told.stderr.strip()))
    try:
        in_kernel = backends.parse_probe(shell.run(backends.PROBE_ARGV, seconds)).mode
    except PreconditionError as error:
        raise PreconditionError(say("on_node", node=shell.node, what=error.said)) from error
    if told.stdout.strip() != in_kernel:
        raise PreconditionError(
            say("proxy_and_kernel", node=shell.node, told=told.stdout.strip(), held=in_kernel)
        )
    if in_kernel is KubeProxyMode.IPVS and kube_proxy_cleanup.iptables_left(shell, seconds):
        raise PreconditionError(say("iptables_left", node=shell.node))
    return str(in_kernel)


def why_not_in_effect(context: SwitchContext, target: Target) -> str | None:
    """The problem on the first node that is not in the desired state, or None."""
    for shell in context.shells.values():
        if wrong := _wrong(context, shell, target):
            return wrong
    return None


def await_effect(context: SwitchContext, running: Object, target: Target) -> None:
    """Wait until it is in effect on every node.

    kube-proxy whose first sync fails (another component restored an older copy of a table at
    that moment) does not fix it by itself. It syncs when a Service changes, so one is made for that
    and removed. After a restart it can fail again in the same way: what restores tables may do
    so whenever pods change. One that does not tell its mode yet is still starting, which takes a
    minute on a busy node, and is left alone. So is a kube-proxy that is
    writing its rules: a restart would discard its work, and its node would have no rules for
    longer.
    """
    longer = 1 + context.added / _SERVICES_IN_TIME
    *tries, last = (seconds * longer for seconds in _EFFECTIVE_SECONDS)
    for number, seconds in enumerate(tries):
        unlike = _unlike_after(context, target, seconds)
        if unlike is None:
            return
        failed, busy = unlike
        if failed:
            # What would have all of them sync is not for those that do so already.
            _help(context, running, failed, restart=bool(busy) or number % 2 == 1)
    what = say("wait_proxy_mode", mode=target.mode)
    wait_until_right(context, what, lambda: why_not_in_effect(context, target), last)


def _unlike_after(
    context: SwitchContext, target: Target, seconds: float
) -> tuple[set[str], set[str]] | None:
    """The nodes that are not as they are to be after so long and need help, and those that are
    writing their rules; None where all are. While none needs help, those that write are waited for.

    It is the first sync that writes a mode: what is wrong after one that succeeded, another one
    does not help by waiting longer.
    """
    what = say("wait_proxy_mode", mode=target.mode)
    until = time.monotonic() + max(seconds, _LONGEST_SYNC_SECONDS)
    while True:
        try:
            wait_until_right(context, what, lambda: why_not_in_effect(context, target), seconds)
        except ConvergenceError:
            failed: set[str] = set()
            busy: set[str] = set()
            for node, shell in context.shells.items():
                if _told(shell, target.port).exit_code != 0:
                    continue
                if syncing(shell, target.port) is Syncing.FIRST:
                    busy.add(node)
                elif _wrong(context, shell, target) is not None:
                    failed.add(node)
            if failed or not busy or time.monotonic() > until:
                return failed, busy
        else:
            return None


def _help(context: SwitchContext, running: Object, failed: set[str], *, restart: bool) -> None:
    if restart:
        daemon_set.restart(context, running, failed)
        context.progress(say("step_started_anew", nodes=sorted(failed)))
    else:
        force_sync(context)
        context.progress(say("step_nudged", nodes=sorted(failed)))


def force_sync(context: SwitchContext) -> None:
    """Have every kube-proxy sync its rules: make a Service that nothing serves, and remove it."""
    labels = next(iter(context.shells.values())).labels
    made = context.client.create(
        SERVICES.path(POD_NAMESPACE),
        {
            "apiVersion": SERVICES.version,
            "kind": "Service",
            "metadata": {
                "generateName": "pm-nudge-",
                "namespace": POD_NAMESPACE,
                "labels": dict(labels),
            },
            "spec": {"ports": [{"port": 80}]},
        },
    )
    context.client.delete(SERVICES.path(POD_NAMESPACE, made["metadata"]["name"]))


def _wrong(context: SwitchContext, shell: NodeShell, target: Target) -> str | None:
    if syncing(shell, target.port) is Syncing.FIRST:
        # Its kernel is not asked: that costs time which it needs itself.
        return say("proxy_syncs", node=shell.node)
    try:
        seen = observed(shell, target.port, context.added)
    except PreconditionError as error:
        return error.said
    if seen != target.mode:
        return say("node_in_mode", node=shell.node, mode=seen)
    if target.periods is None:
        return None
    return kube_proxy_periods.why_not_in_effect(
        shell, target.port, target.periods, sure=target.sure
    )


def _told(shell: NodeShell, port: int) -> CommandOutput:
    return shell.run(("curl", "-sS", "--max-time", "10", f"http://127.0.0.1:{port}/proxyMode"))
