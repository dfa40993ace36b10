"""Which nodes an experiment's requests pass: those that a switch of kube-proxy has to reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.node_pairs import NODE_PAIR, NodePair
from podmeter.domain.planning import LadderOrder
from podmeter.kinds.nodes import choose_end_nodes, choose_seats, end_parameters, seat_count
from podmeter.kinds.paths import ENDS, PATH, AddressKind, Path
from podmeter.kinds.registry import kind_of, walk_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.kinds.nodes import NamedNode

#: Any node may take these in: whichever announces a load balancer's address, or runs a controller.
_ANYWHERE = (AddressKind.LOAD_BALANCER, AddressKind.INGRESS)


def measured_nodes(spec: ResolvedSpec, nodes: Sequence[NamedNode]) -> frozenset[str] | None:
    """The names of those of a cluster's measuring nodes that the spec's ends sit on.

    A ClusterIP is translated on its client's node, a node port on the node that is asked, which is
    one of them. None where any node of the cluster may translate what is asked.
    """
    paths = [Path(str(path)) for path in spec.matrix.get(PATH, ())]
    if any(ENDS[path].via in _ANYWHERE for path in paths):
        return None
    names = frozenset(node.name for node in nodes)
    values = spec.matrix.get(NODE_PAIR, spec.rotated_pairs)
    pairs = [NodePair.of(value) for value in values]
    if spec.rotation == ():
        return names
    if pairs:
        ends = {name for pair in pairs if pair for name in (pair.client, pair.server)}
        return names & ends if all(pairs) else None
    if len(nodes) < 2:
        return names
    if walk_of(spec) is LadderOrder.SIDE_BY_SIDE:
        return frozenset(seats(spec, nodes))
    client, server = placed_by(spec)
    return frozenset(node.name for node in choose_end_nodes(nodes, client, server))


def seats(spec: ResolvedSpec, nodes: Sequence[NamedNode]) -> tuple[str, ...]:
    """The names of those that have modes of their own, where these are side by side; else none.

    In their order: the clients' nodes, then the servers' (`podmeter.domain.planning.nodes_of_seat`
    has those of a block's `seating`). Raises PreconditionError where there are too few.
    """
    if walk_of(spec) is not LadderOrder.SIDE_BY_SIDE:
        return ()
    chosen = choose_seats(nodes, seat_count(spec.matrix))
    return tuple(node.name for nodes_alike in zip(*chosen, strict=True) for node in nodes_alike)


def placed_by(spec: ResolvedSpec) -> tuple[str | None, str | None]:
    """The nodes of the client and the server that a spec's parameters name."""
    placed = [spec.parameters.get(name) for name in end_parameters(kind_of(spec).parameters)]
    client, server = (None if name is None else str(name) for name in (*placed, None, None)[:2])
    return client, server
