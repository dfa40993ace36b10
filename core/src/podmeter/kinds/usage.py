"""CPU and memory of the nodes over a trial, read at its start, its end and at 1 Hz in between."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.errors import LabError, ToolError
from podmeter.domain.measurement import Direction, MetricDefinition, Series, Unit
from podmeter.domain.messages import say
from podmeter.drivers import proc

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from podmeter.domain.ports import BackgroundCommand, ExecTarget, Lab
    from podmeter.kinds.recording import Recorder

#: A busier node than this before a trial is worth a warning.
BUSY_RATIO = 0.3
#: A trial of whose CPU time more than this was stolen is worth one as well.
STOLEN_RATIO = 0.02
#: A shorter window than this is known to fewer than 50 ticks, so to no better than 2 %.
LEAST_WINDOW_SECONDS = 0.5
#: Between two trials, less time than this tells nothing about how busy a node is.
_LEAST_IDLE_SECONDS = 0.2

NODE_CPU = MetricDefinition(
    name="node_cpu",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    noise=0.01,
    cost=True,
)
NODE_CPU_PER_BYTE = MetricDefinition(
    name="node_cpu_per_byte",
    unit=Unit.SECONDS_PER_BYTE,
    direction=Direction.LOWER,
)
NODE_CPU_PER_REQUEST = MetricDefinition(
    name="node_cpu_per_request",
    unit=Unit.SECONDS,
    direction=Direction.LOWER,
)
NODE_CPU_STOLEN = MetricDefinition(
    name="node_cpu_stolen",
    unit=Unit.RATIO,
    direction=Direction.NONE,
)
NODE_MEMORY = MetricDefinition(
    name="node_memory",
    unit=Unit.BYTES,
    direction=Direction.LOWER,
    noise=8 * 2**20,
    cost=True,
)
NODE_MEMORY_SHARE = MetricDefinition(
    name="node_memory_share",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    noise=0.005,
)
METRICS = (NODE_CPU, NODE_CPU_STOLEN, NODE_MEMORY, NODE_MEMORY_SHARE)

NODE_CPUS = MetricDefinition(
    name="node_cpus",
    unit=Unit.COUNT,
    direction=Direction.NONE,
)
TOOL_CPUS = MetricDefinition(
    name="tool_cpus",
    unit=Unit.COUNT,
    direction=Direction.NONE,
)
TOOL_THROTTLED = MetricDefinition(
    name="tool_throttled",
    unit=Unit.RATIO,
    direction=Direction.NONE,
)
SERVER_CPUS = MetricDefinition(
    name="server_cpus",
    unit=Unit.COUNT,
    direction=Direction.NONE,
)
SERVER_THROTTLED = MetricDefinition(
    name="server_throttled",
    unit=Unit.RATIO,
    direction=Direction.NONE,
)
#: What says which part of the path was at its limit (`limits`); measured where it is counted.
COUNTERS = (NODE_CPUS, TOOL_CPUS, TOOL_THROTTLED, SERVER_CPUS, SERVER_THROTTLED)
#: The role of the end whose pod is sampled for its own CPU time.
_SERVER = "server"


def _samples(sampler: BackgroundCommand) -> tuple[proc.Sample, ...]:
    return proc.parse_samples(sampler.finish(timeout_seconds=10))


@dataclass
class Usage:
    """What a sampled trial used: seconds of CPU by role, known once it is over."""

    cpu_seconds: dict[str, float] = field(default_factory=dict)

    def share(self, recorder: Recorder, metric: MetricDefinition, among: float) -> None:
        """Measure what each of so many (bytes, requests) cost."""
        for role, seconds in self.cpu_seconds.items():
            recorder.measure(metric.name, seconds / among, role)


class UsageSampler:
    """Samples the nodes of a block's trials and remembers how busy they were in between."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._latest: dict[str, proc.Sample] = {}
        boots = {node.name: node.boot_id for node in lab.nodes()}
        machines = Counter(boots.values())
        # Nodes with one boot id are one machine: each sees the load of all of them.
        self._alone = {name for name, boot in boots.items() if machines[boot] == 1}

    @contextmanager
    def over(
        self, recorder: Recorder, roles: Mapping[str, ExecTarget], *, load: bool = True
    ) -> Iterator[Usage]:
        """Sample while the body runs. `roles` maps a role to a pod on the node that has it.

        The server's is its own pod, of which the CPU time is measured too; any other's may be any.
        Two roles on one node are sampled once. A node whose samples do not arrive whole has no
        measurement and a warning: the trial itself is none the worse. So has one whose window is
        too short for the ticks that CPU is counted in; where the body is no `load`, but single
        requests one after another, CPU is not measured at all.
        """
        used = Usage()
        by_node = {place.node: place for place in roles.values() if place.node is not None}
        if not by_node:
            yield used
            return
        with ThreadPoolExecutor(len(by_node)) as pool, ExitStack() as stack:

            def begun(place: ExecTarget) -> BackgroundCommand:
                sampler = self._lab.background(place, proc.SAMPLER_ARGV)
                return stack.enter_context(sampler)

            # On all nodes at the same time, so that they are sampled over the same time.
            samplers = list(pool.map(begun, by_node.values()))
            yield used
            finished = [pool.submit(_samples, sampler) for sampler in samplers]
            for node, told in zip(by_node, finished, strict=True):
                mine = [role for role, place in roles.items() if place.node == node]
                try:
                    samples = told.result()
                except (LabError, ToolError) as error:
                    recorder.warnings.append(say("usage_unknown", node=node, error=error.said))
                    continue
                self._record(recorder, node, mine, samples)
                if load:
                    _record_cpu(recorder, used, node, mine, samples)
                    self._record_limits(recorder, mine, samples, node)

    def _record(
        self, recorder: Recorder, node: str, roles: list[str], samples: tuple[proc.Sample, ...]
    ) -> None:
        first, last = samples[0], samples[-1]
        before = self._latest.get(node)
        if before is not None and first.uptime - before.uptime >= _LEAST_IDLE_SECONDS:
            idle = proc.cpu_ratio(before, first)
            if idle is not None and idle > BUSY_RATIO:
                recorder.warnings.append(say("node_was_busy", node=node, percent=round(100 * idle)))
        self._latest[node] = last
        stolen = proc.stolen_ratio(first, last)
        if stolen is not None and stolen > STOLEN_RATIO:
            percent = round(100 * stolen)
            recorder.warnings.append(say("node_was_stolen", node=node, percent=percent))
        memory = tuple(float(sample.memory_used) for sample in samples)
        share = max(sample.memory_used / sample.memory_total for sample in samples)
        for role in roles:
            recorder.measure(NODE_CPU_STOLEN.name, stolen, role)
            recorder.measure(NODE_MEMORY.name, max(memory), role)
            recorder.measure(NODE_MEMORY_SHARE.name, share, role)
            recorder.series.append(Series(NODE_MEMORY.name, _offsets(samples), memory, role))

    def _record_limits(
        self, recorder: Recorder, roles: list[str], samples: tuple[proc.Sample, ...], node: str
    ) -> None:
        first, last = samples[0], samples[-1]
        window = last.uptime - first.uptime
        if window < LEAST_WINDOW_SECONDS:
            return
        if node in self._alone:
            for role in roles:
                recorder.measure(NODE_CPUS.name, proc.cpu_count(first, last), role)
        # Of two roles on one node the last one's pod is sampled.
        if roles[-1] != _SERVER or first.pod is None or last.pod is None:
            return
        recorder.measure(SERVER_CPUS.name, (last.pod.used - first.pod.used) / window)
        before, after = first.pod.throttled, last.pod.throttled
        if before is not None and after is not None:
            recorder.measure(SERVER_THROTTLED.name, (after - before) / window)


def _record_cpu(
    recorder: Recorder,
    used: Usage,
    node: str,
    roles: list[str],
    samples: tuple[proc.Sample, ...],
) -> None:
    first, last = samples[0], samples[-1]
    if (window := last.uptime - first.uptime) < LEAST_WINDOW_SECONDS:
        ticks = round(window / proc.TICK_SECONDS)
        said = say("usage_window_short", node=node, seconds=f"{window:.2f}", ticks=ticks)
        recorder.warnings.append(said)
    pairs = zip(_offsets(samples)[1:], samples, samples[1:], strict=False)
    shares = [(offset, proc.cpu_ratio(earlier, later)) for offset, earlier, later in pairs]
    known = [(offset, ratio) for offset, ratio in shares if ratio is not None]
    for role in roles:
        used.cpu_seconds[role] = proc.cpu_seconds(first, last)
        recorder.measure(NODE_CPU.name, proc.cpu_ratio(first, last), role)
        offsets, ratios = zip(*known, strict=True) if known else ((), ())
        recorder.series.append(Series(NODE_CPU.name, offsets, ratios, role))


def _offsets(samples: tuple[proc.Sample, ...]) -> tuple[float, ...]:
    return tuple(sample.uptime - samples[0].uptime for sample in samples)
