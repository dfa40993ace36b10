"""knb's report as JSON or YAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.pasted import knb
from podmeter.drivers.pasted.output import Figure
from podmeter.statistics.units import to_base

if TYPE_CHECKING:
    from podmeter.drivers.fields import Fields
    from podmeter.drivers.pasted.output import Output
    from podmeter.drivers.pasted.text import Cursor, Line

_YAML = re.compile(r'( {0,12})([a-z0-9-]{1,24}):(?: "?([^"]{0,200})"?)?')


def is_tool_json(held: object) -> bool:
    """Whether a JSON value is knb's report."""
    return (
        isinstance(held, dict)
        and isinstance(held.get("metadata"), dict)
        and held["metadata"].get("generator") == knb.TOOL_NAME
    )


def read_json(document: Fields, first: Line, last: Line, command: str) -> tuple[Output, ...]:
    """The tests of the report. Raises ToolError."""
    data = document.object("data")
    found = []
    for section in ("node2node", "pod2pod", "pod2svc"):
        if section not in data:
            continue
        tests = data.object(section)
        for protocol in ("tcp", "udp"):
            if protocol not in tests:
                continue
            test = tests.object(protocol)
            figures = [_figure(test, first, f"{section} {protocol}")]
            figures += [
                knb.cpu(role, _digits(test.object(role).object("cpu").number("total")), first)
                for role in ("client", "server")
                if role in test
            ]
            found.append(knb.measured(figures, knb.PATHS[section], protocol, first, last))
    if not found:
        raise ToolError(say("paste_no_tests", tool=knb.TOOL_NAME))
    said = {**document.object("metadata").held, **data.held}
    facts = {name: one[:200] for name, one in said.items() if isinstance(one, str)}
    return tuple(knb.with_facts(one, facts, first, command) for one in found)


def _figure(test: Fields, line: Line, name: str) -> Figure:
    rate = test.number("bandwidth")
    if rate == 0:
        raise ToolError(say("paste_knb_nothing", test=name))
    value = to_base(rate, "Mbits/sec").value
    return Figure("throughput", value, f"bandwidth {test.held['bandwidth']!r}", line.number)


def _digits(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")


def begins(text: str) -> bool:
    """Whether a line begins a report as YAML."""
    return text == "metadata:"


def read(cursor: Cursor) -> tuple[Output, ...]:
    """Its YAML, which is one key a line; the indentation shows where each belongs."""
    first = cursor.line
    keys: list[tuple[int, str]] = []
    facts: dict[str, str] = {}
    tests: dict[tuple[str, str], tuple[list[Figure], Line, Line]] = {}
    last = first
    while not cursor.ended:
        if cursor.line.flat == '"':
            # It quotes the end of the line as well, which a browser makes one of its own.
            cursor.take()
            continue
        told = _YAML.fullmatch(cursor.line.text)
        if told is None:
            break
        line, depth = cursor.line, len(told[1])
        if told[2] == "metadata" and line is not first:
            break
        keys = [*(one for one in keys if one[0] < depth), (depth, told[2])]
        value = (told[3] or "").strip()
        path = [name for _, name in keys]
        if len(path) == 2:
            facts[path[1]] = value
        elif len(path) >= 4 and path[1] in knb.PATHS and path[2] in ("tcp", "udp"):
            figures, begun, _ = tests.get((path[1], path[2]), ([], line, line))
            with line.locating_errors():
                if path[3] == "bandwidth":
                    figures.append(knb.throughput(value, line, f"{path[1]} {path[2]}"))
                elif path[4:] == ["cpu", "total"] and value:
                    figures.append(knb.cpu(path[3], value, line))
            tests[path[1], path[2]] = figures, begun, line
        last = cursor.take()
    if facts.get("generator") != knb.TOOL_NAME:
        first.refuse(say("paste_unknown"))
    if not tests:
        last.refuse(say("paste_no_tests", tool=knb.TOOL_NAME))
    return tuple(
        knb.with_facts(
            knb.measured(figures, knb.PATHS[section], protocol, begun, ended),
            facts,
            first,
            cursor.command,
        )
        for (section, protocol), (figures, begun, ended) in tests.items()
    )
