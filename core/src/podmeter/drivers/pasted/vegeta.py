"""vegeta's report, as text and as JSON. It sends at a set rate, whether or not answers come."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.pasted.commands import Arguments
from podmeter.drivers.pasted.go_time import duration
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.reading import agrees, printed, whole

if TYPE_CHECKING:
    from podmeter.domain.messages import Message
    from podmeter.drivers.fields import Fields
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = "vegeta"

_ROW = re.compile(
    r"(?P<name>Requests|Duration|Latencies|Bytes In|Bytes Out|Success|Status Codes) "
    r"\[(?P<columns>[a-z0-9, :]{3,60})\] ?(?P<values>.{0,400})"
)
_ERRORS = "Error Set:"
#: The rates of one run's reports (`-every`) are this near to each other; a sweep's are not.
_STEADY = 0.05
_NEEDED = ("Requests", "Latencies", "Success", "Status Codes")
_TIMES = {
    "mean": "request_mean",
    "50": "request_p50",
    "90": "request_p90",
    "99": "request_p99",
    "max": "request_max",
}


def begins(text: str) -> bool:
    """Whether a line is one of vegeta's report."""
    return _ROW.fullmatch(text) is not None


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The reports that begin here, one right below another."""
    reports = [_report(cursor)]
    while True:
        at = cursor.at
        while not cursor.ended and not cursor.line.flat:
            cursor.at += 1
        if cursor.ended or not begins(cursor.line.flat):
            cursor.at = at
            break
        reports.append(_report(cursor))
    asked = Arguments.of(cursor.command, TOOL_NAME, "report")
    steps = "-every" in cursor.command if asked.calls else None
    found = [one for one, _ in reports]
    grows = [
        # Without a command: nothing forgets its shortest request, two runs hardly share it.
        (steps is True or (steps is None and least == after_least)) and _grows(one, after)
        for (one, least), (after, after_least) in pairwise(reports)
    ]
    kept = []
    for place, one in enumerate(found):
        if place < len(grows) and grows[place]:
            continue
        if place and grows[place - 1]:
            one = one.with_figures(one.figures, (*one.notes, say("paste_vegeta_every")))
        kept.append(one)
    return tuple(kept)


def _grows(one: Output, after: Output) -> bool:
    """Whether a report is of the same run as the one before it, a little later (`-every`)."""
    ours, theirs = ({each.metric: each.value for each in both.figures} for both in (one, after))
    before, rate = (next(iter(each.values())) for each in (ours, theirs))
    return (
        (one.requests or 0) < (after.requests or 0)
        and (one.seconds or 0) < (after.seconds or 0)
        and abs(before - rate) <= _STEADY * rate
        and ours.get("request_max", 0.0) <= theirs.get("request_max", 0.0)
    )


def _report(cursor: Cursor) -> tuple[Output, str]:
    """The report that begins here, and its shortest request."""
    first = last = cursor.line
    rows: dict[str, tuple[dict[str, str], Line]] = {}
    while not cursor.ended:
        line = cursor.line
        if not line.flat:
            cursor.at += 1
            continue
        if line.flat == _ERRORS:
            last = cursor.take()
            break
        row = _ROW.fullmatch(line.flat)
        if row is None or row["name"] in rows:
            break
        values = re.split(" " if row["name"] == "Status Codes" else ", ", row["values"])
        columns = row["columns"].split(", ")
        if row["name"] == "Status Codes":
            columns = list(dict.fromkeys(values))
        if len(columns) != len(values):
            line.refuse(say("paste_columns", found=len(values), expected=len(columns)))
        rows[row["name"]] = dict(zip(columns, values, strict=True)), line
        last = cursor.take()
    for name in _NEEDED:
        if name not in rows:
            last.refuse(say("paste_cut", tool=TOOL_NAME, missing=name))
    return _output(rows, first, last, cursor.command), rows["Latencies"][0].get("min", "")


def _output(
    rows: dict[str, tuple[dict[str, str], Line]], first: Line, last: Line, command: str
) -> Output:
    counts, line = rows["Requests"]
    with line.locating_errors():
        requests = whole(TOOL_NAME, counts.get("total", ""))
        said = counts.get("throughput", counts.get("rate", ""))
        rate = printed(TOOL_NAME, said).value
    codes, place = rows["Status Codes"]
    with place.locating_errors():
        answered = sum(_answered(one) for one in codes)
        agrees(TOOL_NAME, "Status Codes", answered, requests)
    ratio, place = rows["Success"]
    if ratio.get("ratio") != "100.00%":
        place.refuse(say("paste_errors", tool=TOOL_NAME))
    if requests == 0 or rate <= 0:
        line.refuse(say("paste_zero", tool=TOOL_NAME))
    times, place = rows["Latencies"]
    figures = [_rate(rate, said, line.number, command)]
    for column, metric in _TIMES.items():
        if column in times:
            with place.locating_errors():
                value = duration(TOOL_NAME, times[column]).value
            if value > 0:
                figures.append(Figure(metric, value, times[column], place.number))
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=last.number,
        figures=tuple(figures),
        command=command,
        seconds=_seconds(rows.get("Duration")),
        requests=requests,
        notes=_notes(command),
    )


def _seconds(row: tuple[dict[str, str], Line] | None) -> float | None:
    """How long it ran, where it says so."""
    if row is None or "total" not in row[0]:
        return None
    with row[1].locating_errors():
        return duration(TOOL_NAME, row[0]["total"]).value


def _answered(text: str) -> int:
    """How many answers had a status, which has to be a good one."""
    told = re.fullmatch(r"([0-9]{1,3}):([0-9]{1,18})", text)
    if told is None:
        raise ToolError(say("paste_odd", tool=TOOL_NAME))
    if told[1] == "0":
        # No answer at all.
        raise ToolError(say("paste_errors", tool=TOOL_NAME))
    if not told[1].startswith("2") or len(told[1]) != 3:
        raise ToolError(say("ab_not_2xx", count=int(told[2])))
    return int(told[2])


def _rate(value: float, printed_: str, line: int, command: str) -> Figure:
    name = "requests_per_second" if _is_free(command) else "request_rate"
    return Figure(name, value, printed_, line)


def _is_free(command: str) -> bool:
    """Whether nothing held it back: it sends all that it can with -rate=0."""
    rate = Arguments.of(command, TOOL_NAME, "attack").option("-rate")
    return rate in ("0", "0/1s", "infinity")


def _notes(command: str) -> tuple[Message, ...]:
    return () if _is_free(command) else (say("paste_paced", tool=TOOL_NAME),)


def is_tool_json(held: object) -> bool:
    """Whether a JSON value is what `vegeta report -type=json` prints."""
    return isinstance(held, dict) and held.keys() >= {
        "latencies",
        "status_codes",
        "success",
        "rate",
    }


def read_json(document: Fields, first: int, last: int, command: str) -> Output:
    """The report that a document is. Raises ToolError."""
    requests = document.count("requests")
    codes = document.object("status_codes")
    answered = sum(_answered(f"{str(code)[:9]}:{codes.count(code)}") for code in codes.held)
    agrees(TOOL_NAME, "status_codes", answered, max(requests, 1))
    if document.number("success") != 1:
        raise ToolError(say("paste_errors", tool=TOOL_NAME))
    name = "throughput" if "throughput" in document else "rate"
    rate = document.positive(name)
    times = document.object("latencies")
    figures = [_rate(rate, f"{name} {rate!r}", first, command)]
    for column, metric in _TIMES.items():
        field = f"{column}th" if column.isdigit() else column
        if field in times and times.number(field) > 0:
            value = times.number(field)
            figures.append(Figure(metric, value * 1e-9, f"{value:.0f} ns", first))
    return Output(
        tool=TOOL_NAME,
        first=first,
        last=last,
        figures=tuple(figures),
        command=command,
        requests=requests,
        notes=_notes(command),
    )
