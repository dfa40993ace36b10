"""A throughput block on a lab: its pods, its Service, its trials."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from podmeter.domain.fingerprint import Placement
from podmeter.domain.measurement import Series
from podmeter.domain.ports import PodRequest, ServiceBatch, ServiceType
from podmeter.drivers import iperf3
from podmeter.experiments.nodes import IDLE_ARGV, choose, pick, share_a_host
from podmeter.experiments.recording import Recorder, conduct
from podmeter.experiments.throughput import metrics
from podmeter.experiments.throughput.paths import CLIENT, CLIENT_HOST, ENDS, ROLES, SERVER, Path
from podmeter.experiments.usage import UsageSampler
from podmeter.experiments.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podmeter.domain.experiment import Repetition
    from podmeter.domain.planning import Block, Case, PlannedTrial
    from podmeter.domain.ports import Lab, Node, Place
    from podmeter.domain.trial import TrialReport
    from podmeter.experiments.throughput.parameters import ThroughputParameters
    from podmeter.experiments.throughput.paths import Ends

#: How long a path may take to carry its first packet, and a tool to end after its time is over.
_REACH_SECONDS = 60.0
_GRACE_SECONDS = 30.0


@contextmanager
def prepare(
    lab: Lab, parameters: ThroughputParameters, repetition: Repetition, block: Block
) -> Iterator[ThroughputBlock]:
    """Start what the block's paths need, see every path answer, and take it all away again."""
    paths = {Path(case.text("path")) for case in block.cases}
    ends = [ENDS[path] for path in Path if path in paths]
    nodes = _nodes(lab, parameters, ends)
    names = sorted({name for end in ends for name in (end.client, end.server)})
    requests = [_request(lab, name, nodes, parameters.port) for name in names]
    with ExitStack() as stack:
        places = dict(zip(names, lab.start_pods(requests), strict=True))
        stack.callback(lab.remove_pods, list(places.values()))
        addresses = {end: places[end.server].address for end in ends}
        for end in ends:
            if end.through_service:
                service = f"pm-{lab.run_label}-throughput"
                stack.callback(lab.remove_services, [service])
                addresses[end] = _service_address(lab, service, places[SERVER], parameters)
        told = lab.execute(places[ends[0].client], iperf3.VERSION_ARGV, timeout_seconds=10)
        ready = ThroughputBlock(
            lab=lab,
            parameters=parameters,
            repetition=repetition,
            nodes=nodes,
            places=places,
            addresses=addresses,
            version=iperf3.parse_version(told),
            usage=UsageSampler(lab),
        )
        ready.reach_all()
        yield ready


def _nodes(lab: Lab, parameters: ThroughputParameters, ends: list[Ends]) -> tuple[Node, Node]:
    nodes = lab.nodes()
    crossing = any(not ROLES[end.server][0] for end in ends)
    if not crossing:
        node = pick(nodes, parameters.client_node)
        return node, node
    return choose(nodes, parameters.client_node, parameters.server_node)


def _request(lab: Lab, name: str, nodes: tuple[Node, Node], port: int) -> PodRequest:
    on_client_node, access = ROLES[name]
    argv = IDLE_ARGV if name in (CLIENT, CLIENT_HOST) else iperf3.server_argv(port)
    node = nodes[0] if on_client_node else nodes[1]
    return PodRequest(f"pm-{lab.run_label}-{name}", node.name, access, argv)


def _service_address(lab: Lab, name: str, server: Place, parameters: ThroughputParameters) -> str:
    # One endpoint: iperf3's control and data connections must meet the same server.
    created = lab.create_services(
        ServiceBatch(
            names=(name,),
            type=ServiceType.CLUSTER_IP,
            port=parameters.port,
            backend_address=server.address,
            backend_port=parameters.port,
            protocols=("TCP", "UDP"),
        )
    )
    return created.services[0].cluster_ip


@dataclass(frozen=True, slots=True)
class ThroughputBlock:
    """A prepared block. `addresses` are what the client of each pair of ends connects to."""

    lab: Lab
    parameters: ThroughputParameters
    repetition: Repetition
    nodes: tuple[Node, Node]
    places: dict[str, Place]
    addresses: dict[Ends, str]
    version: str
    usage: UsageSampler

    def reach_all(self) -> None:
        """Wait until a short run over every path goes through."""
        for end, address in self.addresses.items():
            argv = iperf3.probe_argv(address, self.parameters.port)

            def reached(end: Ends = end, argv: tuple[str, ...] = argv) -> bool:
                output = self.lab.execute(self.places[end.client], argv, timeout_seconds=15)
                return iperf3.reached(output)

            until(
                self.lab,
                f"{end.server} answers {end.client} at {address}:{self.parameters.port}",
                reached,
                deadline_seconds=_REACH_SECONDS,
            )

    def placement(self, case: Case) -> Placement:
        """The nodes of both ends."""
        ends = ENDS[Path(case.text("path"))]
        server = self.places[ends.server].node or self.nodes[1].name
        return Placement(client_node=self.places[ends.client].node, server_node=server)

    def run_trial(self, trial: PlannedTrial) -> TrialReport:
        """One iperf3 run, the nodes' CPU and memory around it."""
        return conduct(self.lab, trial, lambda recorder: self._measure(recorder, trial.case))

    def _measure(self, recorder: Recorder, case: Case) -> None:
        ends = ENDS[Path(case.text("path"))]
        client, server = self.places[ends.client], self.places[ends.server]
        options = iperf3.Options(
            server=self.addresses[ends],
            port=self.parameters.port,
            protocol=cast("Literal['tcp', 'udp']", case.text("protocol")),
            seconds=self.repetition.seconds,
            streams=case.number("streams"),
            udp_bits_per_second=self.parameters.udp_bits_per_second,
            datagram_bytes=self.parameters.datagram_bytes,
        )
        recorder.facts["client"] = f"{client.name} on {client.node}"
        recorder.facts["server"] = f"{server.name} on {server.node} at {options.server}"
        recorder.facts["shared_host"] = str(share_a_host(*self.nodes)).lower()
        with self.usage.over(recorder, {"client": client, "server": server}):
            output = recorder.run_tool(
                iperf3.TOOL,
                self.version,
                client,
                iperf3.argv(options),
                timeout_seconds=options.seconds + _GRACE_SECONDS,
            )
        _record(recorder, iperf3.parse(output, options))


def _record(recorder: Recorder, answer: iperf3.Answer) -> None:
    recorder.measure(metrics.THROUGHPUT.name, answer.received_bits_per_second)
    recorder.measure(metrics.THROUGHPUT_SENT.name, answer.sent_bits_per_second)
    recorder.measure(metrics.RETRANSMITS.name, answer.retransmits)
    recorder.measure(metrics.CONGESTION_WINDOW.name, answer.max_congestion_window)
    recorder.measure(metrics.UDP_JITTER.name, answer.jitter_seconds)
    recorder.measure(metrics.UDP_LOSS.name, answer.loss_ratio)
    offsets, values = zip(*answer.series, strict=True) if answer.series else ((), ())
    recorder.series.append(Series(metrics.THROUGHPUT_SENT.name, offsets, values))
