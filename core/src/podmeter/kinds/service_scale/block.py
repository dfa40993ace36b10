"""A service_scale block on a lab: what it needs, checked first, then started."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.fingerprint import Placement
from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.ports import Access, LogLevel, PodRequest, ServiceType
from podmeter.drivers import ab, curl, nginx, route
from podmeter.drivers.netfilter import backend as backends
from podmeter.kinds.nodes import (
    IDLE_ARGV,
    choose_end_nodes,
    choose_seats,
    node_by_name,
    share_a_host,
)
from podmeter.kinds.recording import Recorder, run_trial_body
from podmeter.kinds.service_scale.axes import Client, Probe
from podmeter.kinds.service_scale.guard import Guard
from podmeter.kinds.service_scale.kernel import Proved, observe
from podmeter.kinds.service_scale.ladder import BACKEND_PORT, Ladder
from podmeter.kinds.service_scale.probes import Probes
from podmeter.kinds.service_scale.syncs import ProxySyncs
from podmeter.kinds.tools import Toolbox
from podmeter.kinds.usage import UsageSampler
from podmeter.kinds.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from podmeter.domain.planning import Block, Case, PlannedTrial
    from podmeter.domain.ports import ExecTarget, Lab, Node
    from podmeter.domain.trial import TrialReport
    from podmeter.drivers.route import PacketRoute
    from podmeter.kinds.service_scale.kernel import Kernel
    from podmeter.kinds.service_scale.layout import Layout
    from podmeter.kinds.service_scale.parameters import ServiceScaleParameters

_ASK_SECONDS = 30.0
_START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ServiceScaleBlock:
    """A prepared block.

    Where modes are side by side, `seats` are the pairs of nodes that the rounds are on in turn.
    """

    probes: Probes
    nodes: tuple[Node, Node]
    #: From the client's pod to the backend's, and from the client's node.
    way: PacketRoute
    node_way: PacketRoute
    #: The kernels that are proved before each trial to have the modes that they are to have.
    proved: Proved | None = None
    seats: tuple[tuple[Node, Node], ...] = ()

    def placement(self, case: Case) -> Placement:
        """The client's node, None outside, and the backend's.

        Side by side a case has no nodes of its own: all that it comes to are named.
        """
        outside = case.get("client") == Client.OUTSIDE
        clients, servers = (
            ", ".join(node.name for node in nodes)
            for nodes in zip(*(self.seats or [self.nodes]), strict=True)
        )
        return Placement(
            client_node=None if outside else clients,
            server_node=servers,
            nic=None if outside else self.node_way.nic,
        )

    def run_trial(self, trial: PlannedTrial) -> TrialReport:
        """One trial on its rung, which is climbed to first where it does not stand."""

        def body(recorder: Recorder) -> None:
            recorder.facts["shared_host"] = str(share_a_host(*self.nodes)).lower()
            if self.proved is not None:
                recorder.facts["node_modes"] = self.proved.now()
            if trial.case.get("client") != Client.OUTSIDE:
                recorder.facts["route"] = self.way.said
                recorder.facts["node_route"] = self.node_way.said
            self.probes.run(recorder, trial.case)

        return run_trial_body(self.probes.tools, trial, body)


@contextmanager
def prepare(
    lab: Lab,
    parameters: ServiceScaleParameters,
    layout: Layout,
    modes: tuple[str, ...],
    block: Block,
    *,
    climbs_once: bool,
) -> Iterator[ServiceScaleBlock]:
    """Check that there is room, start the pods, find the backend; take it all away again.

    `modes` are those of kube-proxy that the run switches between. Where the run `climbs_once`,
    backends and Services of the block before are taken as they are, and left to the next block
    unless this one fails. Each block has a client of its own: what all blocks share is no evidence
    of more than that. Backends stay, since their addresses are in the Services. Side by side the
    client and a backend are on the two nodes that have the block's mode.
    """
    seats = choose_seats(lab.end_nodes(), layout.backends) if block.seating else ()
    nodes = seats[block.seat] if seats else _client_and_backend(lab, parameters, block)
    outside = _outside(lab, block)
    ports = _check_room(lab, block, layout)
    # The rules have to stand on every node before a rung counts as reached.
    hosts = lab.node_shells()
    with ExitStack() as stack:
        servers = [server for _, server in seats or (nodes,)]
        requests = _requests(lab, parameters, nodes[0], servers)
        places = lab.keep_pods(requests) if climbs_once else lab.start_pods(requests)
        stack.callback(lab.remove_pods, places)
        client, *answering = places
        own = block.seat if seats else 0
        backend = answering[own]
        by_node = {place.node: place for place in hosts}
        entry, backend_host = by_node[nodes[0].name], by_node[nodes[1].name]
        wanted = _modes_by_node(block, seats)
        proved = None
        if seats:
            in_modes = tuple((by_node[node], mode) for node, mode in wanted.items())
            proved = Proved(lab, in_modes, ports)
        kernels = _kernels(lab, block, hosts, nodes[0], wanted, ports)
        kernel = kernels[0]
        ladder = Ladder(
            lab,
            kernels,
            client,
            entry,
            answering,
            parameters.convergence_seconds,
            layout=layout,
            own=own,
            gentle=all(case.get("probe") != Probe.CLIMB for case in block.cases),
        )
        stack.callback(ladder.remove_all)
        if climbs_once:
            ladder.adopt(ServiceType(block.cases[0].text("service_type")))
        _await_backend(lab, client, backend)
        way, node_way = (
            route.parse(lab.execute(place, asked, timeout_seconds=_ASK_SECONDS))
            for place, asked in (
                (client, route.argv(backend.address)),
                (entry, route.argv(backend.address, nodes[1].address)),
            )
        )
        tools = Toolbox(lab)
        # Report a missing tool before anything is measured.
        for tool, place in (
            (ab.TOOL, client),
            (curl.TOOL, client),
            (backends.tool_of(kernel.backend), entry),
        ):
            tools.version(tool, place)
        clients = {Client.OTHER_NODE: client} | ({Client.OUTSIDE: outside} if outside else {})
        probes = Probes(
            lab=lab,
            kernel=kernel,
            ladder=ladder,
            guard=Guard(lab, kernel, ladder, entry, backend_host, backend),
            parameters=parameters,
            clients=clients,
            entry=entry,
            tools=tools,
            rungs=layout.rungs,
            modes=modes,
            usage=UsageSampler(lab),
            syncs=ProxySyncs(lab, entry, parameters.convergence_seconds),
        )
        yield ServiceScaleBlock(probes, nodes, way, node_way, proved, seats)
        if climbs_once and block.followed:
            stack.pop_all()
            lab.remove_pods([client])


def _client_and_backend(
    lab: Lab, parameters: ServiceScaleParameters, block: Block
) -> tuple[Node, Node]:
    if {case.get("client") for case in block.cases} - {None} == {Client.OUTSIDE}:
        node = node_by_name(lab.end_nodes(), parameters.backend_node)
        return node, node
    return choose_end_nodes(lab.end_nodes(), parameters.client_node, parameters.backend_node)


def _kernels(
    lab: Lab,
    block: Block,
    hosts: Sequence[ExecTarget],
    client: Node,
    wanted: Mapping[str, str],
    ports: int,
) -> tuple[Kernel, ...]:
    """The kernels that a rung is waited for, by their backend; the client's node is in the first.

    Side by side each node has a backend of its own: `wanted` are their modes. `ports` is how many
    Service ports they hold at most.
    """
    if not wanted:
        mode = dict(block.modes).get(KUBE_PROXY_MODE)
        return (observe(lab, hosts, None if mode is None else str(mode), ports),)
    ordered = sorted(hosts, key=lambda place: place.node != client.name)
    return tuple(observe(lab, [place], wanted.get(str(place.node)), ports) for place in ordered)


def _modes_by_node(block: Block, seats: Sequence[tuple[Node, Node]]) -> dict[str, str]:
    """kube-proxy's mode on each of the nodes that are to have one of their own."""
    return {
        node.name: str(dict(modes)[KUBE_PROXY_MODE])
        for nodes, modes in zip(seats, block.seating, strict=False)
        for node in nodes
    }


def _outside(lab: Lab, block: Block) -> ExecTarget | None:
    if all(case.get("client") != Client.OUTSIDE for case in block.cases):
        return None
    place = lab.outside()
    if place is None:
        raise PreconditionError(say("no_outside_client"))
    return place


def _check_room(lab: Lab, block: Block, layout: Layout) -> int:
    """Refuse what does not fit before anything is created.

    Returns how many Service ports the cluster has at most during the block.
    """
    room = lab.service_room()
    ready = any(case.get("probe") == Probe.SERVICE_READY for case in block.cases)
    # Of the whole ladder, whose higher rungs later blocks climb to.
    ports = max(layout.rungs)
    services = layout.service_count(ports)
    node_ports = any(case.get("service_type") == ServiceType.NODE_PORT for case in block.cases)
    for short, unknown, free, needed in (
        ("cluster_ips_short", "cluster_ips_unknown", room.free_cluster_ips, services),
        ("node_ports_short", "node_ports_unknown", room.free_node_ports, ports * node_ports),
    ):
        if not needed:
            continue
        if free is None:
            lab.log(LogLevel.WARNING, say(unknown, needed=needed + int(ready)))
        elif free < needed + int(ready):
            raise PreconditionError(say(short, free=free, needed=needed + int(ready)))
    # An earlier block may have left the Services of a higher rung.
    return room.total + max(layout.rungs)


def _requests(
    lab: Lab, parameters: ServiceScaleParameters, client: Node, servers: Sequence[Node]
) -> list[PodRequest]:
    """The client's pod, and a backend's on each server's node."""
    stem = f"pm-{lab.run_label}"
    serve = nginx.server_argv(BACKEND_PORT, parameters.body_bytes)
    numbers = [""] if len(servers) == 1 else [f"-{number}" for number, _ in enumerate(servers, 1)]
    return [
        PodRequest(f"{stem}-client", client.name, Access.POD, IDLE_ARGV),
        *(
            PodRequest(f"{stem}-backend{number}", server.name, Access.POD, serve)
            for number, server in zip(numbers, servers, strict=True)
        ),
    ]


def _await_backend(lab: Lab, client: ExecTarget, backend: ExecTarget) -> None:
    argv = curl.once_argv(f"http://{backend.address}:{BACKEND_PORT}/", 1.0)

    def answers() -> bool:
        return lab.execute(client, argv, timeout_seconds=_ASK_SECONDS).exit_code == 0

    until(lab, "the backend answers the client", answers, deadline_seconds=_START_SECONDS)
