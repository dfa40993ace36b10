"""Keeping what a trial does, and turning how it ends into a report."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from podmeter.domain.errors import (
    PodmeterError,
    RunCancelledError,
    TemporaryError,
    VoidTrialError,
)
from podmeter.domain.measurement import Measurement, Series
from podmeter.domain.trial import Failure, Invocation, TrialReport, TrialStatus
from podmeter.kinds import usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from podmeter.domain.planning import PlannedTrial
    from podmeter.domain.ports import CommandOutput, CommandUsage, ExecTarget
    from podmeter.drivers.tool import Tool
    from podmeter.kinds.tools import Toolbox

#: Seconds; on a rung that stands already nothing is waited for.
_WORTH_TELLING = 0.05


class Recorder:
    """Collects a trial's commands, measurements, warnings and facts while it runs."""

    def __init__(self, tools: Toolbox) -> None:
        self.tools = tools
        self.measurements: list[Measurement] = []
        self.series: list[Series] = []
        self.invocations: list[Invocation] = []
        self.warnings: list[str] = []
        self.facts: dict[str, str] = {}
        self.tool_seconds = 0.0
        self.waited_seconds = 0.0
        self._usages: list[tuple[CommandUsage, float]] = []

    @contextmanager
    def waiting_for_the_cluster(self) -> Iterator[None]:
        """What the cluster takes until the trial can be measured: a rung that is gone to first."""
        begun = self.tools.lab.monotonic()
        yield
        self.waited_seconds += self.tools.lab.monotonic() - begun
        if self.waited_seconds >= _WORTH_TELLING:
            self.facts["way_to_rung"] = f"{self.waited_seconds:.1f} s"

    def run_tool(
        self, tool: Tool, place: ExecTarget, argv: Sequence[str], timeout_seconds: float
    ) -> CommandOutput:
        """Run the measuring tool itself; its time counts as the tool's own."""
        version = self.tools.version(tool, place)
        output = self.tools.lab.execute(place, argv, timeout_seconds=timeout_seconds)
        self.keep(tool.name, version, place, argv, output)
        self.tool_seconds += output.seconds
        self._usages.append((output.usage, output.seconds))
        return output

    def measure_tool(self) -> None:
        """Measure what the tool took of the CPU; nothing where any of its runs did not tell it."""
        seconds = sum(took for _, took in self._usages)
        if seconds <= 0:
            return
        for metric, spent in (
            (usage.TOOL_CPUS, [one.cpu_seconds for one, _ in self._usages]),
            (usage.TOOL_THROTTLED, [one.throttled_seconds for one, _ in self._usages]),
        ):
            known = [one for one in spent if one is not None]
            if len(known) == len(spent):
                self.measure(metric.name, sum(known) / seconds)

    def keep(
        self, tool: str, version: str, place: ExecTarget, argv: Sequence[str], output: CommandOutput
    ) -> None:
        """Keep a command and all it printed with the trial."""
        self.invocations.append(
            Invocation(
                tool=tool,
                version=version,
                argv=tuple(argv),
                place=place.name,
                exit_code=output.exit_code,
                stdout=output.stdout,
                stderr=output.stderr,
                seconds=output.seconds,
            )
        )

    def measure(self, metric: str, value: float | None, subject: str = "") -> None:
        """Add a measurement; what is None is undefined and adds none."""
        if value is not None:
            self.measurements.append(Measurement(metric, value, subject))


def run_trial_body(
    tools: Toolbox, trial: PlannedTrial, body: Callable[[Recorder], None]
) -> TrialReport:
    """Run a trial's body and report how it ended.

    A VoidTrialError makes it void, any other domain error failed; either way what it measured
    until then is dropped and what it ran is kept. RunCancelledError passes through, as does
    anything that is not a domain error: that is a bug, not a measurement.
    """
    recorder = Recorder(tools)
    begun = tools.lab.monotonic()
    status = TrialStatus.WARMUP if trial.warmup else TrialStatus.COUNTED
    failure = None
    try:
        body(recorder)
        recorder.measure_tool()
    except RunCancelledError:
        raise
    except PodmeterError as error:
        void = isinstance(error, VoidTrialError)
        status = TrialStatus.VOID if void else TrialStatus.FAILED
        failure = Failure(error.code, error.said, temporary=isinstance(error, TemporaryError))
    return TrialReport(
        status=status,
        measurements=tuple(recorder.measurements) if failure is None else (),
        series=tuple(recorder.series) if failure is None else (),
        invocations=tuple(recorder.invocations),
        warnings=tuple(recorder.warnings),
        facts=tuple(sorted(recorder.facts.items())),
        failure=failure,
        seconds=tools.lab.monotonic() - begun,
        tool_seconds=recorder.tool_seconds,
        waited_seconds=recorder.waited_seconds,
    )
