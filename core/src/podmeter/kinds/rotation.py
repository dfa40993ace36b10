"""Pairs of nodes that change by round: how a spec's parameters place the ends of each round."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.domain.node_pairs import NODE_PAIR, ROTATE, NodePair
from podmeter.domain.planning import LadderOrder
from podmeter.domain.problems import Problem, pointer
from podmeter.kinds.nodes import choose_end_nodes, end_parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from podmeter.domain.experiment import ResolvedSpec
    from podmeter.domain.fingerprint import Placement
    from podmeter.kinds.nodes import NamedNode


def problems(spec: ResolvedSpec, model: type[BaseModel], walk: LadderOrder) -> list[Problem]:
    """Parameters that place an end which the round's pair places."""
    if spec.rotation is None:
        return []
    placed = end_parameters(model)
    if walk is LadderOrder.STEP_BY_STEP:
        # The server stays, on the node that is named for it.
        placed = placed[:1]
    return [
        Problem(
            pointer(["parameters", name]),
            say("rotate_places_ends", parameter=name, axis=NODE_PAIR, value=ROTATE),
        )
        for name in placed
        if spec.parameters.get(name) is not None
    ]


def fixed_server(
    spec: ResolvedSpec, model: type[BaseModel], walk: LadderOrder, nodes: Sequence[NamedNode]
) -> str | None:
    """The node whose server answers in all rounds, None where it changes with the pair.

    Where a ladder is climbed once, what is created on it holds the server's address. Raises
    PreconditionError where there are fewer than two nodes, or a named node is missing.
    """
    if walk is not LadderOrder.STEP_BY_STEP:
        return None
    _, server = end_parameters(model)
    named = spec.parameters.get(server)
    return choose_end_nodes(nodes, None, None if named is None else str(named))[1].name


def placement_over(spec: ResolvedSpec, pair: str | None, placed: Placement) -> Placement:
    """Where a case sits over all rounds: all nodes that each of its ends comes to, by name."""
    nodes = NodePair.of(pair)
    pairs = [one for one in map(NodePair.of, spec.rotated_pairs) if one is not None]
    if nodes is None or not pairs:
        return placed
    over = {
        nodes.client: ", ".join(sorted({one.client for one in pairs})),
        nodes.server: ", ".join(sorted({one.server for one in pairs})),
    }
    ends = (placed.client_node, placed.server_node)
    client, server = (None if one is None else over.get(one, one) for one in ends)
    return placed.model_copy(update={"client_node": client, "server_node": server, "nic": None})


def on_pair(spec: ResolvedSpec, model: type[BaseModel], pair: str | None) -> ResolvedSpec:
    """The spec with both ends placed on a round's pair; itself where it has none."""
    nodes = NodePair.of(pair)
    if nodes is None:
        return spec
    client, server = end_parameters(model)
    placed = spec.parameters | {client: nodes.client, server: nodes.server}
    return spec.model_copy(update={"parameters": placed})
