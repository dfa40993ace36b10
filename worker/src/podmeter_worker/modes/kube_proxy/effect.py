"""Whether kube-proxy is in its mode on every node, and what helps where it is not."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ConvergenceError, PodmeterError, PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import KubeProxyMode
from podmeter.domain.ports import POD_NAMESPACE
from podmeter.drivers.netfilter import backend as backends
from podmeter_worker.kube.node_shells import reading_seconds
from podmeter_worker.kube.resources import SERVICES
from podmeter_worker.modes import daemon_set
from podmeter_worker.modes.kube_proxy import cleanup as kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy import periods as kube_proxy_periods
from podmeter_worker.modes.kube_proxy.syncs import BUSY, RETRY_SECONDS, Syncing, SyncMark, SyncWatch
from podmeter_worker.modes.waiting import wait_until_right

if TYPE_CHECKING:
    from podmeter.domain.messages import Message
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
#: Of so many nodes the metrics are read at the same time.
_AT_ONCE = 16


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

    With so many ports of `services` its kernel is given more time to tell.
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
        state = SyncWatch().look(shell, target.port)
        if wrong := _wrong(context, shell, target, state):
            return wrong
    return None


def await_effect(context: SwitchContext, running: Object, target: Target) -> None:
    """Wait until it is in effect on every node.

    kube-proxy whose first sync fails (another component restored an older copy of a table at
    that moment) does not fix it by itself. It syncs when a Service changes, so one is made for that
    and removed. After a restart it can fail again in the same way: what restores tables may do
    so whenever pods change. One that does not tell its mode yet is still starting, which takes a
    minute on a busy node, and is left alone. So is a kube-proxy that is writing its rules, in
    whichever sync, or may be, as it did not say in the last looks: a restart would discard its
    work, and its node would have no rules for longer. On clusters that change all the time one sync
    follows the other: what one more of them does not put right is not about syncs.
    """
    longer = 1 + context.service_ports / _SERVICES_IN_TIME
    *tries, last = (seconds * longer for seconds in _EFFECTIVE_SECONDS)
    waiting = _Waiting(context, target)
    for number, seconds in enumerate(tries):
        if waiting.why_not_after(seconds) is None:
            return
        if waiting.failed:
            # What would have all of them sync is not for those that do so already.
            restart = bool(waiting.busy) or number % 2 == 1
            _help(context, running, waiting.failed, restart=restart)
    if (wrong := waiting.why_not_after(last)) is not None:
        what = say("wait_proxy_mode", mode=target.mode)
        raise ConvergenceError(say("still_not_for", seconds=last, what=what, wrong=wrong))


class _Waiting:
    """A wait for the mode to be in effect on every node.

    `busy` are the nodes whose kube-proxy was writing rules at the last look, or may have been.
    `failed` are those that need help, as far as the look was to find that out, `excused` those
    that what they write may put right.
    """

    def __init__(self, context: SwitchContext, target: Target) -> None:
        self._context, self._target = context, target
        period = None if target.periods is None else target.periods.period
        self._watches = {node: SyncWatch(period or RETRY_SECONDS) for node in context.shells}
        self.busy: set[str] = set()
        self.failed: set[str] = set()
        self.excused: set[str] = set()
        #: Where nodes that write changes were found wrong first in this part of the wait.
        self._wrong_since: dict[str, SyncMark] = {}

    def why_not_after(self, seconds: float) -> Message | None:
        """What is wrong after so long, or None as soon as nothing is.

        While no node needs help, those that write their rules are waited for; one that writes
        changes until one more of its syncs has ended, as they may follow each other for ever. A
        node that cannot be looked at may be so for a moment: it neither ends the wait nor is it
        helped. Raises ConvergenceError where a sync does not end.
        """
        what = say("wait_proxy_mode", mode=self._target.mode)
        self._wrong_since.clear()
        with suppress(ConvergenceError):
            wait_until_right(self._context, what, lambda: self._look(every_node=False), seconds)
            return None
        left: list[Message] = []

        def look() -> Message | None:
            wrong = self._look(every_node=True)
            if wrong is None or (self.excused and not self.failed):
                return wrong
            left.append(wrong)
            return None

        wait_until_right(self._context, what, look, _LONGEST_SYNC_SECONDS)
        return left[0] if left else None

    def _look(self, *, every_node: bool) -> Message | None:
        """The problem on the first node; with `every_node` also which of them need help.

        Metrics are read of all at each look: what a sync is for shows over several.
        """
        shells = self._context.shells
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            states = dict(zip(shells, pool.map(self._state, shells), strict=True))
        self.busy = {node for node, state in states.items() if state in BUSY}
        self.failed, self.excused = set(), set()
        writing = [node for node, state in states.items() if state is Syncing.FIRST]
        first = say("proxy_syncs", node=writing[0]) if writing else None
        for node, state in states.items():
            if first is not None and not every_node:
                break
            wrong = self._look_at(node, state)
            first = first or wrong
        return first

    def _state(self, node: str) -> Syncing | Message:
        """What kube-proxy on a node does, or why that could not be read now."""
        try:
            return self._watches[node].look(self._context.shells[node], self._target.port)
        except PodmeterError as error:
            return say("on_node", node=node, what=error.said)

    def _look_at(self, node: str, state: Syncing | Message) -> Message | None:
        """What is wrong on a node; notes whether a nudge or a restart may help, or its own sync."""
        if not isinstance(state, Syncing):
            return state
        try:
            wrong = _wrong(self._context, self._context.shells[node], self._target, state)
        except PodmeterError as error:
            return say("on_node", node=node, what=error.said)
        if wrong is None:
            self._wrong_since.pop(node, None)
        elif wrong.code != "proxy_silent":
            (self.excused if self._is_excused(node, state) else self.failed).add(node)
        return wrong

    def _is_excused(self, node: str, state: Syncing) -> bool:
        """Whether the sync in progress on a node that is wrong may put that right."""
        if state is not Syncing.AGAIN:
            return state in BUSY
        watch, mark = self._watches[node], self._wrong_since.get(node)
        now = watch.mark()
        if now is not None and (mark is None or mark.started != now.started):
            self._wrong_since[node] = mark = now
        return mark is None or not watch.has_synced_since(mark)


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


def _wrong(
    context: SwitchContext, shell: NodeShell, target: Target, state: Syncing
) -> Message | None:
    if state is Syncing.FIRST:
        # Its kernel is not asked: that costs time which it needs itself.
        return say("proxy_syncs", node=shell.node)
    try:
        seen = observed(shell, target.port, context.service_ports)
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
