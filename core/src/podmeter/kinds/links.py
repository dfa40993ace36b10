"""The ends of a block's cases: of each pair of nodes its own, else the same ones for all cases.

A node has one pod of each role that any of its pairs needs, whatever the number of these. What is
missing for one pair, such as a deleted node, fails only the trials of that pair.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.errors import (
    ConvergenceError,
    LabError,
    PodmeterError,
    PreconditionError,
    RunCancelledError,
)
from podmeter.domain.fingerprint import Placement
from podmeter.domain.messages import say
from podmeter.domain.node_pairs import NODE_PAIR, NodePair
from podmeter.domain.ports import LogLevel, PodRequest
from podmeter.kinds.nodes import IDLE_ARGV
from podmeter.kinds.path_ends import REACH_SECONDS, PathEnds, set_up_ends
from podmeter.kinds.paths import CLIENT, CLIENT_HOST, ENDS, ROLES, Endpoints, Path
from podmeter.kinds.services import Destination, Servers, destination, service_over

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from podmeter.domain.planning import Case
    from podmeter.domain.ports import CommandOutput, ExecTarget, Lab, Node

_POLL_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Links:
    """The ends of each pair of nodes; under None those of cases that have no pair.

    `missing` is why there are no ends on a node, by the node's name, `unreached` why those of a
    pair cannot be measured, by the pair and its path's ends.
    """

    lab: Lab
    pairs: dict[NodePair | None, PathEnds]
    missing: dict[str, PodmeterError] = field(default_factory=dict)
    unreached: dict[tuple[NodePair | None, Endpoints], PodmeterError] = field(default_factory=dict)

    def of(self, case: Case) -> PathEnds:
        """The ends of a case; raises the PodmeterError for which it has none."""
        pair = NodePair.of(case.get(NODE_PAIR))
        for node in (pair.client, pair.server) if pair is not None else ():
            if node in self.missing:
                raise self.missing[node].with_traceback(None)
        why = self.unreached.get((pair, ENDS[Path(case.text("path"))]))
        if why is not None:
            raise why.with_traceback(None)
        return self.pairs[pair]

    def placement(self, case: Case) -> Placement:
        """The nodes of both ends, those that are not there any more too."""
        pair = NodePair.of(case.get(NODE_PAIR))
        if pair is not None and pair not in self.pairs:
            return Placement(client_node=pair.client, server_node=pair.server)
        return self.pairs[pair].placement(Path(case.text("path")))

    @property
    def any_client(self) -> ExecTarget:
        """A place that a client runs in: all have the same tools."""
        ends = next(iter(self.pairs.values()))
        return ends.places[min(end.client for end in ends.destinations)]

    @property
    def alone(self) -> PathEnds | None:
        """The ends of all cases, where these have no pairs."""
        return self.pairs.get(None)

    @property
    def servers(self) -> tuple[ExecTarget, ...]:
        """The places that answer, each once."""
        found = [
            ends.places[end.server] for ends in self.pairs.values() for end in ends.destinations
        ]
        return tuple({place.name: place for place in found}.values())

    def give_up(self, server: ExecTarget, why: PodmeterError) -> None:
        """Measure no pair that this place answers; raises `why` where there are no others."""
        if self.alone is not None:
            raise why
        for pair, ends in self.pairs.items():
            for end in ends.destinations:
                if ends.places[end.server] == server:
                    self.unreached[pair, end] = why
        self._raise_if_none()

    def reach_all(
        self,
        argv_to: Callable[[Destination], Sequence[str]],
        reached: Callable[[CommandOutput, Sequence[ExecTarget]], bool],
    ) -> None:
        """Wait until a short run goes through from end to end, of all pairs for the same time.

        As `PathEnds.reach_all`; of pairs it raises only where none can be measured.
        """
        if self.alone is not None:
            self.alone.reach_all(argv_to, reached)
            return
        waiting = [
            (pair, end)
            for pair, ends in self.pairs.items()
            for end in ends.destinations
            if (pair, end) not in self.unreached
        ]
        deadline = self.lab.monotonic() + REACH_SECONDS
        while waiting:
            self.lab.check_cancelled()
            waiting = [one for one in waiting if not self._settled(*one, argv_to, reached)]
            if waiting and self.lab.monotonic() >= deadline:
                break
            if waiting:
                self.lab.sleep(_POLL_SECONDS)
        for pair, end in waiting:
            what = self.pairs[pair].what_answers(end)
            late = ConvergenceError(say("still_not", seconds=REACH_SECONDS, what=what))
            self.unreached.setdefault((pair, end), late)
        self._raise_if_none()

    def _settled(
        self,
        pair: NodePair | None,
        end: Endpoints,
        argv_to: Callable[[Destination], Sequence[str]],
        reached: Callable[[CommandOutput, Sequence[ExecTarget]], bool],
    ) -> bool:
        """Whether there is nothing left to wait for: it responds, or never will."""
        ends = self.pairs[pair]
        try:
            if not ends.answers(end, argv_to, reached):
                return False
            ends.record_routes(end)
        except RunCancelledError:
            raise
        except LabError as error:
            # It may pass; if it does not, this is why.
            self.unreached[pair, end] = error
            return False
        except PodmeterError as error:
            self.unreached[pair, end] = error
            return True
        self.unreached.pop((pair, end), None)
        return True

    def _raise_if_none(self) -> None:
        every = {(pair, end) for pair, ends in self.pairs.items() for end in ends.destinations}
        if every and every <= self.unreached.keys():
            raise next(iter(self.unreached.values()))


@contextmanager
def set_up_links(
    lab: Lab,
    cases: Iterable[Case],
    servers: Servers,
    *,
    client_node: str | None,
    server_node: str | None,
) -> Iterator[Links]:
    """Start what the cases' paths need between the nodes of each pair; take it away on leaving.

    Without pairs as `set_up_ends`. Raises PreconditionError where no pair has both its nodes.
    """
    found = list(cases)
    paths = {Path(case.text("path")) for case in found}
    pairs = {NodePair.of(case.get(NODE_PAIR)) for case in found} - {None}
    if not pairs:
        alone = set_up_ends(lab, paths, servers, client_node=client_node, server_node=server_node)
        with alone as ends:
            yield Links(lab, {None: ends})
        return
    with _set_up_pairs(lab, sorted(one for one in pairs if one), paths, servers) as links:
        yield links


@contextmanager
def _set_up_pairs(
    lab: Lab, pairs: Sequence[NodePair], paths: Iterable[Path], servers: Servers
) -> Iterator[Links]:
    wanted = set(paths)
    ends = [ENDS[path] for path in Path if path in wanted]
    nodes = {node.name: node for node in lab.end_nodes()}
    named = sorted({name for pair in pairs for name in (pair.client, pair.server)})
    there = sorted(nodes) or "none"
    missing: dict[str, PodmeterError] = {
        name: PreconditionError(say("no_such_node", node=name, nodes=there))
        for name in named
        if name not in nodes
    }
    numbers = {name: number for number, name in enumerate(named, start=1)}
    with ExitStack() as stack:
        sites = _sites(pairs, ends, missing)
        places = _start(lab, stack, sites, numbers, servers, missing)
        services: dict[str, Destination] = {}
        if any(end.through_service for end in ends):
            for (role, name), place in places.items():
                if role in {end.server for end in ends if end.through_service}:
                    service = f"pm-{lab.run_label}-server-{numbers[name]}"
                    stack.callback(lab.remove_services, [service])
                    made = service_over(lab, service, (place,), servers)
                    via = next(end.via for end in ends if end.through_service)
                    services[name] = destination(made, via, nodes[name].address)
        found: dict[NodePair | None, PathEnds] = {
            pair: _ends_of(lab, pair, ends, nodes, places, services, servers.port)
            for pair in pairs
            if not {pair.client, pair.server} & missing.keys()
        }
        if not found:
            raise next(iter(missing.values()))
        yield Links(lab, found, missing)


#: A role of a pod, and the name of its node.
_Site = tuple[str, str]


def _sites(
    pairs: Iterable[NodePair], ends: Sequence[Endpoints], missing: Iterable[str]
) -> list[_Site]:
    """Where pods are needed: on each node one for each role that a pair gives it."""
    gone = set(missing)
    sites: set[_Site] = set()
    for pair in pairs:
        if not {pair.client, pair.server} & gone:
            sites |= {(end.client, pair.client) for end in ends}
            sites |= {(end.server, pair.server) for end in ends}
    return sorted(sites, key=lambda site: (site[1], site[0]))


def _start(
    lab: Lab,
    stack: ExitStack,
    sites: Sequence[_Site],
    numbers: dict[str, int],
    servers: Servers,
    missing: dict[str, PodmeterError],
) -> dict[_Site, ExecTarget]:
    """Start the pods, all together; where these do not come up, node by node without those."""

    def start(some: Sequence[_Site]) -> dict[_Site, ExecTarget]:
        requests = [
            PodRequest(
                f"pm-{lab.run_label}-{role}-{numbers[name]}",
                name,
                ROLES[role][1],
                IDLE_ARGV if role in (CLIENT, CLIENT_HOST) else servers.argv,
            )
            for role, name in some
        ]
        started = lab.start_pods(requests)
        stack.callback(_remove, lab, started)
        return dict(zip(some, started, strict=True))

    try:
        return start(sites) if sites else {}
    except (LabError, ConvergenceError):
        places: dict[_Site, ExecTarget] = {}
        for name in dict.fromkeys(name for _, name in sites):
            try:
                places |= start([site for site in sites if site[1] == name])
            except (LabError, ConvergenceError) as error:
                missing[name] = error
        if not places:
            raise
        return places


def _remove(lab: Lab, places: Sequence[ExecTarget]) -> None:
    """Take pods away; those of a node that died meanwhile are left to the run's sweep."""
    try:
        lab.remove_pods(places)
    except ConvergenceError as error:
        lab.log(LogLevel.WARNING, error.said)


def _ends_of(
    lab: Lab,
    pair: NodePair,
    ends: Iterable[Endpoints],
    nodes: dict[str, Node],
    places: dict[_Site, ExecTarget],
    services: dict[str, Destination],
    port: int,
) -> PathEnds:
    mine = {role: places[role, pair.client] for end in ends for role in (end.client,)}
    mine |= {end.server: places[end.server, pair.server] for end in ends}
    given = {
        end: services[pair.server]
        if end.through_service
        else Destination.at(mine[end.server].address, port)
        for end in ends
    }
    replicas = tuple(mine[end.server] for end in ends if end.through_service)[:1]
    return PathEnds(lab, (nodes[pair.client], nodes[pair.server]), mine, given, replicas)
