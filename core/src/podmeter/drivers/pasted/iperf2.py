"""iperf 2's words (2.0.5 to 2.2), client's or server's.

Its client reports what it sent: TCP's is what its kernel took, which is near to what arrived in a
long run; of UDP it prints the server's report below. Its lines are iperf3's without a side.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.drivers.pasted import shell
from podmeter.drivers.pasted.amounts import NUMBER
from podmeter.drivers.pasted.commands import Arguments
from podmeter.drivers.pasted.connections import CLIENT, SERVER
from podmeter.drivers.pasted.iperf3_rows import Row, datagrams, result
from podmeter.drivers.pasted.output import Account, Connection, Figure, Output
from podmeter.drivers.pasted.patterns import any_of
from podmeter.drivers.pasted.terms import REVERSE
from podmeter.drivers.reading import agrees

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.domain.messages import Message
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = "iperf"

_CLIENT = re.compile(
    r"Client connecting to \S{1,253}, (?P<protocol>TCP|UDP) port [0-9]{1,5}.{0,100}"
)
_SERVER = re.compile(r"Server listening on (?P<protocol>TCP|UDP) port [0-9]{1,5}.{0,100}")
_ID = r"\[ ?(?P<id>\*?[0-9]{1,4}|SUM(?:-[0-9]{1,4}|-cnt)?)\]"
_CONNECTED = re.compile(
    rf"{_ID} local (?P<here>\S{{1,80}}) port (?P<port>[0-9]{{1,5}}) connected with "
    r"(?P<there>\S{1,80}) port (?P<other>[0-9]{1,5})(?: .{0,200})?"
)
_ROW = re.compile(
    rf"{_ID} (?P<begin>{NUMBER})- ?(?P<end>{NUMBER}) sec (?P<moved>\S{{1,20}}) "
    rf"(?P<bytes>[KMGT]?Bytes) (?P<rate>\S{{1,20}}) (?P<unit>[KMGT]?(?:bits|Bytes)/sec)"
    r"(?: (?P<rest>\S.{0,200}))?"
)
#: What counts datagrams; with -e more follows.
_LOST = re.compile(r"(\S{1,20} ms [0-9]{1,18}/ ?[0-9]{1,18} ?\(\S{1,20}%\))(?: .{1,200})?")
_REPORT = re.compile(rf"{_ID} Server Report:")
_NO_REPORT = re.compile(
    rf"{_ID} WARNING: (?:did not receive ack|ack of last datagram failed) .{{1,100}}"
)
_WORDS = re.compile(
    r"\[ ?ID\] Interval .{1,150}|(?:TCP window|UDP buffer|Write buffer|Read buffer) size: .{1,120}"
    r"|(?:Sending|Receiving) [0-9]{1,9} byte datagrams.{0,120}|TOS (?:set|defaults) to .{1,120}"
    r"|Binding to local .{1,120}|TCP congestion control .{1,100}|Event based writes .{1,100}"
    rf"|{_ID.replace('?P<id>', '?:')} (?:Sent [0-9]{{1,18}} datagrams|MSS .{{1,120}}"
    rf"|{NUMBER}- ?{NUMBER} sec [0-9]{{1,18}} datagrams received out-of-order.{{0,20}})"
    r"|Datagrams? of size .{1,100}|WARNING: .{1,300}|Isochronous .{1,200}|Clock sync .{1,100}"
    r"|iperf version 2\..{1,120}|Waiting for server threads .{1,100}"
)
_FAILS = re.compile(
    r"(?:connect|listener bind|bind|read|write|recv|send|accept|select"
    r"|tcp connect\w{0,10})\d{0,2} failed: .{1,200}"
    r"|(?:read|write)\d{1,2} failed.{0,200}|error: .{1,200}"
)
#: Where a whole run ended, by the clock: intervals end at tenths of a second.
_MEASURED = re.compile(r"[0-9]{1,9}\.[0-9](?!0{1,3}$)[0-9]{1,3}")
#: The seconds of a run by itself.
_SECONDS = 10.0


@dataclass(slots=True)
class _Readings:
    end: str = ""
    udp: bool = False
    rows: dict[str, list[tuple[Line, re.Match[str]]]] = field(default_factory=dict)
    connected: dict[str, Connection] = field(default_factory=dict)
    #: Whether the server sent (-R), which its client marks by a star.
    reverse: bool = False
    #: From where on rows are the server's, of its report.
    reported: bool = False
    report: dict[str, tuple[Line, re.Match[str]]] = field(default_factory=dict)
    unreported: bool = False
    last: int = 0


_FIRST = any_of(_CLIENT, _SERVER, _CONNECTED)


def begins(text: str) -> bool:
    """Whether a line is iperf 2's, and none that iperf3 prints as well."""
    return _FIRST.fullmatch(text) is not None or (
        text.startswith(("iperf version 2.", "listener bind failed: ", "tcp connect failed: "))
    )


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The run that begins here; a server's log has one after another."""
    first, readings = cursor.line, _Readings()
    while not cursor.ended:
        line = cursor.line
        text = line.flat
        if shell.is_blank(text):
            cursor.at += 1
            continue
        row = _ROW.fullmatch(text)
        head = _CLIENT.fullmatch(text) or _SERVER.fullmatch(text)
        connected = _CONNECTED.fullmatch(text)
        if (head or connected) and readings.rows:
            break
        if row is not None:
            _add(readings, line, row)
        elif head is not None:
            end = CLIENT if text.startswith("Client") else SERVER
            if readings.end not in ("", end):
                line.refuse(say("paste_iperf2_both"))
            readings.end, readings.udp = end, readings.udp or head["protocol"] == "UDP"
        elif connected is not None:
            here, there = (
                f"{connected[host]}:{connected[port]}"
                for host, port in (("here", "port"), ("there", "other"))
            )
            readings.connected[connected["id"]] = Connection(here, there)
            readings.reverse |= "(reverse)" in text
        elif _REPORT.fullmatch(text):
            readings.reported = readings.udp = True
        elif _NO_REPORT.fullmatch(text):
            readings.unreported = True
        elif _FAILS.fullmatch(text):
            line.refuse(say("tool_said", tool=TOOL_NAME, said=text[:300]))
        elif not _WORDS.fullmatch(text):
            break
        readings.last = cursor.take().number
    if not readings.rows:
        if readings.end != CLIENT and not readings.connected:
            return ()
        cursor.line_of(readings.last or first.number).refuse(
            say("paste_cut", tool=TOOL_NAME, missing="sec")
        )
    return (_output(readings, first, cursor.command),)


def _add(readings: _Readings, line: Line, row: re.Match[str]) -> None:
    stars = {id_.startswith("*") for id_ in [row["id"], *readings.rows] if id_ != "SUM"}
    if True in stars and (len(stars) > 1 or not readings.reverse):
        line.refuse(say("paste_iperf2_both"))
    if row["id"].startswith("SUM-"):
        return
    if readings.reported:
        readings.report[row["id"]] = line, row
    readings.rows.setdefault(row["id"], []).append((line, row))


def _output(readings: _Readings, first: Line, command: str) -> Output:
    streams = len([id_ for id_ in readings.rows if id_ != "SUM"]) or None
    arguments = Arguments.of(command, "iperf")
    asked = arguments.whole("-P", "--parallel")
    if max(streams or 1, len(readings.connected), asked or 1) > 1 and "SUM" not in readings.rows:
        last = next(iter(readings.rows.values()))[-1][0]
        last.refuse(
            say("paste_no_sum", streams=max(streams or 1, len(readings.connected), asked or 1))
        )
    which = "SUM" if "SUM" in readings.rows else next(iter(readings.rows))
    own = [one for one in readings.rows[which] if one != readings.report.get(which)]
    sent = received = None
    notes: tuple[Message, ...] = ()
    if readings.report and which in readings.report:
        received = _result(*readings.report[which])
        # Its server reports when all was sent: what is before that is whole.
        sent = _result(*own[-1]) if own and _spans(own[-1][1], readings.report[which][1]) else None
    elif readings.reverse and readings.end == SERVER:
        sent, notes = _whole_run(own, command), (say("paste_sender_only"),)
    elif (
        readings.reverse
        or readings.end == SERVER
        or (own and _LOST.fullmatch(own[-1][1]["rest"] or ""))
    ):
        received = _whole_run(own, command)
    elif readings.udp or arguments.flag("-u", "--udp"):
        sent, notes = _whole_run(own, command), (say("paste_iperf2_udp_sent"),)
    else:
        received, notes = _whole_run(own, command), (say("paste_iperf2_sent"),)
    figures: list[Figure] = []
    udp = readings.udp or (received is not None and received.counts_datagrams)
    if received is not None:
        if received.rate.value <= 0:
            received.line.refuse(say("paste_nothing_arrived", tool=TOOL_NAME, path="0"))
        figures.append(
            Figure("throughput", received.rate.value, received.printed, received.line.number)
        )
        if sent is not None:
            with received.line.locating_errors():
                agrees(
                    TOOL_NAME, "Server Report", received.moved.least, 0.0, sent.moved.most * 1.01
                )
    if sent is not None and sent.rate.value > 0:
        figures.append(Figure("throughput_sent", sent.rate.value, sent.printed, sent.line.number))
    if received is not None and received.counts_datagrams:
        figures += datagrams(received)
    if not figures:
        own[-1][0].refuse(say("paste_zero", tool=TOOL_NAME))
    point: dict[str, AxisValue] = {"protocol": "udp" if udp else "tcp"}
    if streams or asked:
        point["streams"] = streams or asked or 1
    if readings.reverse:
        point["data_flow"] = REVERSE
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=readings.last,
        figures=tuple(figures),
        point=point,
        command=command,
        seconds=(received or sent).seconds.value,  # type: ignore[union-attr]
        notes=notes,
        account=Account(frozenset(readings.connected.values()), readings.end),
    )


def _whole_run(rows: list[tuple[Line, re.Match[str]]], command: str) -> Row:
    """The row of the whole run: the last one, from 0 to the end of all others.

    One row alone may be the first interval of a report that was broken off, but for versions that
    print when it ended.
    """
    line, row = rows[-1]
    begin, end = float(row["begin"]), float(row["end"])
    ends = [float(one["end"]) for _, one in rows[:-1]]
    whole = begin == 0 and (bool(ends) and end >= max(ends) - 0.5 and ends != [end])
    if begin == 0 and _MEASURED.fullmatch(row["end"]) and end >= max(ends, default=end) - 0.5:
        whole = True
    elif not ends and begin == 0:
        arguments = Arguments.of(command, "iperf")
        asked = arguments.option("-t", "--time")
        told = (
            float(asked)
            if asked and re.fullmatch(r"[0-9]{1,6}(?:\.[0-9]{1,3})?", asked)
            else _SECONDS
        )
        stepped = arguments.option("-i", "--interval") is not None
        whole = end >= 0.95 * told and not (stepped and end < told)
    if not whole:
        line.refuse(say("paste_cut", tool=TOOL_NAME, missing="0.0-"))
    return _result(line, row)


def _spans(row: re.Match[str], report: re.Match[str]) -> bool:
    """Whether a row is of the whole run that a report is of."""
    begin, end = float(row["begin"]), float(row["end"])
    return begin == 0 and abs(end - float(report["end"])) <= 0.1 * end


def _result(line: Line, row: re.Match[str]) -> Row:
    lost = _LOST.fullmatch(row["rest"] or "")
    return result(line, row, lost[1] if lost else "")
