"""When a run stops by itself, so that it does not harm the cluster: thresholds and reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.messages import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podmeter.domain.messages import Message

#: Of a node's connection tracking table, so large a share may be in use after draining.
MOST_CONNTRACK = 0.8
#: Of a node's memory and disk, so large a share is available at least.
LEAST_AVAILABLE = 0.1
#: The reason to stop by a node that is not ready any more.
NOT_READY = "stopped_not_ready"


@dataclass(frozen=True, slots=True)
class NodeCondition:
    """What the cluster says of a node: `pressures` are its conditions such as `DiskPressure`."""

    name: str
    ready: bool
    pressures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeRoom:
    """What a node has left. Bytes; connection tracking is None where the place does not show it."""

    memory_total: int
    memory_available: int
    disk_total: int
    disk_available: int
    conntrack_entries: int | None = None
    conntrack_limit: int | None = None


def why_conntrack_full(node: str, entries: int | None, limit: int | None) -> Message | None:
    """Why a run stops by a node's connection tracking table, as it is after draining; or None."""
    if entries is None or not limit or entries < MOST_CONNTRACK * limit:
        return None
    return say(
        "stopped_conntrack",
        node=node,
        value=_percent(entries / limit),
        limit=_percent(MOST_CONNTRACK),
        entries=entries,
        size=limit,
    )


def why_stop_at(node: str, room: NodeRoom) -> Iterator[Message]:
    """Why a run stops by what a node has left."""
    full = why_conntrack_full(node, room.conntrack_entries, room.conntrack_limit)
    if full is not None:
        yield full
    for code, available, total in (
        ("stopped_memory", room.memory_available, room.memory_total),
        ("stopped_disk", room.disk_available, room.disk_total),
    ):
        if total and available < LEAST_AVAILABLE * total:
            value = _percent(available / total)
            yield say(code, node=node, value=value, limit=_percent(LEAST_AVAILABLE))


def why_stop_by(condition: NodeCondition, *, was_ready: bool) -> Iterator[Message]:
    """Why a run stops by what the cluster says of a node, which was ready at its start or not."""
    if was_ready and not condition.ready:
        yield say(NOT_READY, node=condition.name)
    for pressure in condition.pressures:
        yield say("stopped_pressure", node=condition.name, condition=pressure)


def why_stop_without(node: str) -> Message:
    """Why a run stops by a node on which it has pods, and which the cluster has no more."""
    return say("stopped_node_gone", node=node)


def _percent(share: float) -> float:
    return round(100 * share, 1)
