"""Choosing the nodes that the two ends of the traffic sit on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

from podmeter.domain.axes import MODE_AXES
from podmeter.domain.displayed import Displayed
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import say
from podmeter.domain.modes import ARM
from podmeter.domain.planning import nodes_of_seat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import BaseModel

    from podmeter.domain.ports import Node

IDLE_ARGV = ("sleep", "infinity")


class NamedNode(Protocol):
    """A node as far as it is chosen by its name."""

    @property
    def name(self) -> str:
        """The node's name."""


_Node = TypeVar("_Node", bound=NamedNode)


@dataclass(frozen=True, slots=True)
class Placing:
    """Marks a parameter that only says on which node an end is to sit."""


#: The type of a node parameter: a node's name, None leaves the choice to `choose_end_nodes`.
NodeName = Annotated[Annotated[str, Displayed()] | None, Placing()]


@cache
def placing_parameters(parameters: type[BaseModel]) -> frozenset[str]:
    """The parameters that choose nodes. Comparisons use a run's real nodes instead."""
    return frozenset(
        name
        for name, field in parameters.model_fields.items()
        if any(isinstance(one, Placing) for one in field.metadata)
    )


def end_parameters(parameters: type[BaseModel]) -> tuple[str, ...]:
    """Those of the client's node and of the server's, as kinds declare them in this order."""
    placing = placing_parameters(parameters)
    return tuple(name for name in parameters.model_fields if name in placing)


def node_by_name(nodes: Sequence[_Node], name: str | None) -> _Node:
    """The node of that name, or the first by name. Raises PreconditionError without one."""
    by_name = {node.name: node for node in nodes}
    node = by_name.get(name if name is not None else min(by_name, default=""))
    if node is None:
        available = sorted(by_name) or "none"
        raise PreconditionError(say("no_such_node", node=name or "", nodes=available))
    return node


def choose_end_nodes(
    nodes: Sequence[_Node], client: str | None, server: str | None
) -> tuple[_Node, _Node]:
    """The client's and the server's node: those asked for, else the first two by name.

    The choice depends on the names alone, so both arms of a comparison get the same. Raises
    PreconditionError where a node is not there or there are not two.
    """
    named = {name: node_by_name(nodes, name) for name in (client, server) if name is not None}
    if client is not None and client == server:
        raise PreconditionError(say("same_node", node=client))
    free = iter(sorted((node for node in nodes if node.name not in named), key=lambda n: n.name))
    chosen = [named[name] if name is not None else next(free, None) for name in (client, server)]
    first, second = chosen
    if first is None or second is None:
        raise PreconditionError(say("two_nodes_needed", count=len(nodes)))
    return first, second


def seat_count(matrix: Mapping[str, Sequence[object]]) -> int:
    """How many sets of modes a matrix has on one cluster: so many pairs of nodes have one each,
    where modes are side by side.
    """
    return prod(len(matrix[axis]) for axis in (*MODE_AXES, ARM) if axis in matrix)


def choose_seats(nodes: Sequence[_Node], count: int) -> tuple[tuple[_Node, _Node], ...]:
    """The client's and the server's node of each seat, where so many sets of modes are side by
    side (`podmeter.domain.planning.nodes_of_seat`).

    Both are in the seat's modes: a new connection passes the rules of either node. Raises
    PreconditionError where there are too few nodes.
    """
    needed = 2 * count
    if len(nodes) < needed:
        raise PreconditionError(say("seats_needed", needed=needed, count=len(nodes)))
    by_name = sorted(nodes, key=lambda node: node.name)[:needed]
    return tuple(nodes_of_seat(by_name, seat) for seat in range(count))


def share_a_host(first: Node, second: Node) -> bool:
    """Whether two nodes run under one kernel, so that they contend for the same CPUs."""
    return first.boot_id == second.boot_id
