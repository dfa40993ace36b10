"""iperf3's words for people, client's or server's, with or without intervals, in any unit.

What the receiver got is the result, so a text without such a line has none: intervals are never
put together to one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.drivers.iperf3_flows import TOOL_NAME
from podmeter.drivers.pasted import shell
from podmeter.drivers.pasted.iperf3_rows import (
    ROW,
    SIDED,
    STREAM,
    Row,
    check_interval,
    datagrams,
    result,
)
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.pasted.terms import FORWARD, REVERSE
from podmeter.drivers.reading import agrees, whole

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.drivers.pasted.text import Cursor, Line

#: What begins an output, and what stands in one without a figure that is read.
_BEGINS = re.compile(
    r"Connecting to host \S{1,253}, port [0-9]{1,5}|Accepted connection from \S{1,253}, .{1,40}"
    r"|iperf 3\.[0-9]{1,3}\S{0,20}.{0,60}"
)
_WORDS = re.compile(
    r"Server listening on [0-9]{1,5}.{0,200}|Reverse mode, remote host \S{1,253} is sending"
    r"|\[ ?ID\](?: ?\[Role\])? Interval .{1,120}"
    rf"|{STREAM} local \S{{1,80}} port [0-9]{{1,5}}"
    r" connected (?:to|with) \S{1,80} port [0-9]{1,5}"
    r"|iperf Done\.|Test Complete\. Summary Results:"
    r"|(?:Time|Cookie|TCP MSS|Target Bitrate): .{1,120}"
    r"|Starting Test: .{1,200}|CPU Utilization: .{1,200}|(?:snd|rcv)_tcp_congestion \w{1,20}"
    r"|Control connection MSS [0-9]{1,6}|(?:Linux|Darwin|FreeBSD) \S{1,253} .{1,250}"
    r"|[Ww](?:arning|ARNING): .{1,200}|\[ ?(?:[0-9]{1,4}|SUM)\] Sent [0-9]{1,18} datagrams"
    r"|\[ ?(?:[0-9]{1,4}|SUM)\].{0,40} datagrams received out-of-order"
    r"|Server (?:output|JSON output):|.{0,60}sender statistics not available.{0,10}"
)
_CONNECTED = re.compile(r"\[ ?(?P<id>[0-9]{1,4})\] local .{1,200}")
_FAILS = re.compile(r"iperf3: .{1,500}|.{0,60}receiver statistics not available.{0,10}")
_WAITS = re.compile(r"Server listening on .{1,300}|[-=]{3,200}|iperf 3.{1,80}")
_ENDS = ("iperf Done.",)
#: What both ends count alike may differ by this much: one stops counting before the other.
_NEAR = 0.01


@dataclass(slots=True)
class _Found:
    """Results by the role of an end, its side and the stream's number."""

    rows: dict[tuple[str, str, str], Row] = field(default_factory=dict)
    #: The streams of each role that any line is of.
    streams: dict[str, set[str]] = field(default_factory=dict)
    connected: set[str] = field(default_factory=set)
    reverse: bool = False
    version: str = ""
    last: int = 0


def begins(text: str) -> bool:
    """Whether a line is one of iperf3's."""
    return any(one.fullmatch(text) for one in (_BEGINS, ROW, _WORDS, _FAILS))


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The output that begins here: one direction's, or with --bidir one for each."""
    first, found = cursor.line, _Found()
    while not cursor.ended:
        text = cursor.line.flat
        if shell.is_blank(text):
            cursor.at += 1
            continue
        row = ROW.fullmatch(text)
        if found.rows and (_BEGINS.fullmatch(text) or (row and _is_new(row, found))):
            break
        if row is not None:
            found.streams.setdefault(row["role"] or "", set()).add(row["id"])
            _add(cursor.line, row, found)
        elif _FAILS.fullmatch(text):
            said = text.removeprefix("iperf3: ")[:300]
            cursor.line.refuse(say("tool_said", tool=TOOL_NAME, said=said))
        elif _BEGINS.fullmatch(text) or _WORDS.fullmatch(text):
            found.reverse |= text.startswith("Reverse mode")
            if connected := _CONNECTED.fullmatch(text):
                # With --bidir it does not say whose role it has; its rows do.
                found.connected.add(connected["id"])
            if text.startswith("iperf 3"):
                found.version = text.split(" ")[1]
        else:
            break
        found.last = cursor.take().number
        if text in _ENDS:
            break
    if not found.rows:
        taken = cursor.lines[first.number - 1 : found.last]
        if all(shell.is_blank(one.flat) or _WAITS.fullmatch(one.flat) for one in taken):
            # A server that waits for its first client.
            return ()
        taken[-1].refuse(say("paste_no_receiver"))
    return _outputs(found, first, cursor.command)


def _is_new(row: re.Match[str], found: _Found) -> bool:
    """Whether a line is of another run than the results before it."""
    sided = SIDED.fullmatch(row["rest"] or "")
    if sided is None:
        return True
    return (row["role"] or "", sided["side"], row["id"]) in found.rows


def _add(line: Line, row: re.Match[str], found: _Found) -> None:
    sided = SIDED.fullmatch(row["rest"] or "")
    if sided is None:
        check_interval(line, row)
        return
    key = row["role"] or "", sided["side"], row["id"]
    found.rows[key] = result(line, row, sided["rest"] or "")


def _outputs(found: _Found, first: Line, command: str) -> tuple[Output, ...]:
    made = []
    for role in dict.fromkeys(role for role, _, _ in found.rows):
        sides = {
            side: {
                id_: row for (of, at, id_), row in found.rows.items() if (of, at) == (role, side)
            }
            for side in ("sender", "receiver")
        }
        last = max(found.rows.values(), key=lambda one: one.line.number).line
        if not sides["receiver"]:
            last.refuse(say("paste_no_receiver"))
        seen = (found.streams[role] | (set() if role else found.connected)) - {"SUM"}
        streams = max(len(seen), shell.whole_option(command, "-P", "--parallel") or 1)
        received = _whole(sides["receiver"], streams)
        sent = _whole(sides["sender"], streams) if sides["sender"] else None
        made.append(_output(received, sent, _point(role, sides["receiver"], found, command)))
    return tuple(
        Output(
            tool=TOOL_NAME,
            first=first.number,
            last=found.last,
            figures=figures,
            point=point,
            version=found.version,
            command=command,
            seconds=seconds,
        )
        for figures, point, seconds in made
    )


def _whole(rows: dict[str, Row], streams: int) -> Row:
    """The row of all streams, which is the sum of theirs."""
    alone = [row for id_, row in rows.items() if id_ != "SUM"]
    if "SUM" not in rows:
        if streams > 1:
            alone[-1].line.refuse(say("paste_no_sum", streams=streams))
        return alone[0]
    total = rows["SUM"]
    if alone:
        with total.line.blamed():
            agrees(
                *(TOOL_NAME, "[SUM] Transfer", total.moved.value),
                sum(one.moved.least for one in alone) - total.moved.slack,
                sum(one.moved.most for one in alone) + total.moved.slack,
            )
    return total


def _point(role: str, rows: dict[str, Row], found: _Found, command: str) -> dict[str, AxisValue]:
    udp = any(one.counts_datagrams for one in rows.values())
    if shell.has_flag(command, "-u", "--udp") and not udp:
        next(iter(rows.values())).line.refuse(say("paste_odd", tool=TOOL_NAME))
    point: dict[str, AxisValue] = {"protocol": "udp" if udp else "tcp"}
    alone = [id_ for id_ in rows if id_ != "SUM"]
    streams = len(alone) or shell.whole_option(command, "-P", "--parallel")
    if streams is not None:
        point["streams"] = streams
    if role:
        # The client's own end sends in TX-C and receives in RX-C; the server's the other way round.
        point["data_flow"] = FORWARD if role in ("TX-C", "RX-S") else REVERSE
        point["bidirectional"] = "both"
    elif found.reverse or shell.has_flag(command, "-R", "--reverse"):
        point["data_flow"] = REVERSE
    return point


def _output(
    received: Row, sent: Row | None, point: dict[str, AxisValue]
) -> tuple[tuple[Figure, ...], dict[str, AxisValue], float]:
    line = received.line
    if received.rate.value <= 0:
        line.refuse(say("iperf3_nothing"))
    figures = [Figure("throughput", received.rate.value, received.printed, line.number)]
    # An old server does not know what was sent, and prints that as nothing.
    if sent is not None and sent.rate.value > 0:
        with sent.line.blamed():
            agrees(
                *(TOOL_NAME, "Transfer", received.moved.value, 0.0),
                sent.moved.most * (1 + _NEAR) + received.moved.slack,
            )
        figures.append(Figure("throughput_sent", sent.rate.value, sent.printed, sent.line.number))
        if re.fullmatch(r"[0-9]{1,12}", sent.rest):
            with sent.line.blamed():
                again = whole(TOOL_NAME, sent.rest)
            figures.append(Figure("retransmits", float(again), sent.rest, sent.line.number))
        elif sent.rest and not sent.counts_datagrams:
            sent.line.refuse(say("paste_odd", tool=TOOL_NAME))
    if point["protocol"] == "udp":
        figures += datagrams(received)
    elif received.rest:
        line.refuse(say("paste_odd", tool=TOOL_NAME))
    return tuple(figures), point, received.seconds.value
