"""CPU and memory of the nodes over a trial, read at its start, its end and at 1 Hz in between."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from podmeter.domain.errors import LabError, ToolError
from podmeter.domain.measurement import Direction, MetricDefinition, Series, Unit
from podmeter.domain.messages import say
from podmeter.drivers import proc

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from podmeter.domain.ports import BackgroundCommand, Lab, Place
    from podmeter.experiments.recording import Recorder

#: A busier node than this before a trial is worth a warning.
BUSY_RATIO = 0.3
#: A trial of whose CPU time more than this was stolen is worth one as well.
STOLEN_RATIO = 0.02
#: Between two trials, less time than this tells nothing about how busy a node is.
_LEAST_IDLE_SECONDS = 0.2

NODE_CPU = MetricDefinition(
    name="node_cpu",
    unit=Unit.RATIO,
    direction=Direction.LOWER,
    description="Share of all CPUs of a node that it used over the trial; by role of the node.",
)
NODE_CPU_STOLEN = MetricDefinition(
    name="node_cpu_stolen",
    unit=Unit.RATIO,
    direction=Direction.NONE,
    description="Share of all CPUs of a node that the host of its virtual machine gave to others "
    "over the trial; by role.",
)
NODE_MEMORY = MetricDefinition(
    name="node_memory",
    unit=Unit.BYTES,
    direction=Direction.LOWER,
    description="Memory of a node that was not available, the most of all samples; by role.",
)
METRICS = (NODE_CPU, NODE_CPU_STOLEN, NODE_MEMORY)


def _samples(sampler: BackgroundCommand) -> tuple[proc.Sample, ...]:
    return proc.parse_samples(sampler.finish(timeout_seconds=10))


class UsageSampler:
    """Samples the nodes of a block's trials and remembers how busy they were in between."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._latest: dict[str, proc.Sample] = {}

    @contextmanager
    def over(self, recorder: Recorder, roles: Mapping[str, Place]) -> Iterator[None]:
        """Sample while the body runs. `roles` maps a role to any pod on the node that has it.

        Two roles on one node are sampled once. A node whose samples do not arrive whole has no
        measurement and a warning: the trial itself is none the worse.
        """
        by_node = {place.node: place for place in roles.values() if place.node is not None}
        if not by_node:
            yield
            return
        with ThreadPoolExecutor(len(by_node)) as pool, ExitStack() as stack:

            def begun(place: Place) -> BackgroundCommand:
                sampler = self._lab.background(place, proc.SAMPLER_ARGV)
                return stack.enter_context(sampler)

            # On all nodes at the same time, so that they are sampled over the same time.
            samplers = list(pool.map(begun, by_node.values()))
            yield
            finished = [pool.submit(_samples, sampler) for sampler in samplers]
            for node, told in zip(by_node, finished, strict=True):
                mine = [role for role, place in roles.items() if place.node == node]
                try:
                    samples = told.result()
                except (LabError, ToolError) as error:
                    recorder.warnings.append(say("usage_unknown", node=node, error=error.said))
                    continue
                self._record(recorder, node, mine, samples)

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
        offsets = tuple(sample.uptime - first.uptime for sample in samples)
        pairs = [
            (offset, proc.cpu_ratio(earlier, later))
            for offset, earlier, later in zip(offsets[1:], samples, samples[1:], strict=False)
        ]
        known = [(offset, ratio) for offset, ratio in pairs if ratio is not None]
        memory = tuple(float(sample.memory_used) for sample in samples)
        for role in roles:
            recorder.measure(NODE_CPU.name, proc.cpu_ratio(first, last), role)
            recorder.measure(NODE_CPU_STOLEN.name, stolen, role)
            recorder.measure(NODE_MEMORY.name, max(memory), role)
            recorder.series.append(Series(NODE_MEMORY.name, offsets, memory, role))
            recorder.series.append(
                Series(
                    NODE_CPU.name,
                    tuple(offset for offset, _ in known),
                    tuple(ratio for _, ratio in known),
                    role,
                )
            )
