"""netperf's run: a banner, and its figures in one of four forms; the forms without a banner too."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from podmeter.domain.messages import Message, say
from podmeter.drivers.pasted import commands
from podmeter.drivers.pasted.netperf import classic
from podmeter.drivers.pasted.netperf.fields import (
    BITS,
    BY_HEADING,
    TOOL_NAME,
    UNIT_BY_OPTION,
    NetperfFields,
    options,
    output,
    test_of_command,
)

if TYPE_CHECKING:
    from podmeter.drivers.pasted.output import Figure, Output
    from podmeter.drivers.pasted.text import Cursor, Line

_BANNER = re.compile(
    r"(?:MIGRATED )?(?P<protocol>TCP|UDP|SCTP|DCCP|OMNI) (?P<what>[A-Za-z/"
    r"|_ -]{2,40}?) ?TEST from .{1,600}"
)
_TESTS = {
    "STREAM": "STREAM",
    "UNIDIRECTIONAL SEND": "STREAM",
    "MAERTS": "MAERTS",
    "SENDFILE": "SENDFILE",
    "REQUEST/RESPONSE": "RR",
    "CONNECT/REQUEST/RESPONSE": "CRR",
}
_KEY = re.compile(r"([A-Z][A-Z0-9_]{2,60})=(.{0,300})")
#: Fields that a text without a banner may begin with.
_OWN_KEYS = re.compile(
    r"(?:THROUGHPUT|[A-Z0-9]{2,6}_LATENCY|LOCAL_|REMOTE_|ELAPSED_TIME|TRANSACTION_RATE).{0,400}"
)
_WORDS = re.compile(
    r"Interim result: .{1,200}|catcher: timer popped .{1,100}|!!! .{0,200}|enable_enobufs .{1,100}"
)
_UNSURE = re.compile(r"!!! Desired confidence was not achieved.{0,100}")
_FAILS = re.compile(
    r"(?:establish control|netperf|send_\w{1,40}|recv_\w{1,40}|shutdown_control|remote error"
    r"|create_data_socket"
    r"|error receiving|local_\w{1,40}|data recv)\b.{0,10}: .{1,300}"
    r"|could not establish the control connection .{1,300}"
    r"|are you sure there is a netserver .{1,200}|netperf: remote error .{1,200}"
)
_LIST = re.compile(r"[A-Za-z][A-Za-z0-9_,;]{0,2000}")
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,9})?")


def begins(text: str) -> bool:
    """Whether a line is one of netperf's."""
    if _BANNER.fullmatch(text) or _FAILS.fullmatch(text) or text.startswith("Interim result: "):
        return True
    key = _KEY.fullmatch(text)
    return key is not None and _OWN_KEYS.fullmatch(key[1]) is not None


def row_of_command(command: str, text: str) -> bool:
    """Whether a line is the row of numbers that a command asked for without banner and headings."""
    if not options(command)[0].calls:
        return False
    names = _listed(command)
    if names:
        cells = _cells(text, names)
        return len(cells) == len(names) and any(map(_NUMBER.fullmatch, cells))
    if classic.ROW.fullmatch(text) is None:
        return False
    count = text.count(" ") + 1
    return count in (5, 6, 9, 10) or (count == 1 and options(command)[0].option("-v") == "0")


def is_row(command: str, text: str) -> bool:
    """Whether a line ends such a run, below which a loop's next one may be."""
    return classic.ROW.fullmatch(text) is not None or row_of_command(command, text)


def read_row(cursor: Cursor) -> tuple[Output, ...]:
    """That row."""
    line = cursor.take()
    if commands.changes_rows(cursor.command, TOOL_NAME):
        line.refuse(say("paste_changed_rows", tool=TOOL_NAME))
    test, names = test_of_command(cursor.command), _listed(cursor.command)
    last, unit = line, ""
    added: tuple[Figure, ...] = ()
    if names:
        held = dict(zip(names, _cells(line.flat, names), strict=True))
        fields = {name: (text, line) for name, text in held.items()}
    elif " " not in line.flat:
        fields = {"THROUGHPUT": (line.flat, line)}
    elif test.endswith("RR"):
        fields = classic.requests(line)
        # The server's buffers have a line of their own.
        last = _second(cursor, (2,)) or line
    elif test.startswith("UDP"):
        received = _second(cursor, (4, 6))
        if received is None:
            line.refuse(say("paste_cut", tool=TOOL_NAME, missing="Throughput"))
        last = received
        unit = UNIT_BY_OPTION.get(options(cursor.command)[0].option("-f") or "m", "")
        if unit not in BITS:
            line.refuse(say("paste_netperf_unit"))
        fields, added = classic.datagrams(line, received, BITS[unit], unit)
    else:
        fields = classic.stream(line)
    return (output(NetperfFields(test, fields, line, last, cursor.command, (), unit, added)),)


def _second(cursor: Cursor, counts: tuple[int, ...]) -> Line | None:
    """The second row of a run, right below, if there is one with so many numbers."""
    if cursor.ended or not classic.ROW.fullmatch(cursor.line.flat):
        return None
    return cursor.take() if cursor.line.flat.count(" ") + 1 in counts else None


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The run that begins here."""
    first = cursor.line
    if _FAILS.fullmatch(first.flat):
        first.refuse(say("tool_said", tool=TOOL_NAME, said=first.flat[:300]))
    banner = _BANNER.fullmatch(first.flat)
    test = test_of_command(cursor.command)
    if banner is not None:
        cursor.take()
        test = _test(banner, cursor.command) or test
    notes = _skip_words(cursor)
    if cursor.ended:
        _refuse_cut(cursor, first)
    unit = ""
    added: tuple[Figure, ...] = ()
    if _KEY.fullmatch(cursor.line.flat):
        fields = _keys(cursor)
    elif banner is None:
        _refuse_cut(cursor, first)
    elif "," in cursor.line.flat:
        fields = _commas(cursor, first)
    elif classic.WORDS.fullmatch(cursor.line.flat):
        fields, unit, added = _classic(cursor, first)
    else:
        fields = _human(cursor, first)
    notes += _skip_words(cursor)
    last = next(one for one in reversed(cursor.lines[: cursor.at]) if one.flat)
    return (output(NetperfFields(test, fields, first, last, cursor.command, notes, unit, added)),)


def _refuse_cut(cursor: Cursor, first: Line) -> None:
    taken = [one for one in cursor.lines[: cursor.at] if one.flat]
    (taken[-1] if taken else first).refuse(say("paste_cut", tool=TOOL_NAME, missing="Throughput"))


def _test(banner: re.Match[str], command: str) -> str:
    """The test that a banner names, as -t calls it."""
    name = _TESTS.get(banner["what"].strip().upper(), "")
    if banner["protocol"] == "OMNI" or not name:
        return test_of_command(command)
    return f"{banner['protocol']}_{name}"


def _skip_words(cursor: Cursor) -> tuple[Message, ...]:
    """Go behind blank lines and what it says of its run; its relevant values."""
    notes: tuple[Message, ...] = ()
    while not cursor.ended:
        text = cursor.line.flat
        if text and not _WORDS.fullmatch(text):
            if _FAILS.fullmatch(text):
                cursor.line.refuse(say("tool_said", tool=TOOL_NAME, said=text[:300]))
            break
        if _UNSURE.fullmatch(text):
            notes = (say("paste_netperf_unsure"),)
        cursor.take()
    return notes


def _listed(command: str) -> list[str]:
    """The fields that a command names for its output, in their order."""
    found = options(command)[1].option("-k", "-o", "-O") or ""
    fields = found.upper() if _LIST.fullmatch(found) else ""
    return [one for one in re.split("[,;]", fields) if one]


def _cells(text: str, names: list[str]) -> list[str]:
    """A row's cells: between commas, or blanks where there are none."""
    if "," in text or len(names) == 1:
        return [one.strip() for one in next(csv.reader([text]), [])]
    return text.split(" ")


def _keys(cursor: Cursor) -> dict[str, tuple[str, Line]]:
    """-k: a field on each line."""
    found: dict[str, tuple[str, Line]] = {}
    while not cursor.ended and (not cursor.line.flat or _KEY.fullmatch(cursor.line.flat)):
        key = _KEY.fullmatch(cursor.line.flat)
        if key is None:
            cursor.at += 1
            continue
        if key[1] in found:
            break
        found[key[1]] = key[2].strip(), cursor.take()
    return found


def _commas(cursor: Cursor, first: Line) -> dict[str, tuple[str, Line]]:
    """-o: a line of headings, and one of values."""
    heading = cursor.take()
    while not cursor.ended and not cursor.line.flat:
        cursor.at += 1
    if cursor.ended:
        _refuse_cut(cursor, first)
    line = cursor.take()
    headings, values = (
        [one.strip() for one in next(csv.reader([each.flat]), [])] for each in (heading, line)
    )
    if len(headings) != len(values):
        line.refuse(say("paste_columns", found=len(values), expected=len(headings)))
    names = [BY_HEADING.get(one, one) for one in headings]
    return {name: (text, line) for name, text in zip(names, values, strict=True)}


def _human(cursor: Cursor, first: Line) -> dict[str, tuple[str, Line]]:
    """-O: up to four lines of headings over one of values, all of them begin at their column."""
    heads: list[Line] = []
    while not cursor.ended and not any(map(_NUMBER.fullmatch, cursor.line.flat.split(" "))):
        if cursor.line.flat:
            heads.append(cursor.line)
        cursor.at += 1
        if len(heads) > 4:
            heads[-1].refuse(say("paste_odd", tool=TOOL_NAME))
    if cursor.ended or not heads:
        _refuse_cut(cursor, first)
    line = cursor.take()
    names = _listed(cursor.command)
    cells = line.flat.split(" ")
    if len(names) != len(cells):
        starts = [one.start() for one in re.finditer(r"\S+", line.text)]
        spans = zip(starts, [*starts[1:], None], strict=True)
        words = [
            " ".join(cell for one in heads if (cell := one.text[begin:end].strip()))
            for begin, end in spans
        ]
        names = [BY_HEADING.get(one, one) for one in words]
    if "THROUGHPUT" not in names and "TRANSACTION_RATE" not in names:
        heads[0].refuse(say("paste_netperf_columns"))
    return {name: (text, line) for name, text in zip(names, cells, strict=True)}


def _classic(
    cursor: Cursor, first: Line
) -> tuple[dict[str, tuple[str, Line]], str, tuple[Figure, ...]]:
    """The classic tables."""
    while not cursor.ended and (not cursor.line.flat or classic.WORDS.fullmatch(cursor.line.flat)):
        cursor.take()
    if cursor.ended:
        _refuse_cut(cursor, first)
    heading = cursor.take()
    forms = (classic.STREAM, classic.DATAGRAMS, classic.REQUESTS)
    table, told = next(
        ((form, found) for form in forms if (found := form.fullmatch(heading.flat))), (None, None)
    )
    if table is None or told is None:
        heading.refuse(say("paste_netperf_columns"))
    rows = _rows(cursor, 1 if table is classic.STREAM else 2)
    if not rows:
        _refuse_cut(cursor, first)
    if table is classic.STREAM:
        return classic.stream(rows[0]), told["unit"], ()
    if table is classic.REQUESTS:
        return classic.requests(rows[0]), "Trans", ()
    if len(rows) < 2:
        rows[-1].refuse(say("paste_no_receiver"))
    unit = told["unit"]
    if unit not in BITS:
        heading.refuse(say("paste_unit", tool=TOOL_NAME, unit=unit))
    fields, added = classic.datagrams(rows[0], rows[1], BITS[unit], unit)
    return fields, unit, added


def _rows(cursor: Cursor, most: int) -> list[Line]:
    """So many rows of numbers at most that follow."""
    found: list[Line] = []
    while not cursor.ended and len(found) < most:
        if cursor.line.flat:
            if not classic.ROW.fullmatch(cursor.line.flat):
                break
            found.append(cursor.line)
        cursor.at += 1
    return found
