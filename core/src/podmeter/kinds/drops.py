"""What the places that requests pass have dropped over a trial, and their room for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError, UnsafeClusterError, VoidTrialError
from podmeter.domain.messages import say
from podmeter.domain.safety import why_conntrack_full
from podmeter.drivers import proc

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podmeter.domain.messages import Message
    from podmeter.domain.ports import ExecTarget

    #: The counters of each place, by its name.
    Counters = Mapping[str, proc.Counters]


def check(before: Counters, after: Counters, server: ExecTarget) -> None:
    """Raise VoidTrialError where a drop counter rose."""
    rises = [
        say("counter_rose", counter=name, place=place, rise=rise)
        for place, counters in after.items()
        for name, rise in proc.moved(before[place], counters).items()
        if _tells(place, name, server)
    ]
    if rises:
        raise VoidTrialError(say("packets_dropped", counters=sorted(rises)))


def blind_spots(counters: Counters, server: ExecTarget) -> list[Message]:
    """What would go unnoticed, since a place does not show it."""
    hidden = [
        (place, [group for group in one.unseen if _tells(place, group, server)])
        for place, one in counters.items()
    ]
    return [say("drops_unseen", place=place, counters=groups) for place, groups in hidden if groups]


def check_room(counters: Counters, hosts: Iterable[ExecTarget], connections: int) -> None:
    """Raise UnsafeClusterError where a node's conntrack table, which is drained, is nearly
    full, and ToolError where so many connections would fill it.
    """
    for place in hosts:
        found = counters[place.name]
        if found.conntrack_entries is None or found.conntrack_limit is None:
            continue  # one of its blind spots
        why = why_conntrack_full(str(place.node), found.conntrack_entries, found.conntrack_limit)
        if why is not None:
            raise UnsafeClusterError(why)
        free = found.conntrack_limit - found.conntrack_entries
        if free < connections:
            raise ToolError(say("conntrack_full", node=place.node, free=free, needed=connections))


def _tells(place: str, counter: str, server: ExecTarget) -> bool:
    # On a node's own network other servers listen; in the server's pod only the server.
    return (counter.partition(".")[0] == "tcp") == (place == server.name)
