"""wrk's report, and wrk2's, which sends at a set rate.

Both count rates in thousands, bytes in 1024s, and say nothing of failures where there are none.

What it calls `Non-2xx or 3xx responses` and `Socket errors` stands in its rate or beside it; with
either there is no figure.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.measurement import Unit
from podmeter.domain.messages import Message, say
from podmeter.drivers.pasted.amounts import together
from podmeter.drivers.pasted.commands import Arguments
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.pasted.patterns import any_of
from podmeter.drivers.reading import Printed, agrees, printed, whole

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = "wrk"

WRK2 = "wrk2"
#: The second is of versions before 3.0, which ran by count.
_BEGINS = re.compile(
    r"Running (?P<time>\S{1,20}) test @ \S{1,2000}|Making [0-9]{1,18} requests to \S{1,2000}"
)
_ENDS = re.compile(r"Transfer/sec: \S{1,30}B")
_PARTS = {
    "threads": re.compile(r"([0-9]{1,9}) threads and ([0-9]{1,9}) connections"),
    "latency": re.compile(r"Latency (\S{1,20}) \S{1,20} \S{1,20} \S{1,20}%"),
    "requests": re.compile(r"([0-9]{1,18}) requests in (\S{1,20}), (\S{1,20})B read"),
    "rate": re.compile(r"Requests/sec: (\S{1,20})"),
}
_PERCENT = re.compile(r"([0-9]{1,3})(?:\.(?P<part>[0-9]{1,3}))?% (\S{1,20})")
#: wrk2's times with the waits of requests that were due; and, if asked for, those without.
_RECORDED = "Latency Distribution (HdrHistogram - Recorded Latency)"
_UNCORRECTED = re.compile(r"Latency Distribution \(HdrHistogram - Uncorrected .{1,150}\)")
_CALIBRATION = re.compile(
    r"Thread calibration: mean lat\.: .{1,100}|Initialised [0-9]{1,9} threads .{1,60}"
)
_WORDS = re.compile(
    r"Thread Stats Avg Stdev Max \+/- Stdev|Req/Sec \S{1,20} \S{1,20} \S{1,20} \S{1,20}%"
    r"|Latency Distribution|Detailed Percentile spectrum:"
    r"|Value Percentile TotalCount 1/\(1-Percentile\)"
    r"|[0-9.]{1,20} [01]\.[0-9]{1,12} [0-9]{1,18} (?:[0-9.]{1,20}|inf)|#\[.{1,120}\]|-{20,100}"
)
_SOCKETS = re.compile(r"Socket errors: (connect .{1,100})")
_FAILS = re.compile(
    r"unable to (?:connect to|resolve|create|initialize|load) .{1,300}|invalid URL: .{1,300}"
    r"|number of connections must be >= threads|PANIC: .{1,300}"
    r"|Throughput MUST be specified .{0,200}"
)
#: A run that a person ends is shorter than it was to be; less than this is no run.
_LEAST_RUN = 0.5
_STATUS = re.compile(r"Non-2xx or 3xx responses: ([0-9]{1,18})")
_PERCENTILES = {"50": "request_p50", "90": "request_p90", "99": "request_p99"}


_FIRST = any_of(_BEGINS, _ENDS, _SOCKETS, _STATUS, _FAILS, _PARTS["threads"])


def begins(text: str) -> bool:
    """Whether a line is one of wrk's own."""
    return _FIRST.fullmatch(text) is not None


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The report that begins here."""
    first = cursor.line
    if _FAILS.fullmatch(first.flat):
        first.refuse(say("tool_said", tool=TOOL_NAME, said=first.flat[:300]))
    if not _BEGINS.fullmatch(first.flat):
        first.refuse(say("paste_cut", tool=TOOL_NAME, missing="Running"))
    last = cursor.take()
    parts: dict[str, tuple[re.Match[str], Line]] = {}
    percents: dict[str, tuple[str, Line]] = {}
    paced = bool(Arguments.of(cursor.command, WRK2).calls)
    recorded = True
    while not cursor.ended and not _BEGINS.fullmatch(cursor.line.flat):
        line = cursor.line
        text = line.flat
        if not text:
            cursor.at += 1
            continue
        if sockets := _SOCKETS.fullmatch(text):
            line.refuse(say("paste_sockets", tool=TOOL_NAME, said=sockets[1]))
        if status := _STATUS.fullmatch(text):
            line.refuse(say("ab_not_2xx", count=int(status[1])))
        matches = ((name, form.fullmatch(text)) for name, form in _PARTS.items())
        part = next(((name, found) for name, found in matches if found is not None), None)
        if part is not None:
            if part[0] in parts:
                line.refuse(say("paste_odd", tool=TOOL_NAME))
            parts[part[0]] = part[1], line
        elif percent := _PERCENT.fullmatch(text):
            if recorded and not (percent["part"] or "").strip("0"):
                if percent[1] in percents:
                    line.refuse(say("paste_odd", tool=TOOL_NAME))
                percents[percent[1]] = percent[3], line
        elif text == _RECORDED or _CALIBRATION.fullmatch(text):
            paced = True
        elif _UNCORRECTED.fullmatch(text):
            recorded = False
        elif not _WORDS.fullmatch(text) and not _ENDS.fullmatch(text):
            break
        last = cursor.take()
        if _ENDS.fullmatch(text):
            break
    for name in _PARTS:
        if name not in parts:
            last.refuse(say("paste_cut", tool=TOOL_NAME, missing=name))
    with parts["requests"][1].locating_errors():
        short = _shortened(_BEGINS.fullmatch(first.flat), parts["requests"][0][2])
    output = _output(parts, percents, first, last, cursor.command, paced=paced)
    return (replace(output, notes=(*output.notes, *short)),)


def _shortened(begins: re.Match[str] | None, took: str) -> tuple[Message, ...]:
    """What to know of a run that was shorter than it says that it would be; ToolError for none."""
    if begins is None or begins["time"] is None:
        return ()
    asked, seconds = _time(begins["time"]), _time(took)
    agrees(TOOL_NAME, "requests in", seconds.most, _LEAST_RUN * asked.least, float("inf"))
    if seconds.most < 0.95 * asked.least:
        return (say("paste_run_short", tool=TOOL_NAME, seconds=took, asked=begins["time"]),)
    return ()


def _output(
    parts: dict[str, tuple[re.Match[str], Line]],
    percents: dict[str, tuple[str, Line]],
    first: Line,
    last: Line,
    command: str,
    *,
    paced: bool,
) -> Output:
    (done, done_line), (rate, rate_line) = parts["requests"], parts["rate"]
    with done_line.locating_errors():
        requests = whole(TOOL_NAME, done[1])
        seconds = _time(done[2])
    with rate_line.locating_errors():
        found = printed(TOOL_NAME, rate[1])
        if found.value <= 0:
            raise ToolError(say("paste_zero", tool=TOOL_NAME))
        agrees(
            *(TOOL_NAME, "Requests/sec", found.value),
            requests / seconds.most - found.slack,
            requests / seconds.least + found.slack if seconds.least > 0 else float("inf"),
        )
    metric = "request_rate" if paced else "requests_per_second"
    figures = [Figure(metric, found.value, rate[1], rate_line.number)]
    latency, latency_line = parts["latency"]
    timed = [("request_mean", latency[1], latency_line)]
    timed += [(metric, *percents[at]) for at, metric in _PERCENTILES.items() if at in percents]
    for metric, text, line in timed:
        with line.locating_errors():
            value = _time(text)
        if value.value > 0:
            figures.append(Figure(metric, value.value, text, line.number))
    threads, threads_line = parts["threads"]
    with threads_line.locating_errors():
        concurrency = whole(TOOL_NAME, threads[2])
    point: dict[str, AxisValue] = {"concurrency": concurrency}
    if command:
        # wrk keeps its connections unless a header forbids it.
        closed = re.search(r"connection: ?close", command, re.IGNORECASE)
        point["keep_alive"] = "off" if closed else "on"
    return Output(
        tool=WRK2 if paced else TOOL_NAME,
        first=first.number,
        last=last.number,
        figures=tuple(figures),
        point=point,
        command=command,
        seconds=seconds.value,
        requests=requests,
        notes=(say("paste_paced", tool=WRK2),) if paced else (),
    )


def _time(text: str) -> Printed:
    """A time with its unit: from 51 s on wrk counts in minutes, from 51 minutes in hours."""
    longer = {"m": 60.0, "h": 3600.0}.get(text[-1:])
    if longer is None or text.endswith("ms"):
        return together(TOOL_NAME, text, Unit.SECONDS)
    found = together(TOOL_NAME, f"{text[:-1]}s", Unit.SECONDS)
    return Printed(float(f"{found.value * longer:.15g}"), found.slack * longer)
