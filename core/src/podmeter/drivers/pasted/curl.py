"""curl --write-out: its phases in columns, by name, or as JSON; a row is a request.

Requests that follow each other are one output: its figures are their means, as in one trial.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.measurement import Unit
from podmeter.domain.messages import say
from podmeter.drivers.pasted import commands
from podmeter.drivers.pasted.amounts import NUMBER, amount
from podmeter.drivers.pasted.output import Figure, Output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podmeter.drivers.fields import Fields
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = "curl"
#: In the order in which they happen; what a request did not need is 0.
_PHASES = (
    *("time_namelookup", "time_connect", "time_appconnect", "time_pretransfer"),
    *("time_starttransfer", "time_total"),
)
_TIMES = (*_PHASES, "time_redirect", "time_posttransfer", "time_queue")
_STATUS = ("http_code", "response_code")
#: Not 0 where the request failed, which may be after a status of 200.
_EXIT = "exitcode"
#: What else --write-out may print, and is not read here.
_OTHERS = (
    *("size_download", "size_upload", "size_header", "size_request", "speed_download"),
    *("speed_upload", "num_connects", "num_redirects", "num_retries", "remote_ip", "remote_port"),
    *("local_ip", "local_port", "http_version", _EXIT, "scheme", "url_effective"),
)
_NAMES = frozenset((*_TIMES, *_STATUS, *_OTHERS))
_METRICS = {
    "time_namelookup": "curl_namelookup_mean",
    "time_connect": "curl_connect_mean",
    "time_starttransfer": "curl_starttransfer_mean",
    "time_total": "curl_total_mean",
}
_NAMED = re.compile(r"([a-z_]{3,24}) ?[:=] ?(\S{1,200})")
_RULE = re.compile(r"[-=]{3,60}")
_FAILS = re.compile(r"curl: \([0-9]{1,3}\) .{1,500}")


@dataclass(frozen=True, slots=True)
class _Request:
    """One request: what --write-out said of it, by variable, and the line of each."""

    said: Mapping[str, str]
    lines: Mapping[str, Line]


def begins(text: str) -> bool:
    """Whether a line is one of curl's, so that what follows is read by it."""
    words = text.split(" ")
    if set(words) <= _NAMES and set(words) & set(_TIMES):
        return True
    named = _NAMED.fullmatch(text)
    return (named is not None and named[1] in _NAMES) or _FAILS.fullmatch(text) is not None


def rows_of_command(command: str, text: str) -> tuple[str, ...]:
    """The variables in columns of a text, as the command's own format names them; () for none."""
    names = tuple(re.findall(r"%\{([a-z_]{3,24})\}", command))
    words = text.split(" ")
    row = len(words) == len(names) and all(re.fullmatch(rf"{NUMBER}s?", one) for one in words)
    return names if row and set(names) & set(_TIMES) else ()


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The requests that begin here."""
    first = cursor.line
    if _FAILS.fullmatch(first.flat):
        first.refuse(say("tool_said", tool=TOOL_NAME, said=first.flat[:300]))
    names = rows_of_command(cursor.command, first.flat)
    if names and commands.changes_rows(cursor.command, TOOL_NAME):
        first.refuse(say("paste_changed_rows", tool=TOOL_NAME))
    if not names and ":" not in first.flat and "=" not in first.flat:
        names = tuple(cursor.take().flat.split(" "))
    requests = _columns(cursor, names) if names else _named(cursor)
    last = cursor.lines[cursor.at - 1]
    if not requests:
        last.refuse(say("paste_no_requests"))
    return (_output(requests, first, last, cursor.command),)


def _columns(cursor: Cursor, names: Sequence[str]) -> list[_Request]:
    """A request on each line, in columns of these names."""
    if len(set(names)) != len(names):
        cursor.lines[cursor.at - 1].refuse(say("paste_odd", tool=TOOL_NAME))
    found = []
    while not cursor.ended and cursor.line.flat and re.match(r"[0-9]", cursor.line.flat):
        line = cursor.line
        words = line.flat.split(" ")
        if len(words) != len(names):
            line.refuse(say("paste_columns", found=len(words), expected=len(names)))
        found.append(_Request(dict(zip(names, words, strict=True)), dict.fromkeys(names, line)))
        cursor.take()
    return found


def _named(cursor: Cursor) -> list[_Request]:
    """A line for each variable; where one comes again the next request has begun."""
    requests: list[_Request] = []
    fields: dict[str, str] = {}
    lines: dict[str, Line] = {}
    while not cursor.ended:
        line = cursor.line
        if not line.flat or _RULE.fullmatch(line.flat):
            cursor.at += 1
            continue
        named = _NAMED.fullmatch(line.flat)
        if named is None or named[1] not in _NAMES:
            break
        if named[1] in fields:
            requests.append(_Request(fields, lines))
            fields, lines = {}, {}
        fields[named[1]], lines[named[1]] = named[2], cursor.take()
    return [*requests, _Request(fields, lines)] if fields else requests


def is_tool_json(held: object) -> bool:
    """Whether a JSON value is what `--write-out '%{json}'` prints."""
    return isinstance(held, dict) and "time_total" in held


def read_json(documents: Sequence[tuple[Fields, Line]], last: Line, command: str) -> Output:
    """The requests that documents are of, which follow each other."""
    requests = []
    for document, line in documents:
        names = [name for name in (*_TIMES, *_STATUS, _EXIT) if document.held.get(name) is not None]
        with line.locating_errors():
            if (told := document.held.get("errormsg")) is not None:
                raise ToolError(say("tool_said", tool=TOOL_NAME, said=str(told)[:300]))
            fields = {name: _plain(document.number(name)) for name in names}
        requests.append(_Request(fields, dict.fromkeys(names, line)))
    return _output(requests, documents[0][1], last, command)


def _plain(value: float) -> str:
    """A JSON number as digits."""
    if value == int(value):
        return str(int(value))
    return f"{value:.9f}".rstrip("0")


def _output(requests: Sequence[_Request], first: Line, last: Line, command: str) -> Output:
    checked = [_checked(one) for one in requests]
    shared = [name for name in _METRICS if all(name in one for one in checked)]
    figures = []
    for name in shared:
        line = requests[0].lines[name]
        values = [one[name] for one in checked]
        alone = requests[0].said[name] if len(requests) == 1 else ""
        mean = float(f"{fmean(values):.12g}")
        if mean > 0:
            figures.append(Figure(_METRICS[name], mean, alone, line.number))
    if not figures:
        last.refuse(say("paste_no_requests"))
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=last.number,
        figures=tuple(figures),
        command=command,
        requests=len(requests),
    )


def _checked(one: _Request) -> dict[str, float]:
    """The phases in seconds, each with the line to blame. Raises PasteError.

    A request that was not answered by 2xx has none; nor has one whose phases are not in order.
    """
    for name in _STATUS:
        if name in one.said and not re.fullmatch(r"2[0-9]{2}", one.said[name]):
            one.lines[name].refuse(say("curl_status", status=one.said[name][:20]))
    if one.said.get(_EXIT, "0").strip("0"):
        said = f"{_EXIT} {one.said[_EXIT][:20]}"
        one.lines[_EXIT].refuse(say("tool_said", tool=TOOL_NAME, said=said))
    phases: dict[str, float] = {}
    before = 0.0
    last = next((name for name in reversed(_PHASES[:-1]) if name in one.said), "")
    for name in [time for time in _TIMES if time in one.said]:
        with one.lines[name].locating_errors():
            phases[name] = _seconds(one.said[name])
        if name not in _PHASES:
            continue
        # A phase that a request did not need is 0; one that ends without a byte has failed.
        needed = name in ("time_starttransfer", "time_total") or name == "time_connect" == last
        if phases[name] == 0 and not needed:
            continue
        if phases[name] < before or phases[name] == 0:
            one.lines[name].refuse(say("curl_order", said=one.lines[name].flat[:200]))
        before = phases[name]
    return phases


def _seconds(text: str) -> float:
    """Seconds, as curl prints them; some formats add the unit."""
    match = re.fullmatch(rf"({NUMBER})s?", text)
    if match is None:
        raise ToolError(say("tool_not_number", tool=TOOL_NAME, text=text[:40]))
    return amount(TOOL_NAME, match[1], "s", Unit.SECONDS).value
