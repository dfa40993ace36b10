"""One connection is one output, whichever of its ends tell of it and how often.

A client and its server each print a report, and a client may print its server's below its own
(`--get-server-output`). Which reports are of one run is known by the connections' addresses and
ports: behind a Service the two ends know the server by other addresses, but the client by one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from podmeter.drivers.pasted.output import Account, Connection
from podmeter.drivers.reading import agrees

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from podmeter.drivers.pasted.output import Figure, Output
    from podmeter.drivers.pasted.text import Cursor, Line

CLIENT, SERVER = "client", "server"
#: Both ends' rates of one run: each divides by its own clock's seconds, and a short run by others.
_NEAR = 0.2
#: How near a report's words are to its document, which has all digits, and how many say so.
_SAME, _LEAST_SHARED = 1e-5, 3
#: Figures by which a report is known again, and the ratio of values that are distinguished.
_TELLING = (
    *("request_mean", "ab_request_mean", "requests_per_second", "request_rate"),
    *("transactions_per_second", "message_latency"),
)
_STEP = 1e-4
#: What the receiver counts.
_RECEIVED = ("throughput", "udp_jitter", "udp_loss")


def with_servers(
    own: tuple[Output, ...], servers: tuple[Output, ...], cursor: Cursor
) -> tuple[Output, ...]:
    """A client's outputs with those that it printed of its server."""
    made = list(own)
    for told in servers:
        place = next((at for at, one in enumerate(made) if _same_flow(one, told)), None)
        if place is not None:
            made[place] = _combined(made[place], told, cursor.line_of)
    return tuple(made)


def joined(
    outputs: Iterable[Output], line_of: Callable[[int], Line]
) -> tuple[list[Output], list[int]]:
    """The outputs, those of one run put together at the place of the first; and by output where."""
    found: list[Output] = []
    where: list[int] = []
    places: dict[str, list[int]] = {}
    reports: dict[tuple[str, int | None, int], list[int]] = {}
    for one in outputs:
        ends = {end for each in one.account.connections for end in (each.local, each.remote)}
        keys = [] if ends else _report_keys(one)
        if ends:
            candidates = sorted({place for end in ends for place in places.get(end, ())})
            place = next((at for at in candidates if _is_same(found[at], one)), None)
        else:
            candidates = [at for key in keys for at in reports.get(key, ())]
            place = next((at for at in candidates if _is_same_report(found[at], one)), None)
        where.append(len(found) if place is None else place)
        if place is not None:
            if not ends:
                found[place] = _richer(found[place], one)
            elif not _is_repeated(found[place], one):
                client, server = _by_end(found[place], one)
                found[place] = _combined(client, server, line_of)
            continue
        for end in ends:
            places.setdefault(end, []).append(len(found))
        if keys:
            reports.setdefault(keys[0], []).append(len(found))
        found.append(one)
    return found, where


def _report_keys(one: Output) -> list[tuple[str, int | None, int]]:
    """By what the same run's other report is found: its own key, and those of values nearby.

    None for a report that tells too little to be known again.
    """
    precise = {each.metric: each.value for each in one.figures if _is_precise(each.value)}
    value = next((precise[metric] for metric in _TELLING if metric in precise), None)
    if value is None or len(one.figures) < _LEAST_SHARED:
        return []
    near = round(math.log(value) / _STEP)
    return [(one.tool, one.requests, near + step) for step in (0, -1, 1)]


def _is_precise(value: float) -> bool:
    """Whether a figure has so many digits that no other run has it by chance."""
    return value > 0 and len(f"{value:.12g}".partition("e")[0].strip("0.").replace(".", "")) >= 5


def _is_same_report(one: Output, other: Output) -> bool:
    """Whether a run appears twice: as text and as JSON, or in a text that was pasted twice.

    So it is where at least three figures are the same, and one of them to five digits or more.
    """
    if one.point.get("qperf_test") != other.point.get("qperf_test"):
        return False
    ours, theirs = ({each.metric: each for each in both.figures} for both in (one, other))
    shared = [(ours[name], theirs[name]) for name in ours.keys() & theirs.keys()]
    if len(shared) < _LEAST_SHARED:
        return False
    return all(abs(mine.value - its.value) <= _SAME * mine.value for mine, its in shared)


def _richer(one: Output, other: Output) -> Output:
    """Of a run that appears twice the fuller output, over the lines of both."""
    most = other if len(other.figures) > len(one.figures) else one
    return replace(most, first=min(one.first, other.first), last=max(one.last, other.last))


def _is_same(one: Output, other: Output) -> bool:
    """Whether two outputs are of the same run."""
    if one.tool != other.tool or not _same_flow(one, other):
        return False
    return _is_repeated(one, other) or _is_mirrored(one.account, other.account)


def _same_flow(one: Output, other: Output) -> bool:
    """Both directions of a run at once are two outputs."""
    both = [each.point.get("bidirectional") for each in (one, other) if each.point]
    if not any(both):
        return True
    return one.point.get("data_flow") == other.point.get("data_flow")


def _is_repeated(one: Output, other: Output) -> bool:
    """Whether one is the other once more, as where a text was pasted twice."""
    return one.account.connections == other.account.connections and _values(one) == _values(other)


def _values(one: Output) -> set[tuple[str, str, float]]:
    return {(each.metric, each.subject, each.value) for each in one.figures}


def _is_mirrored(one: Account, other: Account) -> bool:
    """Whether the two are the two ends of a connection."""
    if {one.end, other.end} in ({CLIENT}, {SERVER}):
        return False
    turned = {Connection(each.remote, each.local) for each in other.connections}
    if one.connections & turned:
        return True
    client, server = (one, other) if CLIENT in (one.end,) or other.end == SERVER else (other, one)
    if client.end == SERVER or server.end == CLIENT or not (client.end or server.end):
        return False
    return not {each.local for each in client.connections}.isdisjoint(
        each.remote for each in server.connections
    )


def _by_end(one: Output, other: Output) -> tuple[Output, Output]:
    """The client's account first."""
    if one.account.end == SERVER or other.account.end == CLIENT:
        return other, one
    return one, other


def _combined(client: Output, server: Output, line_of: Callable[[int], Line]) -> Output:
    """One run by both accounts: the client's figures, and what only the server tells.

    Raises PasteError where the two contradict each other.
    """
    ours, theirs = ({one.metric: one for one in each.figures} for each in (client, server))
    if "throughput" in ours or "throughput" not in theirs:
        both = (each.get("throughput") for each in (ours, theirs))
        _agree(*both, line_of=line_of)
        added = [one for name, one in theirs.items() if name not in ours and name not in _RECEIVED]
        return _spanning(client, server, [*client.figures, *added], added)
    received = [one for name, one in theirs.items() if name in _RECEIVED]
    kept = [one for name, one in ours.items() if name not in _RECEIVED]
    added = [
        *received,
        *(one for name, one in theirs.items() if name not in ours and name not in _RECEIVED),
    ]
    whole = replace(
        client,
        point={**server.point, **client.point},
        seconds=server.seconds,
        notes=server.notes,
        account=replace(client.account, lacks=None, blamed=0),
    )
    order = [*added[: len(received)], *kept, *added[len(received) :]]
    return _spanning(whole, server, order, added)


def _agree(one: Figure | None, other: Figure | None, *, line_of: Callable[[int], Line]) -> None:
    if one is None or other is None:
        return
    with line_of(other.line).locating_errors():
        agrees(
            "iperf3",
            "the server's rate",
            other.value,
            one.value * (1 - _NEAR),
            one.value * (1 + _NEAR),
        )


def _spanning(
    client: Output, server: Output, figures: Sequence[Figure], added: Sequence[Figure]
) -> Output:
    """The client's output with these figures, over the lines of all of them."""
    account = replace(
        client.account, connections=client.account.connections | server.account.connections
    )
    first, last = client.first, client.last
    if added:
        first, last = min(first, server.first), max(last, server.last)
    return replace(client, first=first, last=last, figures=tuple(figures), account=account)
