"""What stands at the ends of a block's paths: measuring pods, a Service where one is crossed."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.fingerprint import Placement
from podmeter.domain.ports import PodRequest, ServiceBatch, ServiceType
from podmeter.drivers import route
from podmeter.experiments.nodes import IDLE_ARGV, choose, pick, share_a_host
from podmeter.experiments.paths import CLIENT, CLIENT_HOST, ENDS, ROLES, SERVER, Ends, Path
from podmeter.experiments.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from podmeter.domain.ports import CommandOutput, Lab, Node, Place
    from podmeter.drivers.route import Way
    from podmeter.experiments.recording import Recorder

#: How long a path may take to carry its first packet.
_REACH_SECONDS = 60.0
_ASK_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Servers:
    """What the answering ends run, and the port they have on the nodes' own network as well.

    A Service carries `protocols`, on `further_ports` as well, to one of them alone: several
    connections of one client must meet the same server. A Service over several is set up by
    `podmeter.experiments.replicas`.
    """

    argv: tuple[str, ...]
    port: int
    protocols: tuple[str, ...] = ("TCP",)
    further_ports: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PathEnds:
    """The ends of a block's paths. `addresses` are what the client of each pair connects to, `ways`
    how its packets leave its own network for there, `node_ways` how they leave its node for the
    server, where that can be seen. Both are known once the ends are reached.
    """

    lab: Lab
    nodes: tuple[Node, Node]
    places: dict[str, Place]
    addresses: dict[Ends, str]
    port: int
    ways: dict[Ends, Way] = field(default_factory=dict)
    node_ways: dict[Ends, Way] = field(default_factory=dict)

    def client(self, path: Path) -> Place:
        """The pod that asks."""
        return self.places[ENDS[path].client]

    def server(self, path: Path) -> Place:
        """The pod that answers."""
        return self.places[ENDS[path].server]

    def address(self, path: Path) -> str:
        """The address that the path's client connects to."""
        return self.addresses[ENDS[path]]

    def placement(self, path: Path) -> Placement:
        """The nodes of both ends."""
        server = self.server(path).node or self.nodes[1].name
        way = self.node_ways.get(ENDS[path])
        return Placement(
            client_node=self.client(path).node,
            server_node=server,
            nic=None if way is None else way.nic,
        )

    def describe(self, recorder: Recorder, path: Path) -> None:
        """Keep with a trial where its ends sit."""
        client, server = self.client(path), self.server(path)
        recorder.facts["client"] = f"{client.name} on {client.node}"
        recorder.facts["server"] = f"{server.name} on {server.node} at {self.address(path)}"
        recorder.facts["shared_host"] = str(share_a_host(*self.nodes)).lower()
        recorder.facts["route"] = self.ways[ENDS[path]].said
        if ENDS[path] in self.node_ways:
            recorder.facts["node_route"] = self.node_ways[ENDS[path]].said

    def reach_all(
        self,
        argv_to: Callable[[str], Sequence[str]],
        reached: Callable[[CommandOutput, Place], bool],
    ) -> None:
        """Wait until a short run to the address of every path goes through.

        `reached` judges what the run printed, given the place that is to have answered. Raises
        ConvergenceError for a path that never goes through.
        """
        for end, address in self.addresses.items():
            argv, client, server = (
                argv_to(address),
                self.places[end.client],
                self.places[end.server],
            )

            def answers(
                client: Place = client, server: Place = server, argv: Sequence[str] = argv
            ) -> bool:
                output = self.lab.execute(client, argv, timeout_seconds=_ASK_SECONDS)
                return reached(output, server)

            until(
                self.lab,
                f"{end.server} answers {end.client} at {address}:{self.port}",
                answers,
                deadline_seconds=_REACH_SECONDS,
            )
            self.ways[end] = self._way(client, address)
            watcher = self.places.get(CLIENT_HOST)
            if watcher is not None and server.node != client.node:
                peer = next(node.address for node in self.nodes if node.name == server.node)
                self.node_ways[end] = self._way(watcher, server.address, peer)

    def _way(self, place: Place, address: str, peer: str = "") -> Way:
        output = self.lab.execute(place, route.argv(address, peer), timeout_seconds=_ASK_SECONDS)
        return route.parse(output)


@contextmanager
def set_up_ends(
    lab: Lab,
    paths: Iterable[Path],
    servers: Servers,
    *,
    client_node: str | None,
    server_node: str | None,
) -> Iterator[PathEnds]:
    """Start what the paths need, and take it all away again on leaving.

    Raises PreconditionError where the nodes are not there.
    """
    wanted = set(paths)
    ends = [ENDS[path] for path in Path if path in wanted]
    nodes = _nodes(lab, ends, client_node, server_node)
    names = sorted({name for end in ends for name in (end.client, end.server)})
    with ExitStack() as stack:
        started = lab.start_pods([_request(lab, name, nodes, servers) for name in names])
        stack.callback(lab.remove_pods, started)
        places = dict(zip(names, started, strict=True))
        addresses = {end: places[end.server].address for end in ends}
        for end in ends:
            if end.through_service:
                service = f"pm-{lab.run_label}-server"
                stack.callback(lab.remove_services, [service])
                addresses[end] = service_over(lab, service, [places[SERVER]], servers)
        yield PathEnds(lab, nodes, places, addresses, servers.port)


def _nodes(
    lab: Lab, ends: Iterable[Ends], client_node: str | None, server_node: str | None
) -> tuple[Node, Node]:
    nodes = lab.nodes()
    crossing = any(not ROLES[end.server][0] for end in ends)
    if not crossing:
        node = pick(nodes, client_node)
        return node, node
    return choose(nodes, client_node, server_node)


def _request(lab: Lab, name: str, nodes: tuple[Node, Node], servers: Servers) -> PodRequest:
    on_client_node, access = ROLES[name]
    argv = IDLE_ARGV if name in (CLIENT, CLIENT_HOST) else servers.argv
    node = nodes[0] if on_client_node else nodes[1]
    return PodRequest(f"pm-{lab.run_label}-{name}", node.name, access, argv)


def service_over(lab: Lab, name: str, backends: Sequence[Place], servers: Servers) -> str:
    """Create a Service with these backends; its address."""
    created = lab.create_services(
        ServiceBatch(
            names=(name,),
            type=ServiceType.CLUSTER_IP,
            port=servers.port,
            backend_addresses=tuple(place.address for place in backends),
            backend_port=servers.port,
            protocols=servers.protocols,
            further_ports=servers.further_ports,
        )
    )
    return created.services[0].cluster_ip
