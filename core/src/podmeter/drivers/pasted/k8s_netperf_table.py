"""k8s-netperf's tables on the terminal, and its CSV file: rows of what its documents are."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from podmeter.domain.messages import say
from podmeter.drivers.fields import Fields
from podmeter.drivers.pasted import k8s_netperf
from podmeter.drivers.pasted.k8s_netperf import TOOL_NAME

if TYPE_CHECKING:
    from podmeter.drivers.pasted.output import Output
    from podmeter.drivers.pasted.text import Cursor, Line

_RULE = re.compile(r"[+┌├└╭╰╞]?[-─═+┬┼┴┐┤┘╮╯╡|]{3,2000}")
_ROW = re.compile(r"[|│] .{1,3900} ?[|│]")
_CSV = "Driver,Profile,"
_LOG = re.compile(r"(?:INFO|WARN|WARNING|DEBU)\[[^\[\]]{0,60}\] .{1,1000}")
_FAILS = re.compile(r"(?:ERRO|FATA|ERROR|FATAL)\[[^\[\]]{0,60}\] .{1,1000}")
#: A document's field of each column, by its heading in small letters.
_FIELDS = {
    "driver": "driver",
    "scenario": "profile",
    "profile": "profile",
    "parallelism": "parallelism",
    "host network": "hostNetwork",
    "service": "service",
    "external server": "externalServer",
    "virt mode": "virt",
    "vm mode": "virt",
    "message size": "messageSize",
    "same node": "local",
    "samples": "samples",
    "# of samples": "samples",
    "avg throughput": "throughput",
    "throughput metric": "tputMetric",
    "99%tile observed latency": "latency",
    "latency metric": "ltcyMetric",
}
#: What tells one test from another.
_KEY = (
    "driver",
    "profile",
    "parallelism",
    "hostNetwork",
    "service",
    "messageSize",
    "local",
    "burst",
)
_VALUE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,12})?)(?: \((\S{1,12})\))?")
#: The columns with figures, by what the row's first cell ends with, and the field that each is.
_FIGURES = {
    "rr latency results": ("avg 99%tile value", "latency"),
    "tcp retransmissions": ("avg value", "tcpRetransmits"),
    "udp loss percent": ("avg value", "udpLossPercent"),
    "stream results": ("avg value", "throughput"),
    "rr results": ("avg value", "throughput"),
}
#: Tables of what is not read.
_OTHERS = re.compile(r"(?:pod|node) (?:cpu|mem).{0,40}|stream latency results|vswitch.{0,40}")


@dataclass(slots=True)
class _Test:
    """A test's document, and the lines that it is of."""

    held: dict[str, Any]
    lines: list[Line] = field(default_factory=list)


def begins(text: str) -> bool:
    """Whether a line begins a table, the file, or says that it failed."""
    if text.startswith(_CSV) or _FAILS.fullmatch(text):
        return True
    cells = [one.lower() for one in _cells(text)]
    return _ROW.fullmatch(text) is not None and {"driver", "scenario"} <= set(cells)


def is_log(text: str) -> bool:
    """What it logs, and a table's rules."""
    return _LOG.fullmatch(text) is not None or (
        text.startswith(("+-", "┌", "├", "└")) and _RULE.fullmatch(text) is not None
    )


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The tests of all tables that begin here, or of the file."""
    first = cursor.line
    if _FAILS.fullmatch(first.flat):
        first.refuse(say("tool_said", tool=TOOL_NAME, said=first.flat[:300]))
    tests: dict[tuple[object, ...], _Test] = {}
    if first.flat.startswith(_CSV):
        _file(cursor, tests)
    else:
        _tables(cursor, tests)
    whole = [one for one in tests.values() if "throughput" in one.held]
    if not whole:
        cursor.lines[cursor.at - 1].refuse(say("paste_no_tests", tool=TOOL_NAME))
    return tuple(_output(one, cursor.command) for one in whole)


def _cells(text: str) -> list[str]:
    return [one.strip() for one in re.split("[|│]", text.strip("|│ "))]


def _tables(cursor: Cursor, tests: dict[tuple[object, ...], _Test]) -> None:
    heads: list[str] = []
    while not cursor.ended:
        line = cursor.line
        text = line.flat
        if not text or _RULE.fullmatch(text) or is_log(text):
            cursor.at += 1
            continue
        if _ROW.fullmatch(text) is None:
            break
        cells = _cells(text)
        if {"driver", "scenario"} <= {one.lower() for one in cells}:
            heads = [one.lower() for one in cells]
        elif len(cells) != len(heads):
            line.refuse(say("paste_columns", found=len(cells), expected=len(heads)))
        else:
            _row(dict(zip(heads, cells, strict=True)), cells[0], line, tests)
        cursor.take()


def _row(
    row: dict[str, str], kind: str, line: Line, tests: dict[tuple[object, ...], _Test]
) -> None:
    """A row of one of the tables: what it is of is in its first cell, below a picture."""
    name = re.sub(r"[^a-z0-9% ]", "", kind.lower()).strip()
    if _OTHERS.fullmatch(name):
        return
    told = _FIGURES.get(name)
    if told is None or told[0] not in row:
        line.refuse(
            say("paste_test_unknown", test=kind[:40], known=("Stream Results", "RR Results"))
        )
    column, wanted = told
    value = _VALUE.fullmatch(row[column])
    if value is None:
        line.refuse(say("tool_not_number", tool=TOOL_NAME, text=row[column][:40]))
    held = _document(row, line)
    test = tests.setdefault(_key(held, row), _Test(held))
    if wanted in test.held:
        line.refuse(say("paste_odd", tool=TOOL_NAME))
    test.held[wanted] = float(value[1])
    test.lines.append(line)
    if wanted == "throughput":
        test.held["tputMetric"] = value[2] or ""
    elif wanted == "latency":
        test.held["ltcyMetric"] = value[2] or ""


def _file(cursor: Cursor, tests: dict[tuple[object, ...], _Test]) -> None:
    head = cursor.take()
    heads = [one.strip().lower() for one in next(csv.reader([head.flat]), [])]
    while not cursor.ended and cursor.line.flat.count(",") >= len(heads) - 1 > 0:
        line = cursor.take()
        cells = [one.strip() for one in next(csv.reader([line.flat]), [])]
        if len(cells) != len(heads):
            line.refuse(say("paste_columns", found=len(cells), expected=len(heads)))
        row = dict(zip(heads, cells, strict=True))
        held = _document(row, line)
        for name, column in (
            ("throughput", "avg throughput"),
            ("latency", "99%tile observed latency"),
        ):
            value = _VALUE.fullmatch(row.get(column, ""))
            if value is None and (name == "throughput" or held["profile"].endswith("RR")):
                line.refuse(say("tool_not_number", tool=TOOL_NAME, text=row.get(column, "")[:40]))
            held[name] = float(value[1]) if value else 0.0
        key = (*_key(held, row), line.number)
        tests[key] = _Test(held, [line])


def _key(held: dict[str, Any], row: dict[str, str]) -> tuple[object, ...]:
    others = tuple(
        row.get(name, "") for name in ("burst", "udn info", "bridge info", "external server")
    )
    return (*(held.get(name) for name in _KEY), *others)


def _document(row: dict[str, str], line: Line) -> dict[str, Any]:
    """The fields of a document that a row has."""
    held: dict[str, Any] = {"ltcyMetric": "usec"}
    for heading, text in row.items():
        name = _FIELDS.get(heading)
        if name is None or name in ("throughput", "latency"):
            continue
        if text in ("true", "false"):
            held[name] = text == "true"
        elif re.fullmatch(r"[0-9]{1,9}", text):
            held[name] = int(text)
        else:
            held[name] = text
    for name in ("driver", "profile", "parallelism", "messageSize", "samples"):
        if name not in held:
            line.refuse(say("paste_cut", tool=TOOL_NAME, missing=name))
    return held


def _output(test: _Test, command: str) -> Output:
    numbers = sorted(line.number for line in test.lines)
    held = {"latency": 0.0, **test.held}
    with test.lines[0].locating_errors():
        return k8s_netperf.read(Fields(TOOL_NAME, held), numbers[0], numbers[-1], command)
