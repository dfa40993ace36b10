"""A toy_echo block on a lab: a server at each answering end, and its trials."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.kinds.path_ends import PathEnds, set_up_ends
from podmeter.kinds.paths import Path
from podmeter.kinds.recording import Recorder, run_trial_body
from podmeter.kinds.services import Servers
from podmeter.kinds.tools import Toolbox
from podmeter.kinds.usage import UsageSampler

from . import metrics, toyecho

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podmeter.domain.fingerprint import Placement
    from podmeter.domain.planning import Block, Case, PlannedTrial
    from podmeter.domain.ports import Lab
    from podmeter.domain.trial import TrialReport

    from .parameters import ToyEchoParameters


@contextmanager
def prepare(lab: Lab, parameters: ToyEchoParameters, block: Block) -> Iterator[ToyEchoBlock]:
    """Start what the block's paths need, see every path answer, and take it all away again."""
    port = parameters.port
    with set_up_ends(
        lab,
        {Path(case.text("path")) for case in block.cases},
        Servers(toyecho.server_argv(port), port),
        client_node=parameters.client_node,
        server_node=parameters.server_node,
    ) as ends:
        ends.reach_all(
            lambda to: toyecho.argv(to.address, to.port, 1, 1),
            lambda output, _servers: toyecho.answered(output),
        )
        yield ToyEchoBlock(parameters, ends, Toolbox(lab), UsageSampler(lab))


@dataclass(frozen=True, slots=True)
class ToyEchoBlock:
    """A prepared block."""

    parameters: ToyEchoParameters
    ends: PathEnds
    tools: Toolbox
    usage: UsageSampler

    def placement(self, case: Case) -> Placement:
        """The nodes of both ends."""
        return self.ends.placement(Path(case.text("path")))

    def run_trial(self, trial: PlannedTrial) -> TrialReport:
        """One toyecho run, the nodes' CPU and memory around it."""
        return run_trial_body(
            self.tools, trial, lambda recorder: self._measure(recorder, trial.case)
        )

    def _measure(self, recorder: Recorder, case: Case) -> None:
        path = Path(case.text("path"))
        client, server = self.ends.client(path), self.ends.server(path)
        self.ends.describe(recorder, path)
        argv = toyecho.argv(
            self.ends.address(path),
            self.parameters.port,
            case.number("size"),
            self.parameters.echoes,
        )
        with self.usage.over(recorder, {"client": client, "server": server}):
            output = recorder.run_tool(toyecho.TOOL, client, argv, timeout_seconds=30)
        answer = toyecho.parse(output)
        recorder.measure(metrics.ECHO_RATE.name, answer.echoes_per_second)
        recorder.measure(metrics.ECHO_COST.name, answer.cpu_seconds_per_byte)
