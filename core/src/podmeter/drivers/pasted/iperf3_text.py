"""iperf3's words for people, client's or server's, with or without intervals, in any unit.

What the receiver got is the result, so an output without such a line has none: intervals are never
put together to one. A connection has two ends, which may both tell of it: `connections.py` puts
their accounts together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from podmeter.domain.messages import Message, say
from podmeter.drivers.iperf3_flows import TOOL_NAME
from podmeter.drivers.pasted import iperf3_words as words
from podmeter.drivers.pasted import shell
from podmeter.drivers.pasted.commands import Arguments
from podmeter.drivers.pasted.connections import CLIENT, SERVER, with_servers
from podmeter.drivers.pasted.iperf3_rows import (
    ROW,
    SIDED,
    Row,
    check_interval,
    datagrams,
    result,
)
from podmeter.drivers.pasted.json_values import skip_value
from podmeter.drivers.pasted.output import Account, Connection, Figure, Output
from podmeter.drivers.pasted.terms import FORWARD, REVERSE
from podmeter.drivers.reading import agrees, whole

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.drivers.pasted.text import Cursor, Line

#: What both ends count alike may differ by this much: one stops counting before the other.
_NEAR = 0.01


#: From how many characters on a line may have been wrapped, and how long its end is at most.
_LEAST_WRAPPED, _MOST_WRAPPED = 55, 45


@dataclass(slots=True)
class _Readings:
    """Results by the role of an end, its side and the stream's number."""

    rows: dict[tuple[str, str, str], Row] = field(default_factory=dict)
    #: The streams of each role that any line is of.
    streams: dict[str, set[str]] = field(default_factory=dict)
    connected: dict[str, Connection] = field(default_factory=dict)
    #: Rows of datagrams without a side since the last header, by stream.
    sideless: dict[str, tuple[Line, re.Match[str]]] = field(default_factory=dict)
    #: Whether it says how many datagrams were sent: so does a version that tells no sides.
    says_sent: bool = False
    end: str = ""
    reverse: bool = False
    #: As -V names it.
    protocol: str = ""
    version: str = ""
    last: int = 0
    #: Why a server's test has no result, with the line that says so.
    failed: tuple[Message, Line] | None = None


def begins(text: str) -> bool:
    """Whether a line is one of iperf3's."""
    return words.is_own(text) or any(one.fullmatch(text) for one in (ROW, words.FAILS))


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The output that begins here: one direction's, or with --bidir one for each."""
    first, begin = cursor.line, cursor.at
    readings = _account(cursor, _Readings())
    if cursor.ended or (output := words.SERVER_OUTPUT.fullmatch(cursor.line.flat)) is None:
        return _made(cursor, readings, first, begin)
    cursor.take()
    if output["json"]:
        skip_value(cursor)
    nested, nested_begin = _Readings(end=SERVER), cursor.at
    if not cursor.ended:
        _account(cursor, nested)
    outputs: tuple[Output, ...] = ()
    if nested.last:
        outputs = _made(cursor, nested, cursor.lines[nested_begin], nested_begin)
    if not cursor.ended and _goes_on(cursor.line.flat, readings):
        _account(cursor, readings)
    return with_servers(_made(cursor, readings, first, begin), outputs, cursor)


def _goes_on(text: str, readings: _Readings) -> bool:
    """Whether a line is a result of the same client's other direction."""
    row = ROW.fullmatch(text)
    return bool(row and row["role"] in readings.streams and not _is_new(row, readings))


def _account(cursor: Cursor, readings: _Readings) -> _Readings:
    """What one end says of a run, up to what is none of its words."""
    nested = readings.end == SERVER
    while not cursor.ended:
        line, wrapped = _unwrapped(cursor)
        text = line.flat
        if shell.is_blank(text):
            cursor.at += 1
            continue
        row = ROW.fullmatch(text)
        if readings.rows and (_is_begin(text) or (row and _is_new(row, readings))):
            break
        if readings.rows and words.STOPPED.fullmatch(text) and _listens_after(cursor):
            # Standard error overtook the words of a server that had ended its tests.
            break
        if nested and row is not None and (row["role"] or "").endswith("-C"):
            # With --bidir the client prints its second direction below its server's words.
            break
        if words.SERVER_OUTPUT.fullmatch(text) and not nested:
            break
        if row is not None:
            readings.streams.setdefault(row["role"] or "", set()).add(row["id"])
            _add(line, row, readings)
        elif words.STOPPED.fullmatch(text) and not _is_running(readings):
            pass
        elif not words.is_own(text) and words.FAILS.fullmatch(text):
            if readings.end == SERVER and not nested and not readings.rows:
                if readings.connected:
                    readings.failed = say("tool_said", tool=TOOL_NAME, said=_said(text)), line
            else:
                line.refuse(say("tool_said", tool=TOOL_NAME, said=_said(text)))
        elif words.is_own(text):
            if words.LISTENING.fullmatch(text) and readings.failed:
                break
            _note(line, readings)
        else:
            break
        readings.last = cursor.take().number
        if wrapped:
            readings.last = cursor.take().number
        if text == words.DONE:
            break
    return readings


def _unwrapped(cursor: Cursor) -> tuple[Line, bool]:
    """The cursor's line with its end, where a terminal or a mail put that on a line of its own."""
    line = cursor.line
    if len(line.text) < _LEAST_WRAPPED or cursor.at + 1 >= len(cursor.lines):
        return line, False
    after = cursor.lines[cursor.at + 1]
    if not after.flat or len(after.flat) > _MOST_WRAPPED or begins(after.flat):
        return line, False
    if shell.is_blank(after.flat) or shell.command(after.flat) is not None:
        return line, False
    for text in (line.text + after.text, f"{line.text} {after.text}"):
        flat = " ".join(text.split())
        row = ROW.fullmatch(flat)
        if (row and SIDED.fullmatch(row["rest"] or "")) or words.is_own(flat):
            return replace(line, text=text, flat=flat), True
    return line, False


def _is_begin(text: str) -> bool:
    return any(
        one.fullmatch(text)
        for one in (words.CONNECTING, words.ACCEPTED, words.VERSION, words.LISTENING)
    )


def _listens_after(cursor: Cursor) -> bool:
    """Whether a server waits for its next client below the cursor's line."""
    below = cursor.lines[cursor.at + 1 : cursor.at + 5]
    next_line = next((one.flat for one in below if not shell.is_blank(one.flat)), "")
    return words.LISTENING.fullmatch(next_line) is not None


def _is_running(readings: _Readings) -> bool:
    """Whether a test has begun."""
    return bool(readings.connected or readings.rows or readings.streams)


def _said(text: str) -> str:
    return text.removeprefix("iperf3: ")[:300]


def _note(line: Line, readings: _Readings) -> None:
    """Keep what one of the words tells."""
    text = line.flat
    readings.reverse |= words.REVERSE.fullmatch(text) is not None
    if words.CONNECTING.fullmatch(text):
        readings.end = CLIENT
    elif words.ACCEPTED.fullmatch(text) or words.LISTENING.fullmatch(text):
        readings.end = SERVER
    elif connected := words.CONNECTED.fullmatch(text):
        # With --bidir it does not say whose role it has; its rows do.
        here, there = (
            f"{connected[host]}:{connected[port]}"
            for host, port in (("here", "port"), ("there", "other"))
        )
        readings.connected[connected["id"]] = Connection(here, there)
    elif words.HEADER.fullmatch(text):
        readings.sideless = {}
    elif starting := words.STARTING.fullmatch(text):
        readings.protocol = starting[1]
    elif words.SENT.fullmatch(text):
        readings.says_sent = True
    elif words.VERSION.fullmatch(text):
        readings.version = text.split(" ")[1]


def _is_new(row: re.Match[str], readings: _Readings) -> bool:
    """Whether a line is of another run than the results before it."""
    sided = SIDED.fullmatch(row["rest"] or "")
    if sided is None:
        return True
    return (row["role"] or "", sided["side"], row["id"]) in readings.rows


def _add(line: Line, row: re.Match[str], readings: _Readings) -> None:
    sided = SIDED.fullmatch(row["rest"] or "")
    if sided is not None:
        key = row["role"] or "", sided["side"], row["id"]
        readings.rows[key] = result(line, row, sided["rest"] or "")
        return
    check_interval(line, row)
    if Row.is_of_datagrams(row["rest"] or ""):
        readings.sideless[row["id"]] = line, row


def _made(cursor: Cursor, readings: _Readings, first: Line, begin: int) -> tuple[Output, ...]:
    """The outputs of an end's account; none of a server that waits for its first client."""
    taken = cursor.lines[begin : cursor.at]
    if not readings.rows and readings.says_sent and readings.sideless:
        return (_old_datagrams(readings, first, cursor.command),)
    if not readings.rows:
        if readings.failed is not None:
            why, line = readings.failed
            return (_lacking(readings, {}, first, cursor.command, why, line),)
        idle = readings.end != CLIENT and not _is_running(readings)
        lines = [one for one in taken if not shell.is_blank(one.flat)]
        if idle and (
            readings.end == SERVER or all(words.WAITS.fullmatch(one.flat) for one in lines)
        ):
            return ()
        last = next(one for one in reversed(taken) if one.flat)
        why = say("paste_no_receiver")
        return (_lacking(readings, {}, first, cursor.command, why, last),)
    return _outputs(readings, first, cursor.command)


def _outputs(readings: _Readings, first: Line, command: str) -> tuple[Output, ...]:
    made: list[Output] = []
    half = False
    asked = Arguments.of(command, "iperf3").whole("-P", "--parallel") or 1
    roles = tuple(dict.fromkeys(role for role, _, _ in readings.rows))
    for role in roles:
        received, sent = (
            {id_: row for (of, at, id_), row in readings.rows.items() if (of, at) == (role, side)}
            for side in ("receiver", "sender")
        )
        if not received and readings.end == SERVER and role:
            # Of both directions a server knows only what it received.
            half = True
            continue
        seen = (readings.streams[role] | (set() if role else set(readings.connected))) - {"SUM"}
        streams = max(len(seen), asked)
        result_row = _whole(received, streams) if received else None
        sender = _whole(sent, streams) if sent else None
        point = _point(role, received or sent, readings, command)
        if result_row is None:
            last = max(readings.rows.values(), key=lambda one: one.line.number).line
            why = say("paste_no_receiver")
            figures, notes = _sent(sender), (say("paste_sender_only"),)
            if readings.end == SERVER:
                # It sent, so the run went the other way, which its own words do not say.
                point["data_flow"] = REVERSE
            lacking = _lacking(readings, point, first, command, why, last)
            made.append(lacking.with_figures(figures, notes))
            continue
        made.append(_output(readings, result_row, sender, point, first, command))
    if not made:
        last = max(readings.rows.values(), key=lambda one: one.line.number).line
        last.refuse(say("paste_no_receiver"))
    if half:
        note = say("paste_bidirectional_half")
        return tuple(one.with_figures(one.figures, (*one.notes, note)) for one in made)
    return tuple(made)


def _lacking(
    readings: _Readings,
    point: dict[str, AxisValue],
    first: Line,
    command: str,
    why: Message,
    line: Line,
) -> Output:
    """An account without a result of its own: that may be in the other end's."""
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=readings.last,
        figures=(),
        point=point,
        version=readings.version,
        command=command,
        account=_whose(readings, lacks=why, blamed=line.number),
    )


def _whose(readings: _Readings, lacks: Message | None = None, blamed: int = 0) -> Account:
    return Account(frozenset(readings.connected.values()), readings.end, lacks, blamed)


def _whole(rows: dict[str, Row], streams: int) -> Row:
    """The row of all streams, which is the sum of theirs."""
    alone = [row for id_, row in rows.items() if id_ != "SUM"]
    if "SUM" not in rows:
        if streams > 1:
            alone[-1].line.refuse(say("paste_no_sum", streams=streams))
        return alone[0]
    total = rows["SUM"]
    if alone:
        with total.line.locating_errors():
            agrees(
                *(TOOL_NAME, "[SUM] Transfer", total.moved.value),
                sum(one.moved.least for one in alone) - total.moved.slack,
                sum(one.moved.most for one in alone) + total.moved.slack,
            )
    return total


def _point(
    role: str, rows: dict[str, Row], readings: _Readings, command: str
) -> dict[str, AxisValue]:
    udp = any(one.counts_datagrams for one in rows.values())
    line = next(iter(rows.values())).line
    asked = Arguments.of(command, "iperf3")
    protocol = readings.protocol or ("SCTP" if asked.flag("--sctp") else "")
    if protocol not in ("", "TCP", "UDP"):
        line.refuse(say("paste_protocol", tool=TOOL_NAME, protocol=protocol))
    if (protocol == "UDP" or (not protocol and asked.flag("-u", "--udp"))) and not udp:
        line.refuse(say("paste_odd", tool=TOOL_NAME))
    point: dict[str, AxisValue] = {"protocol": "udp" if udp else "tcp"}
    alone = [id_ for id_ in rows if id_ != "SUM"]
    streams = len(alone) or asked.whole("-P", "--parallel")
    if streams is not None:
        point["streams"] = streams
    if role:
        # The client's own end sends in TX-C and receives in RX-C; the server's the other way round.
        point["data_flow"] = FORWARD if role in ("TX-C", "RX-S") else REVERSE
        point["bidirectional"] = "both"
    elif readings.reverse or (readings.end != CLIENT and asked.flag("-R", "--reverse")):
        point["data_flow"] = REVERSE
    return point


def _output(
    readings: _Readings,
    received: Row,
    sent: Row | None,
    point: dict[str, AxisValue],
    first: Line,
    command: str,
) -> Output:
    line = received.line
    if received.rate.value <= 0:
        line.refuse(say("iperf3_nothing"))
    figures = [Figure("throughput", received.rate.value, received.printed, line.number)]
    if sent is not None and sent.rate.value > 0:
        with sent.line.locating_errors():
            agrees(
                *(TOOL_NAME, "Transfer", received.moved.value, 0.0),
                sent.moved.most * (1 + _NEAR) + received.moved.slack,
            )
    figures += _sent(sent)
    if point["protocol"] == "udp":
        figures += datagrams(received)
    elif received.rest:
        line.refuse(say("paste_odd", tool=TOOL_NAME))
    rounded = received.rounded or (sent.rounded if sent is not None else "")
    notes: tuple[Message, ...] = ()
    if rounded:
        notes = (say("paste_rate_rounded", printed=rounded),)
    if point["protocol"] == "udp" and not any(one.metric == "udp_loss" for one in figures):
        notes += (say("paste_loss_unknown"),)
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=readings.last,
        figures=tuple(figures),
        point=point,
        version=readings.version,
        command=command,
        seconds=received.seconds.value,
        notes=notes,
        account=_whose(readings),
    )


def _sent(sent: Row | None) -> tuple[Figure, ...]:
    """What the sender counted. An old server does not know it, and prints that as nothing."""
    if sent is None or sent.rate.value <= 0:
        return ()
    figures = [Figure("throughput_sent", sent.rate.value, sent.printed, sent.line.number)]
    if re.fullmatch(r"[0-9]{1,12}", sent.rest):
        with sent.line.locating_errors():
            again = whole(TOOL_NAME, sent.rest)
        figures.append(Figure("retransmits", float(again), sent.rest, sent.line.number))
    elif sent.rest and not sent.counts_datagrams:
        sent.line.refuse(say("paste_odd", tool=TOOL_NAME))
    return tuple(figures)


def _old_datagrams(readings: _Readings, first: Line, command: str) -> Output:
    """UDP of versions before 3.10: what was sent, with the receiver's jitter and loss."""
    seen = (set().union(*readings.streams.values()) | set(readings.connected)) - {"SUM"}
    rows = {
        id_: result(line, row, row["rest"] or "") for id_, (line, row) in readings.sideless.items()
    }
    total = _whole(rows, max(len(seen), 1))
    point = _point("", rows, readings, command)
    if total.rate.value <= 0:
        total.line.refuse(say("paste_zero", tool=TOOL_NAME))
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=readings.last,
        figures=(
            Figure("throughput_sent", total.rate.value, total.printed, total.line.number),
            *datagrams(total),
        ),
        point=point,
        version=readings.version,
        command=command,
        seconds=total.seconds.value,
        notes=(say("paste_udp_sent"),),
        account=_whose(readings),
    )
