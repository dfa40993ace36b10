"""A throughput block on a lab: an iperf3 server at each answering end, and its trials."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, cast

from podmeter.domain.errors import PodmeterError, PreconditionError, VoidTrialError
from podmeter.domain.measurement import Series
from podmeter.drivers import iperf3
from podmeter.kinds import usage
from podmeter.kinds.links import Links, set_up_links
from podmeter.kinds.path_ends import not_ours
from podmeter.kinds.paths import Path
from podmeter.kinds.recording import Recorder, run_trial_body
from podmeter.kinds.services import Servers
from podmeter.kinds.throughput import metrics
from podmeter.kinds.tools import Toolbox
from podmeter.kinds.udp import UDP_LOSS
from podmeter.kinds.usage import UsageSampler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from podmeter.domain.experiment import Repetition
    from podmeter.domain.fingerprint import Placement
    from podmeter.domain.planning import Block, Case, PlannedTrial
    from podmeter.domain.ports import CommandOutput, ExecTarget, Lab
    from podmeter.domain.trial import TrialReport
    from podmeter.kinds.throughput.parameters import ThroughputParameters

#: How long a tool may take to end after its time is over.
_GRACE_SECONDS = 30.0


@contextmanager
def prepare(
    lab: Lab, parameters: ThroughputParameters, repetition: Repetition, block: Block
) -> Iterator[ThroughputBlock]:
    """Start what the block's paths need, see every path answer, and take it all away again."""
    port = parameters.port
    servers = Servers(iperf3.server_argv(port), port, protocols=("TCP", "UDP"))
    with set_up_links(
        lab,
        block.cases,
        servers,
        client_node=parameters.client_node,
        server_node=parameters.server_node,
    ) as links:
        tools = Toolbox(lab)
        # Report a tool that is too old before anything is measured.
        tools.version(iperf3.TOOL, links.any_client)
        links.reach_all(lambda to: iperf3.probe_argv(to.address, to.port), partial(_reached, lab))
        yield ThroughputBlock(parameters, repetition, links, tools, UsageSampler(lab))


def _reached(lab: Lab, output: CommandOutput, servers: Sequence[ExecTarget]) -> bool:
    """Whether a probe went through; PreconditionError where it was not that server's."""
    cookie = iperf3.probed(output)
    if cookie is None:
        return False
    (server,) = servers
    _as_seen(lab, server, cookie, PreconditionError)
    return True


def _as_seen(
    lab: Lab, server: ExecTarget, cookie: str, unseen: type[PodmeterError]
) -> CommandOutput:
    """The run with that cookie, as the server in that place saw it.

    Raises `unseen` where it saw none: something else has answered the client, such as a server of
    the node's own or a pod whose hostPort leads there.
    """
    seen = lab.execute(server, iperf3.seen_argv(cookie), timeout_seconds=_GRACE_SECONDS)
    if not iperf3.was_seen(seen):
        raise unseen(not_ours(server))
    return seen


@dataclass(frozen=True, slots=True)
class ThroughputBlock:
    """A prepared block."""

    parameters: ThroughputParameters
    repetition: Repetition
    links: Links
    tools: Toolbox
    usage: UsageSampler

    def placement(self, case: Case) -> Placement:
        """The nodes of both ends."""
        return self.links.placement(case)

    def run_trial(self, trial: PlannedTrial) -> TrialReport:
        """One iperf3 run, the nodes' CPU and memory around it."""
        return run_trial_body(
            self.tools, trial, lambda recorder: self._measure(recorder, trial.case)
        )

    def _measure(self, recorder: Recorder, case: Case) -> None:
        path, ends = Path(case.text("path")), self.links.of(case)
        client, server = ends.client(path), ends.server(path)
        options = iperf3.Options(
            server=ends.address(path),
            port=self.parameters.port,
            protocol=cast("Literal['tcp', 'udp']", case.text("protocol")),
            seconds=self.repetition.seconds,
            streams=case.number("streams"),
            udp_bits_per_second=self.parameters.udp_bits_per_second,
            tcp_bits_per_second=self.parameters.tcp_bits_per_second,
            datagram_bytes=self.parameters.datagram_bytes,
        )
        ends.describe(recorder, path)
        with self.usage.over(recorder, {"client": client, "server": server}) as used:
            output = recorder.run_tool(
                iperf3.TOOL,
                client,
                iperf3.argv(options),
                timeout_seconds=options.seconds + _GRACE_SECONDS,
            )
        answer = iperf3.parse(output, options)
        _record(recorder, options, answer)
        used.share(recorder, usage.NODE_CPU_PER_BYTE, answer.received_bytes)
        self._record_seen(recorder, server, options, answer)

    def _record_seen(
        self, recorder: Recorder, server: ExecTarget, options: iperf3.Options, answer: iperf3.Answer
    ) -> None:
        """What the server saw of the run, which proves besides that it was this one."""
        seen = _as_seen(self.links.lab, server, answer.cookie, VoidTrialError)
        version = self.tools.version(iperf3.TOOL, server)
        recorder.keep(iperf3.TOOL.name, version, server, iperf3.seen_argv(answer.cookie), seen)
        for metric, series in (
            (metrics.THROUGHPUT, iperf3.parse_seen(seen, options, answer)),
            (metrics.THROUGHPUT_SENT, answer.sent_series),
        ):
            offsets, values = zip(*series, strict=True) if series else ((), ())
            recorder.series.append(Series(metric.name, offsets, values))


def _record(recorder: Recorder, options: iperf3.Options, answer: iperf3.Answer) -> None:
    recorder.measure(metrics.THROUGHPUT.name, answer.received_bits_per_second)
    recorder.measure(metrics.THROUGHPUT_SENT.name, answer.sent_bits_per_second)
    recorder.measure(metrics.RETRANSMITS.name, answer.retransmits)
    if answer.retransmits is not None:
        again = answer.retransmits / answer.received_bytes
        recorder.measure(metrics.RETRANSMITS_PER_BYTE.name, again)
    recorder.measure(metrics.CONGESTION_WINDOW.name, answer.max_congestion_window)
    offered = metrics.TCP_OFFERED if options.protocol == "tcp" else metrics.UDP_OFFERED
    recorder.measure(offered.name, options.offered_bits_per_second)
    recorder.measure(metrics.UDP_JITTER.name, answer.jitter_seconds)
    recorder.measure(UDP_LOSS.name, answer.loss_ratio)
