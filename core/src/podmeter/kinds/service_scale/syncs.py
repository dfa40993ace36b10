"""kube-proxy's own account of its syncs on the client's node, read around what makes it sync."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import kube_proxy
from podmeter.kinds.service_scale import metrics
from podmeter.kinds.waiting import until

if TYPE_CHECKING:
    from podmeter.domain.ports import ExecTarget, Lab, ModeSwitch
    from podmeter.drivers.kube_proxy import ProxyMetrics
    from podmeter.kinds.recording import Recorder
    from podmeter.kinds.service_scale.ladder import Ladder

_ASK_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class ProxySyncs:
    """Reads kube-proxy's metrics on the client's node, `entry`."""

    lab: Lab
    entry: ExecTarget
    deadline_seconds: float

    def before(self, recorder: Recorder) -> ProxyMetrics | None:
        """What it tells before something is added; None, with a warning, if it does not tell."""
        try:
            return self._told(recorder)
        except ToolError as error:
            recorder.warnings.append(say("syncs_untold", node=str(self.entry.node), why=error.said))
            return None

    def measure_added(self, recorder: Recorder, before: ProxyMetrics | None) -> None:
        """Measure the syncs since then; nothing if they were not told before.

        What was added works a moment before its sync ends, so that this is waited for.
        """
        if before is None:
            return
        until(
            self.lab,
            "kube-proxy counts the sync of the added Service",
            lambda: self._read().syncs > before.syncs,
            deadline_seconds=self.deadline_seconds,
        )
        told = self._told(recorder)
        seconds = told.sync_seconds - before.sync_seconds
        recorder.measure(metrics.SYNC.name, seconds / (told.syncs - before.syncs))
        recorder.measure(metrics.PROXY_MEMORY.name, told.memory_bytes)

    def measure_full(self, recorder: Recorder, ladder: Ladder, mode: ModeSwitch) -> None:
        """Restart kube-proxy in this mode, and measure until it has written all rules."""
        begun = self.lab.monotonic()
        restarted, _ = self.lab.switch_mode(replace(mode, node=self.entry.node))
        ladder.answers(ladder.last)
        now = self.lab.monotonic()
        recorder.tool_seconds += now - begun
        ladder.set_up_anew()
        told = self._told(recorder)
        full = told.full_sync_seconds / told.full_syncs if told.full_syncs else told.sync_seconds
        recorder.measure(metrics.FULL_SYNC.name, full)
        accepted = min(restarted.accepted.values(), default=begun)
        recorder.measure(metrics.FULL_SYNC_READY.name, now - accepted)
        recorder.measure(metrics.PROXY_CPU.name, told.cpu_seconds)
        recorder.measure(metrics.PROXY_MEMORY.name, told.memory_bytes)

    def _read(self) -> ProxyMetrics:
        argv = kube_proxy.argv()
        return kube_proxy.parse(self.lab.execute(self.entry, argv, timeout_seconds=_ASK_SECONDS))

    def _told(self, recorder: Recorder) -> ProxyMetrics:
        """What it tells, kept with the trial."""
        argv = kube_proxy.argv()
        output = self.lab.execute(self.entry, argv, timeout_seconds=_ASK_SECONDS)
        told = kube_proxy.parse(output)
        if told.version is None:
            raise ToolError(
                say("tool_no_version", tool=kube_proxy.TOOL_NAME, said=output.stdout[:80])
            )
        recorder.keep(kube_proxy.TOOL_NAME, told.version, self.entry, argv, output)
        return told
