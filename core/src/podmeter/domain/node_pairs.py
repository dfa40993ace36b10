"""Pairs of nodes as values of an axis: which there are, and which of them are measured.

A pair has a direction: its first node's end sends, or asks. Written `node-1~node-2`, as no node's
name holds that sign, nor is it changed where a value is quoted.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.messages import Message, say
from podmeter.domain.problems import Problem, pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NODE_PAIR = "node_pair"
#: What the axis may have instead of pairs, which it stands for alone. `one` is the default without
#: the axis: the two nodes that the parameters name, or the first two. `rotate` makes no cases: each
#: round has another pair.
ONE, ALL, ZONES, ROTATE, SAMPLE = "one", "all", "zones", "rotate", "sample-"
SELECTORS = (ONE, ALL, ZONES, ROTATE)
#: Pairs that rounds take in turn at most: all of six nodes. Of more nodes so many pairs are drawn.
MOST_ROTATED = 30
_SAMPLE = re.compile(rf"{SAMPLE}([1-9][0-9]{{0,4}})")
#: Parts the two names, none of which has it.
PAIR_SIGN = "~"
#: A node's name is a DNS subdomain (Kubernetes, "Object Names and IDs").
_NODE = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"
_PAIR = re.compile(rf"({_NODE}){PAIR_SIGN}({_NODE})")


@dataclass(frozen=True, slots=True)
class KnownNode:
    """A node that takes measuring pods, and its topology.kubernetes.io/zone, if it has one."""

    name: str
    zone: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class NodePair:
    """Two nodes: the one whose end sends or asks, and the one whose end answers."""

    client: str
    server: str

    @property
    def value(self) -> str:
        """The pair on its axis."""
        return f"{self.client}{PAIR_SIGN}{self.server}"

    @classmethod
    def of(cls, value: object) -> NodePair | None:
        """The pair of an axis' value; None for what is none."""
        found = _PAIR.fullmatch(value) if isinstance(value, str) else None
        return None if found is None else cls(found[1], found[2])


def problem(value: object, selectors: Sequence[str] = SELECTORS) -> Message | None:
    """Why `value` is not on an axis of pairs, or None.

    An axis without the selector `all` has no pairs as cases.
    """
    if ALL not in selectors and value not in selectors:
        return say("axis_not_choice", value=repr(value), choices=tuple(selectors))
    pair = NodePair.of(value)
    if pair is None:
        selects = value in SELECTORS or sample_size(value) is not None
        return None if selects else say("pair_unreadable", value=repr(value))
    return say("pair_of_itself", node=pair.client) if pair.client == pair.server else None


def sample_size(value: object) -> int | None:
    """The number of pairs of a sample; None if the value is not a sample."""
    found = _SAMPLE.fullmatch(value) if isinstance(value, str) else None
    return None if found is None else int(found[1])


def selector_of(values: Sequence[object]) -> str | None:
    """The value that stands for pairs which the cluster decides; None where pairs are named."""
    return next((str(one) for one in values if NodePair.of(one) is None), None)


def selected(selector: str, nodes: Iterable[KnownNode], *, seed: int, most: int) -> list[str]:
    """The pairs that `selector` stands for among a cluster's nodes, in order of their names.

    The same nodes and seed give the same pairs. all: each two nodes, both ways. zones: one pair
    within each zone that has two nodes, and one between each two zones. sample-N: N pairs drawn
    from all of them, each as likely. Raises InvalidSpecError where there is no pair, where there
    are more than `most`, or where the zones are not known of all nodes.
    """
    known = sorted(nodes, key=lambda node: node.name)
    if len(known) < 2:
        raise _invalid(say("two_nodes_needed", count=len(known)))
    if selector == ZONES:
        return _by_zone(known)
    names = [node.name for node in known]
    count = len(names) * (len(names) - 1)
    size = count if selector == ALL else min(sample_size(selector) or 0, count)
    if size > most:
        raise _invalid(say("too_many_pairs", pairs=size, nodes=len(names), most=most))
    drawn = random.Random(f"{seed}/{NODE_PAIR}").sample(range(count), size)  # noqa: S311
    return [_numbered(names, place).value for place in sorted(drawn)]


def rotated(
    nodes: Iterable[KnownNode], *, seed: int, rounds: int, server: str | None = None
) -> tuple[str, ...]:
    """The pair of each of at least so many rounds: each pair once, in random order, then again.

    The pairs are all ordered ones of the nodes, or those to one `server`; of more than
    `MOST_ROTATED` so many are drawn, each as likely. The same nodes and seed give the same order.
    It ends with each pair equally often, so that it can be repeated. Raises InvalidSpecError where
    there is no pair.
    """
    names = sorted(node.name for node in nodes)
    if len(names) < 2:
        raise _invalid(say("two_nodes_needed", count=len(names)))
    draw = random.Random(f"{seed}/{NODE_PAIR}/{ROTATE}")  # noqa: S311
    if server is None:
        count = len(names) * (len(names) - 1)
        places = sorted(draw.sample(range(count), min(count, MOST_ROTATED)))
        pairs = [_numbered(names, place).value for place in places]
    else:
        clients = [name for name in names if name != server]
        drawn = sorted(draw.sample(clients, min(len(clients), MOST_ROTATED)))
        pairs = [NodePair(client, server).value for client in drawn]
    order: list[str] = []
    while len(order) < rounds:
        order += draw.sample(pairs, len(pairs))
    return tuple(order)


def _numbered(names: Sequence[str], place: int) -> NodePair:
    """The pair at a place among all, which are too many to be listed in a large cluster."""
    client, other = divmod(place, len(names) - 1)
    return NodePair(names[client], names[other + (other >= client)])


def _by_zone(nodes: Sequence[KnownNode]) -> list[str]:
    without = [node.name for node in nodes if not node.zone]
    if without:
        raise _invalid(say("zones_unknown", nodes=without[:5], count=len(without)))
    zones: dict[str, list[str]] = {}
    for node in nodes:
        zones.setdefault(str(node.zone), []).append(node.name)
    within = [NodePair(*names[:2]) for names in zones.values() if len(names) > 1]
    between = [
        NodePair(zones[one][0], zones[other][0]) for one, other in combinations(sorted(zones), 2)
    ]
    return [pair.value for pair in sorted({*within, *between})]


def _invalid(message: Message) -> InvalidSpecError:
    return InvalidSpecError([Problem(pointer(["axes", NODE_PAIR]), message)])
