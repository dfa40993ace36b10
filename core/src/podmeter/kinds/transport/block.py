"""A transport block on a lab: a qperf server at each answering end, and its trials."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from podmeter.domain.errors import (
    ConvergenceError,
    LabError,
    PreconditionError,
    ToolError,
    VoidTrialError,
)
from podmeter.domain.messages import say
from podmeter.drivers import datagrams, qperf
from podmeter.drivers.qperf_text import CONF
from podmeter.kinds import udp, usage
from podmeter.kinds.links import Links, set_up_links
from podmeter.kinds.path_ends import not_ours
from podmeter.kinds.paths import Path
from podmeter.kinds.recording import Recorder, run_trial_body
from podmeter.kinds.replicas import (
    REPLICA_EXCESS,
    Replicas,
    record_split,
    set_up_replicas,
)
from podmeter.kinds.services import Destination, Servers
from podmeter.kinds.tools import Toolbox
from podmeter.kinds.transport import metrics
from podmeter.kinds.transport.identity import Identity
from podmeter.kinds.usage import UsageSampler

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from podmeter.domain.fingerprint import Placement
    from podmeter.domain.planning import Block, Case, PlannedTrial
    from podmeter.domain.ports import BackgroundCommand, CommandOutput, ExecTarget, Lab
    from podmeter.domain.trial import TrialReport
    from podmeter.kinds.path_ends import PathEnds
    from podmeter.kinds.transport.parameters import TransportParameters

#: How long qperf may take to end after its time is over, and anything else to answer.
_GRACE_SECONDS = 30.0
#: Of how much of a test of UDP's latency nothing need have been sent: the nodes are checked 20
#: times a second, late where they are busy.
_UNWATCHED_SECONDS = 0.2


@contextmanager
def prepare(lab: Lab, parameters: TransportParameters, block: Block) -> Iterator[TransportBlock]:
    """Start what the block's paths need, see every path answer, and take it all away again."""
    port = parameters.listen_port
    servers = Servers(
        qperf.server_argv(port),
        port,
        protocols=("TCP", "UDP"),
        further_ports=(parameters.data_port,),
    )
    with ExitStack() as stack:
        links = stack.enter_context(
            set_up_links(
                lab,
                block.cases,
                servers,
                client_node=parameters.client_node,
                server_node=parameters.server_node,
            )
        )
        alone = links.alone
        tools = Toolbox(lab)
        tools.version(qperf.TOOL, links.any_client)
        replicas = Replicas((), "", port)
        if alone is not None and any(case.text("qperf_test") == CONF for case in block.cases):
            replicas = stack.enter_context(set_up_replicas(alone, servers, parameters.replicas))
        identity = Identity(lab, port)
        hosts = {place.name: identity.awaited(place) for place in replicas.places}
        for place in links.servers:
            try:
                hosts[place.name] = identity.awaited(place)
            except (PreconditionError, ConvergenceError, LabError, ToolError) as error:
                links.give_up(place, error)

        def asked(to: Destination) -> tuple[str, ...]:
            return qperf.conf_argv(to.address, to.port, wait_seconds=1)

        def reached(output: CommandOutput, servers: Sequence[ExecTarget]) -> bool:
            host = qperf.answered(output)
            if host not in (None, *(hosts[server.name] for server in servers)):
                raise PreconditionError(not_ours(servers[0]))
            return host is not None

        links.reach_all(asked, reached)
        if alone is not None:
            replicas.reach_all(alone, asked, lambda output: qperf.answered(output) is not None)
        yield TransportBlock(parameters, links, replicas, identity, hosts, tools, UsageSampler(lab))


@dataclass(frozen=True, slots=True)
class TransportBlock:
    """A prepared block. `hosts` are the names by which its servers answer, by their pods' names.

    `replicas` are those behind the Service whose connections are counted, where any are.
    """

    parameters: TransportParameters
    links: Links
    replicas: Replicas
    identity: Identity
    hosts: Mapping[str, str]
    tools: Toolbox
    usage: UsageSampler

    def placement(self, case: Case) -> Placement:
        """The nodes of both ends."""
        return self.links.placement(case)

    def run_trial(self, trial: PlannedTrial) -> TrialReport:
        """One run of qperf, the nodes' CPU and memory around it."""

        def body(recorder: Recorder) -> None:
            path, test = Path(trial.case.text("path")), trial.case.text("qperf_test")
            ends = self.links.of(trial.case)
            ends.describe(recorder, path)
            counts = test == CONF
            try:
                if counts:
                    self._count_replicas(recorder, ends.client(path))
                else:
                    self._measure(recorder, ends, path, cast("qperf.Transfer", test))
            except (LabError, ToolError):
                self._revive(self.replicas.places if counts else (ends.server(path),))
                raise

        return run_trial_body(self.tools, trial, body)

    def _measure(
        self, recorder: Recorder, ends: PathEnds, path: Path, test: qperf.Transfer
    ) -> None:
        client, server = ends.client(path), ends.server(path)
        options = qperf.Options(
            server=ends.address(path),
            port=self.parameters.listen_port,
            data_port=self.parameters.data_port,
            test=test,
            message_bytes=self.parameters.bytes_of(test),
            seconds=self.parameters.seconds_of(test),
        )
        with self.usage.over(recorder, {"client": client, "server": server}) as used:
            answer = self._answer(recorder, client, options)
        if not answer.server_host == self.identity.now(server) == self.hosts[server.name]:
            raise VoidTrialError(not_ours(server))
        recorder.facts["answered"] = server.name
        _record(recorder, answer)
        if answer.received_bytes is not None:
            used.share(recorder, usage.NODE_CPU_PER_BYTE, answer.received_bytes)

    def _answer(
        self, recorder: Recorder, client: ExecTarget, options: qperf.Options
    ) -> qperf.Answer:
        """What qperf measured; datagrams that answer each other are watched meanwhile."""
        with ExitStack() as stack:
            watch: BackgroundCommand | None = None
            if options.test == "udp_lat":
                watch = stack.enter_context(self._lab.background(client, datagrams.WATCH_ARGV))
            output = recorder.run_tool(
                qperf.TOOL,
                client,
                qperf.argv(options),
                timeout_seconds=options.seconds + _GRACE_SECONDS,
            )
            answer = qperf.parse(output, options)
            if watch is not None:
                went_on = datagrams.parse_watch(watch.finish(timeout_seconds=_GRACE_SECONDS))
                if went_on < options.seconds - _UNWATCHED_SECONDS:
                    said = f"{went_on:.2f}"
                    raise VoidTrialError(say("datagram_lost", seconds=said, asked=options.seconds))
        return answer

    def _count_replicas(self, recorder: Recorder, client: ExecTarget) -> None:
        """Who answers connections over a Service, and how evenly they are spread."""
        times = self.parameters.connections
        argv = qperf.conf_argv(self.replicas.address, self.parameters.listen_port, times)
        output = recorder.run_tool(qperf.TOOL, client, argv, timeout_seconds=times + _GRACE_SECONDS)
        answered = qperf.parse_conf(output, times)
        places = self.replicas.places
        recorder.facts["server"] = (
            f"{len(places)} replicas on {places[0].node} at {self.replicas.address}"
        )
        excess = record_split(
            recorder, {one.name: self.hosts[one.name] for one in places}, answered
        )
        recorder.measure(REPLICA_EXCESS.name, excess)

    @property
    def _lab(self) -> Lab:
        return self.links.lab

    def _revive(self, servers: Iterable[ExecTarget]) -> None:
        """End what may be waiting for a client that is gone; each starts again."""
        for server in servers:
            with suppress(LabError):
                self._lab.execute(server, qperf.REVIVE_ARGV, timeout_seconds=_GRACE_SECONDS)


def _record(recorder: Recorder, answer: qperf.Answer) -> None:
    for metric, value in (
        (metrics.BANDWIDTH, answer.received_bits_per_second),
        (metrics.BANDWIDTH_SENT, answer.sent_bits_per_second),
        (udp.UDP_LOSS, answer.loss_ratio),
        (metrics.MESSAGE_LATENCY, answer.latency_seconds),
        (metrics.MESSAGE_RATE, answer.messages_per_second),
        (metrics.SEND_COST, answer.send_seconds_per_byte),
        (metrics.RECEIVE_COST, answer.receive_seconds_per_byte),
    ):
        recorder.measure(metric.name, value)
    recorder.measure(metrics.CPUS_USED.name, answer.client_cpus, "client")
    recorder.measure(metrics.CPUS_USED.name, answer.server_cpus, "server")
