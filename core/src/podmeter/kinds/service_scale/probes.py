"""One trial of each probe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from podmeter.domain.errors import VoidTrialError
from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.ports import ModeSwitch, ServiceType
from podmeter.drivers import ab, curl
from podmeter.drivers.netfilter import change
from podmeter.drivers.netfilter.backend import Backend, tool_of
from podmeter.kinds import request_times, switching, usage
from podmeter.kinds.convergence import RESOLUTION
from podmeter.kinds.service_scale import metrics
from podmeter.kinds.service_scale.axes import Client, Probe, Target
from podmeter.kinds.service_scale.creating import CreatedFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from podmeter.domain.planning import Case
    from podmeter.domain.ports import CommandOutput, ExecTarget, Lab
    from podmeter.drivers.tool import Tool
    from podmeter.kinds.recording import Recorder
    from podmeter.kinds.service_scale.guard import Guard
    from podmeter.kinds.service_scale.kernel import Kernel
    from podmeter.kinds.service_scale.ladder import Ladder, LadderAscent
    from podmeter.kinds.service_scale.parameters import ServiceScaleParameters
    from podmeter.kinds.service_scale.syncs import ProxySyncs
    from podmeter.kinds.tools import Toolbox
    from podmeter.kinds.usage import Usage, UsageSampler

_TOOL_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Probes:
    """What all probes need.

    `clients` are by value of the axis `client`; `rungs` ascend; `modes` are those of kube-proxy
    that the run switches between.
    """

    lab: Lab
    kernel: Kernel
    ladder: Ladder
    guard: Guard
    parameters: ServiceScaleParameters
    clients: Mapping[Client, ExecTarget]
    entry: ExecTarget
    tools: Toolbox
    rungs: tuple[int, ...]
    modes: tuple[str, ...]
    usage: UsageSampler
    syncs: ProxySyncs

    def run(self, recorder: Recorder, case: Case) -> None:
        """Measure the case once; raises what makes the trial failed or void."""
        probe = Probe(case.text("probe"))
        type_, height = ServiceType(case.text("service_type")), case.number("services")
        recorder.facts["backend"] = self.kernel.backend
        if probe is Probe.CLIMB:
            self._climb(recorder, type_, height)
            return
        with recorder.waiting_for_the_cluster():
            climb = self.ladder.reach(type_, height)
        if climb is not None:
            _note_created(recorder, climb)
        if probe is Probe.RULE_CHANGE:
            self._change_rule(recorder)
        elif probe is Probe.SERVICE_READY:
            ready, gone = self.ladder.time_one_more()
            recorder.tool_seconds += ready.seconds + gone.seconds
            for metric, value in (
                (metrics.SERVICE_READY, ready.seconds),
                (metrics.SERVICE_CONVERGENCE, ready.without_api),
                (RESOLUTION, ready.resolution),
                (metrics.SERVICE_GONE, gone.seconds),
                (metrics.SERVICE_REMOVAL, gone.without_api),
                (metrics.REMOVAL_RESOLUTION, gone.resolution),
            ):
                recorder.measure(metric.name, value)
        elif probe is Probe.MODE_SWITCH:
            self._switch(recorder, self._mode_of(case, height))
        elif probe is Probe.INCREMENTAL_SYNC:
            self.syncs.measure_incremental(recorder, self.ladder)
        elif probe is Probe.FULL_SYNC:
            self.syncs.measure_full(recorder, self.ladder, self._mode_of(case, height))
        elif probe is Probe.LATENCY:
            self._latency(recorder, case)
        else:
            self._qps(recorder, case, keepalive=probe is Probe.QPS_KEEPALIVE)

    def _climb(self, recorder: Recorder, type_: ServiceType, height: int) -> None:
        # From the rung below, also when a single rung is tried again: only then is it the
        # same climb.
        below = max((rung for rung in self.rungs if rung < height), default=0)
        with recorder.waiting_for_the_cluster():
            self.ladder.reach(type_, below)
        with self._sampled(recorder, self.entry):
            climb = self.ladder.reach(type_, height)
        if climb is None:
            raise VoidTrialError(say("rung_stood", height=height))
        took = climb.convergence
        recorder.tool_seconds += took.seconds
        _note_created(recorder, climb)
        recorder.measure(metrics.CONVERGENCE.name, took.seconds)
        recorder.measure(metrics.RULES_CONVERGENCE.name, took.without_api)
        recorder.measure(RESOLUTION.name, took.resolution)
        if climb.create_seconds > 0:
            recorder.measure(metrics.CREATE_RATE.name, climb.created / climb.create_seconds)
        recorder.measure(metrics.SERVICES_TOTAL.name, climb.services_total)
        nodes = [place.node for place in self.kernel.places]
        for metric, counts in self.kernel.sizes(height).items():
            each = zip(nodes, counts, strict=True)
            recorder.facts[metric] = ", ".join(f"{node}: {count}" for node, count in each)
            recorder.measure(metric, min(counts), "least")
            recorder.measure(metric, max(counts), "most")

    def _mode_of(self, case: Case, height: int) -> ModeSwitch:
        """The block's own mode, set up again on this rung."""
        address, port = self.ladder.last.service.cluster_ip, self.ladder.last.port.number
        return ModeSwitch(
            axis=KUBE_PROXY_MODE,
            value=case.text(KUBE_PROXY_MODE),
            services=(f"{address}:{port}",),
            added=height,
            patience_seconds=self.parameters.convergence_seconds,
        )

    def _switch(self, recorder: Recorder, back: ModeSwitch) -> None:
        """Away from the block's mode and back; the way back is what is measured.

        Where the run has no other mode kube-proxy is restarted in this one.
        """
        others = [one for one in self.modes if one != back.value]
        for other in others[:1]:
            recorder.facts["switched_from"] = other
            self.lab.switch_mode(replace(back, value=other))
        begun = self.lab.monotonic()
        switched, watches = self.lab.switch_mode(back)
        recorder.tool_seconds += self.lab.monotonic() - begun
        self.ladder.set_up_anew()
        switching.record(recorder, switched, watches)

    def _change_rule(self, recorder: Recorder) -> None:
        times = self.parameters.rule_changes
        comment = f"podmeter/{self.lab.run_label}"
        argv = self.kernel.change_argv(comment, self.ladder.first, times)
        tool = tool_of(self.kernel.backend)
        output, _ = self._run(recorder, tool, self.entry, argv, load=False)
        changes = change.parse(output, times)
        recorder.measure(metrics.RULE_ADD.name, fmean(one.add for one in changes))
        recorder.measure(metrics.RULE_DELETE.name, fmean(one.delete for one in changes))
        if self.kernel.backend is Backend.IPTABLES_LEGACY:
            waits = [wait for one in changes for wait in one.lock_waits]
            recorder.measure(metrics.LOCK_WAIT.name, fmean(waits))

    def _qps(self, recorder: Recorder, case: Case, *, keepalive: bool) -> None:
        requests, concurrency = self.parameters.requests_of(keepalive), self.parameters.concurrency
        body_bytes = self.parameters.body_bytes

        def measure(url: str, client: ExecTarget) -> None:
            options = ab.Options(url, requests, concurrency, keepalive, body_bytes)
            output, used = self._run(recorder, ab.TOOL, client, ab.argv(options), load=True)
            answer = ab.parse(output, options)
            recorder.measure(metrics.QPS.name, answer.requests_per_second)
            recorder.measure(metrics.REQUEST_MEAN.name, answer.mean_seconds)
            used.share(recorder, usage.NODE_CPU_PER_REQUEST, requests)

        self._guarded(recorder, case, concurrency if keepalive else requests, measure)

    def _latency(self, recorder: Recorder, case: Case) -> None:
        count = self.parameters.latency_requests

        def measure(url: str, client: ExecTarget) -> None:
            options = curl.Options(url, count, body_bytes=self.parameters.body_bytes)
            output, _ = self._run(recorder, curl.TOOL, client, curl.argv(options), load=False)
            request_times.record(recorder, curl.parse(output, options))

        self._guarded(recorder, case, count + 1, measure)

    def _guarded(
        self,
        recorder: Recorder,
        case: Case,
        connections: int,
        measure: Callable[[str, ExecTarget], None],
    ) -> None:
        """Measure a target between two looks at what could spoil it."""
        which = Target(case.text("target"))
        before = self.guard.before()
        recorder.warnings += self.guard.blind_spots(before)
        asked = self.guard.target(before, which)
        self.guard.room_for(before, connections)
        recorder.facts["service"] = f"{asked.name} at {asked.url}"
        if not asked.of_service:
            recorder.facts["position"] = "not applicable: no Service is asked"
        elif before.chain is not None and asked.position is not None:
            recorder.facts["position"] = f"{asked.position.number} of {before.chain.rules} rules"
        else:
            recorder.facts["position"] = "not applicable: looked up in a map"
        try:
            measure(asked.url, self.clients[Client(case.text("client"))])
        finally:
            after = self.guard.after(asked)
        self.guard.unchanged(before, after, which, connections)

    def _run(
        self,
        recorder: Recorder,
        tool: Tool,
        place: ExecTarget,
        argv: tuple[str, ...],
        *,
        load: bool,
    ) -> tuple[CommandOutput, Usage]:
        with self._sampled(recorder, place, load=load) as used:
            output = recorder.run_tool(tool, place, argv, _TOOL_SECONDS)
        return output, used

    def _sampled(
        self, recorder: Recorder, place: ExecTarget, *, load: bool = True
    ) -> AbstractContextManager[Usage]:
        """Sample both nodes. A client outside has none: then the entry only carries its packets."""
        entry = "client" if place.node is not None else "entry"
        roles = {entry: self.entry, "server": self.guard.backend}
        return self.usage.over(recorder, roles, load=load)


def _note_created(recorder: Recorder, climb: LadderAscent) -> None:
    """Which Services the rung added, and how long the API server took for them."""
    recorder.facts |= CreatedFacts(
        services=climb.created,
        before=climb.services_before,
        ports=climb.ports,
        seconds=climb.create_seconds,
    ).written
