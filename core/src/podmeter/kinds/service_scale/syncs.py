"""kube-proxy's own account of its syncs on the client's node, read around what makes it sync."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError, VoidTrialError
from podmeter.domain.messages import say
from podmeter.drivers import kube_proxy
from podmeter.kinds.service_scale import metrics
from podmeter.kinds.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.domain.ports import CommandOutput, ExecTarget, Lab, ModeSwitch
    from podmeter.drivers.kube_proxy import ProxyMetrics
    from podmeter.kinds.recording import Recorder
    from podmeter.kinds.service_scale.ladder import Ladder

_ASK_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class ProxySyncs:
    """Measures by kube-proxy's metrics on the client's node, `entry`.

    Raises ToolError if kube-proxy does not report its metrics, ConvergenceError if its syncs do not
    end within `deadline_seconds`, and VoidTrialError if it did other syncs than expected.
    """

    lab: Lab
    entry: ExecTarget
    deadline_seconds: float

    def measure_incremental(self, recorder: Recorder, ladder: Ladder) -> None:
        """Add one Service, and measure the syncs that this takes, those of its EndpointSlice too.

        The Service works a moment before its sync ends, so the end of the sync is waited for.
        """
        before = after = self._at_rest(recorder, lambda now: True)
        begun = self.lab.monotonic()

        def removed() -> None:
            self._until_at_rest(lambda now: now.syncs != after.syncs)

        with ladder.one_more(removed):
            after = self._at_rest(recorder, lambda now: now.syncs != before.syncs)
            recorder.tool_seconds += self.lab.monotonic() - begun
        if after.started != before.started or after.full_syncs != before.full_syncs:
            raise VoidTrialError(say("syncs_not_incremental", node=str(self.entry.node)))
        seconds = after.sync_seconds - before.sync_seconds
        recorder.measure(metrics.INCREMENTAL_SYNC.name, seconds)
        recorder.measure(metrics.PROXY_MEMORY.name, after.memory_bytes)

    def measure_full(self, recorder: Recorder, ladder: Ladder, mode: ModeSwitch) -> None:
        """Restart kube-proxy in this mode, and measure until it has written all rules."""
        before = self._at_rest(recorder, lambda now: True)
        begun = self.lab.monotonic()
        try:
            restarted, _ = self.lab.switch_mode(replace(mode, node=self.entry.node))
            ladder.answers(ladder.last)
        finally:
            ladder.set_up_anew()
        ended = self.lab.monotonic()
        recorder.tool_seconds += ended - begun
        after = self._at_rest(recorder, lambda now: now.has_succeeded)
        if after.started <= before.started or after.full_syncs > 1:
            raise VoidTrialError(
                say("syncs_not_full", node=str(self.entry.node), count=after.full_syncs)
            )
        full = after.full_sync_seconds if after.full_syncs else after.sync_seconds
        recorder.measure(metrics.FULL_SYNC.name, full)
        accepted = min(restarted.accepted.values())
        recorder.measure(metrics.FULL_SYNC_READY.name, ended - accepted)
        recorder.measure(metrics.PROXY_CPU.name, after.cpu_seconds)
        recorder.measure(metrics.PROXY_MEMORY.name, after.memory_bytes)

    def _at_rest(self, recorder: Recorder, awaited: Callable[[ProxyMetrics], bool]) -> ProxyMetrics:
        """The metrics once nothing is left to sync and `awaited` holds; stored with the trial."""
        output, proxy = self._until_at_rest(awaited)
        recorder.keep(kube_proxy.TOOL_NAME, proxy.version, self.entry, kube_proxy.argv(), output)
        return proxy

    def _until_at_rest(
        self, awaited: Callable[[ProxyMetrics], bool]
    ) -> tuple[CommandOutput, ProxyMetrics]:
        def at_rest() -> tuple[CommandOutput, ProxyMetrics] | None:
            argv = kube_proxy.argv()
            output = self.lab.execute(self.entry, argv, timeout_seconds=_ASK_SECONDS)
            proxy = kube_proxy.parse(output)
            if not proxy.families_apart:
                node = str(self.entry.node)
                raise ToolError(say("syncs_together", node=node, version=proxy.version))
            return (output, proxy) if proxy.is_idle and awaited(proxy) else None

        return until(
            self.lab,
            "kube-proxy on the client's node has ended its syncs",
            at_rest,
            deadline_seconds=self.deadline_seconds,
        )
