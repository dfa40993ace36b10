"""The ends of a block's paths: measuring pods, and a Service where a path crosses one."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING

from podmeter.domain.errors import PreconditionError
from podmeter.domain.fingerprint import Placement
from podmeter.domain.messages import say
from podmeter.domain.ports import PodRequest
from podmeter.drivers import route
from podmeter.kinds.nodes import IDLE_ARGV, choose_end_nodes, node_by_name, share_a_host
from podmeter.kinds.paths import (
    CLIENT,
    CLIENT_HOST,
    ENDS,
    OUTSIDE,
    ROLES,
    SERVER,
    AddressKind,
    Endpoints,
    Path,
)
from podmeter.kinds.services import (
    Destination,
    Servers,
    Spread,
    destination,
    ingress_to,
    service_over,
)
from podmeter.kinds.waiting import steadily, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from podmeter.domain.messages import Message
    from podmeter.domain.ports import CommandOutput, ExecTarget, Ingress, Lab, Node, Service
    from podmeter.drivers.route import PacketRoute
    from podmeter.kinds.recording import Recorder
    from podmeter.kinds.services import IngressEntry

#: How long a path may take to carry its first packet.
REACH_SECONDS = 60.0
#: A controller that takes in a new Ingress may start again once more after it has answered.
_INGRESS_STEADY_SECONDS = 3.0
_ASK_SECONDS = 15.0


def not_ours(server: ExecTarget) -> Message:
    """Something else has answered in the server's place."""
    return say("server_not_ours", server=server.name, node=str(server.node))


@dataclass(frozen=True, slots=True)
class PathEnds:
    """The ends of a block's paths. `destinations` are what the client of each pair is given,
    `replicas` the servers behind the Service, the paths' own first. `routes` are how the clients'
    packets leave their own network for there, `node_routes` how they leave their node for the
    server, where that can be seen. Both are known once the ends are reached. `ingress` leads to the
    Service, where a path goes by one.
    """

    lab: Lab
    nodes: tuple[Node, Node]
    places: dict[str, ExecTarget]
    destinations: dict[Endpoints, Destination]
    replicas: tuple[ExecTarget, ...]
    routes: dict[Endpoints, PacketRoute] = field(default_factory=dict)
    node_routes: dict[Endpoints, PacketRoute] = field(default_factory=dict)
    ingress: Ingress | None = None

    def client(self, path: Path) -> ExecTarget:
        """The pod that asks."""
        return self.places[ENDS[path].client]

    def server(self, path: Path) -> ExecTarget:
        """The pod that answers, or the first of those that may."""
        return self.places[ENDS[path].server]

    def servers(self, path: Path) -> tuple[ExecTarget, ...]:
        """All pods that may answer."""
        return self.replicas if ENDS[path].through_service else (self.server(path),)

    def destination(self, path: Path) -> Destination:
        """What the path's client is given."""
        return self.destinations[ENDS[path]]

    def address(self, path: Path) -> str:
        """The address that the path's client connects to."""
        return self.destination(path).address

    def placement(self, path: Path) -> Placement:
        """The nodes of both ends."""
        server = self.server(path).node or self.nodes[1].name
        route = self.node_routes.get(ENDS[path])
        return Placement(
            client_node=self.client(path).node,
            server_node=server,
            nic=None if route is None else route.nic,
        )

    def describe(self, recorder: Recorder, path: Path) -> None:
        """Keep with a trial where its ends sit."""
        client, to = self.client(path), self.destination(path)
        outside = client.node is None
        recorder.facts["client"] = client.name if outside else f"{client.name} on {client.node}"
        text = ", ".join(f"{one.name} on {one.node}" for one in self.servers(path))
        recorder.facts["server"] = f"{text} at {to.host}"
        if ENDS[path].via is AddressKind.INGRESS and self.ingress is not None:
            made = self.ingress
            text = f"{made.host} by class {made.class_name} of {made.controller}"
            recorder.facts["ingress"] = text
        recorder.facts["shared_host"] = str(share_a_host(*self.nodes)).lower()
        recorder.facts["route"] = self.routes[ENDS[path]].said
        if ENDS[path] in self.node_routes:
            recorder.facts["node_route"] = self.node_routes[ENDS[path]].said

    def reach_all(
        self,
        argv_to: Callable[[Destination], Sequence[str]],
        reached: Callable[[CommandOutput, Sequence[ExecTarget]], bool],
    ) -> None:
        """Wait until a short run to the destination of every path goes through.

        `reached` judges what the run printed, given the places one of which is to have answered.
        Raises ConvergenceError for a path that never goes through.
        """
        for end in self.destinations:
            answers: Callable[[], bool] = partial(self.answers, end, argv_to, reached)
            if end.via is AddressKind.INGRESS:
                answers = steadily(self.lab, answers, _INGRESS_STEADY_SECONDS)
            what = self.what_answers(end)
            until(self.lab, what, answers, deadline_seconds=REACH_SECONDS)
            self.record_routes(end)

    def what_answers(self, end: Endpoints) -> str:
        """What is waited for where the ends are to be reached."""
        to = self.destinations[end]
        return f"{end.server} answers {end.client} at {to.host}:{to.port}"

    def answers(
        self,
        end: Endpoints,
        argv_to: Callable[[Destination], Sequence[str]],
        reached: Callable[[CommandOutput, Sequence[ExecTarget]], bool],
    ) -> bool:
        """Whether a short run to the destination of one path goes through."""
        servers = self.replicas if end.through_service else (self.places[end.server],)
        argv = argv_to(self.destinations[end])
        output = self.lab.execute(self.places[end.client], argv, timeout_seconds=_ASK_SECONDS)
        return reached(output, servers)

    def record_routes(self, end: Endpoints) -> None:
        """Note how packets leave the client, and its node, for the destination of one path."""
        client, server = self.places[end.client], self.places[end.server]
        self.routes[end] = self._route_to(client, self.destinations[end].address)
        watcher = self.places.get(CLIENT_HOST)
        if watcher is not None and client.node not in (None, server.node):
            peer = next(node.address for node in self.nodes if node.name == server.node)
            self.node_routes[end] = self._route_to(watcher, server.address, peer)

    def _route_to(self, place: ExecTarget, address: str, peer: str = "") -> PacketRoute:
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
    entry: IngressEntry | None = None,
) -> Iterator[PathEnds]:
    """Start what the paths need, and take it all away again on leaving.

    `entry` is how paths by an Ingress are to be reached. Raises PreconditionError where the nodes,
    a client outside or an Ingress's controller are not there.
    """
    requested = set(paths)
    ends = [ENDS[path] for path in Path if path in requested]
    vias = {end: end.via for end in ends if end.through_service}
    nodes = _nodes(lab, ends, servers, client_node, server_node)
    places = _outside(lab, ends)
    replica_nodes = _replicas(lab, nodes, servers)
    names = {name for end in ends for name in (end.client, end.server)} - places.keys()
    nodes_by_pod = {
        name: replica_nodes.get(name) or nodes[not ROLES[name][0]] for name in sorted(names)
    }
    if vias:
        nodes_by_pod |= replica_nodes
    with ExitStack() as stack:
        requests = [_request(lab, name, node, servers) for name, node in nodes_by_pod.items()]
        started = lab.start_pods(requests)
        stack.callback(lab.remove_pods, started)
        places |= dict(zip(nodes_by_pod, started, strict=True))
        replicas = tuple(places[name] for name in replica_nodes if name in places)
        destinations = {
            end: Destination.at(places[end.server].address, servers.port) for end in ends
        }
        if vias:
            service = f"pm-{lab.run_label}-server"
            stack.callback(lab.remove_services, [service])
            made = service_over(lab, service, replicas, servers, set(vias.values()))
            destinations |= {
                end: destination(made, via, nodes[1].address) for end, via in vias.items()
            }
        ingress = None
        if entry is not None and AddressKind.INGRESS in vias.values():
            ingress = stack.enter_context(_ingress(lab, made, entry))
            at = Destination(ingress.address, ingress.address, entry.port, ingress.host)
            destinations |= {end: at for end, via in vias.items() if via is AddressKind.INGRESS}
        yield PathEnds(lab, nodes, places, destinations, replicas, ingress=ingress)


@contextmanager
def _ingress(lab: Lab, service: Service, entry: IngressEntry) -> Iterator[Ingress]:
    """An Ingress over a Service, as long as the context is not left."""
    made = ingress_to(lab, service.name, service, entry)
    try:
        yield made
    finally:
        lab.remove_ingress(made.name)


def _nodes(
    lab: Lab,
    ends: Iterable[Endpoints],
    servers: Servers,
    client_node: str | None,
    server_node: str | None,
) -> tuple[Node, Node]:
    """The client's and the server's node; the same node if nothing crosses nodes."""
    nodes, inside = lab.end_nodes(), [end for end in ends if end.client != OUTSIDE]
    if any(_crosses(end, servers.spread) for end in inside):
        return choose_end_nodes(nodes, client_node, server_node)
    node = node_by_name(nodes, client_node if inside else server_node)
    return node, node


def nodes_of(path: Path, spread: Spread = Spread.SERVER_NODE) -> int:
    """On how many nodes the ends of a path sit, with its servers where `spread` says."""
    end = ENDS[path]
    return 2 if end.client != OUTSIDE and _crosses(end, spread) else 1


def _crosses(end: Endpoints, spread: Spread) -> bool:
    """Whether a client inside needs another node than its own."""
    if end.via is AddressKind.NODE_PORT:
        return True
    if end.server == SERVER:
        return spread is not Spread.CLIENT_NODE
    return not ROLES[end.server][0]


def _outside(lab: Lab, ends: Iterable[Endpoints]) -> dict[str, ExecTarget]:
    """The client outside, where a path begins there."""
    if all(end.client != OUTSIDE for end in ends):
        return {}
    place = lab.outside()
    if place is None:
        raise PreconditionError(say("no_outside_client"))
    return {OUTSIDE: place}


def _request(lab: Lab, name: str, node: Node, servers: Servers) -> PodRequest:
    access = ROLES[name][1] if name in ROLES else ROLES[SERVER][1]
    argv = IDLE_ARGV if name in (CLIENT, CLIENT_HOST) else servers.argv
    return PodRequest(f"pm-{lab.run_label}-{name}", node.name, access, argv)


def _replicas(lab: Lab, nodes: tuple[Node, Node], servers: Servers) -> dict[str, Node]:
    """The servers behind a Service by name, each with its node."""
    client, server = nodes
    sites = {
        Spread.SERVER_NODE: [server],
        Spread.CLIENT_NODE: [client],
        Spread.ALL_NODES: list(dict.fromkeys((server, client, *lab.nodes()))),
    }[servers.spread]
    names = (SERVER, *(f"{SERVER}-{number}" for number in range(2, servers.replicas + 1)))
    return dict(zip(names, cycle(sites), strict=False))
