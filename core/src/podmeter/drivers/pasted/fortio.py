"""fortio's run, as it prints it and as its JSON document. It sends at a set rate, or all it can."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.pasted.commands import Arguments
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.pasted.patterns import any_of
from podmeter.drivers.reading import agrees, printed, whole

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.domain.messages import Message
    from podmeter.drivers.fields import Fields
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = "fortio"

_BANNER = re.compile(
    r"Fortio (?P<version>\S{1,30}) running at (?P<rate>\S{1,20}) queries per second.{0,600}"
)
_START = re.compile(
    r"Starting at (?P<rate>max|[0-9.]{1,20}) qps with (?P<threads>[0-9]{1,9}) thread\(s\).{0,200}"
)
_LOG = re.compile(
    r"(?:r[0-9]{1,9} )?(?:[DVIWECF]|\[(?:DBG|VRB|INF|WRN|ERR|CRI"
    r"|FTL)\]) \S{1,80}\.go:[0-9]{1,6}> .{1,1500}"
)
_FATAL = re.compile(
    r"(?:r[0-9]{1,9} )?(?:F|\[FTL\]|\[CRI\]) \S{1,80}\.go:[0-9]{1,6}> .{1,1500}"
    r"|Aborting because .{1,500}"
)
_ENDED = re.compile(
    r"Ended after (?P<time>\S{1,30}) : (?P<calls>[0-9]{1,18}) calls\. qps=(?P<qps>[0-9.e+]{1,20})"
)
_NUMBER = r"[0-9.e+-]{1,30}"
_STATS = re.compile(
    rf"(?P<of>[A-Z][A-Za-z/() -]{{2,60}}?) ?: count (?P<count>[0-9]{{1,18}}) avg "
    rf"(?P<avg>{_NUMBER}) \+/- "
    rf"{_NUMBER} min (?P<min>{_NUMBER}) max (?P<max>{_NUMBER}) sum (?P<sum>{_NUMBER})"
)
_TARGET = re.compile(rf"# target (?P<percent>[0-9.]{{1,10}})% (?P<value>{_NUMBER})")
_CODE = re.compile(
    r"(?:Code|tcp|udp|[Hh]ealth|grpc"
    r"|Ping) +(?P<code>-?\S{1,60}) : (?P<count>[0-9]{1,18})(?: \(\S{1,10} ?%\))?"
)
_SOCKETS = re.compile(
    r"Sockets used: (?P<used>[0-9]{1,18}) \(for perfect .{1,40}, would be (?P<least>[0-9]{1,9})\)"
)
_WROTE = re.compile(r"Successfully wrote [0-9]{1,12} bytes of .{1,300}")
_DONE = re.compile(r"All done [0-9]{1,18} calls .{1,120}")
_WORDS = re.compile(
    rf"# range, mid point, percentile, count"
    rf"|>?=? ?{_NUMBER} <= {_NUMBER} , {_NUMBER} , [0-9.]{{1,10}}, [0-9]{{1,18}}"
    r"|[A-Z][A-Za-z ]{2,40} : no data|Uniform: .{1,80}|Jitter: .{1,40}|IP addresses distribution:"
    r"|\S{3,80}:[0-9]{1,5}: [0-9]{1,18}|(?:# )?Socket and IP used for each connection:"
    r"|\[[0-9]{1,9}\] [0-9]{1,18} socket used.{0,300}|Total Bytes sent: .{1,80}"
    r"|Wrote profile data .{1,200}"
    r"|Successfully wrote .{1,300}|WARNING .{1,300}"
)
_MAIN = "Aggregated Function Time"
_ERRORS = "Error cases"
_PERCENTILES = {50.0: "request_p50", 90.0: "request_p90", 99.0: "request_p99"}
_GOOD = re.compile(r"2[0-9]{2}|SERVING|OK")


@dataclass(slots=True)
class _Readings:
    version: str = ""
    rate: str = ""
    threads: int | None = None
    stats: dict[str, tuple[re.Match[str], Line]] = field(default_factory=dict)
    targets: dict[float, tuple[str, Line]] = field(default_factory=dict)
    ended: tuple[re.Match[str], Line] | None = None
    sockets: re.Match[str] | None = None
    answered: int = 0
    last: int = 0


def is_shell_noise(text: str) -> bool:
    """What it says of the files that it wrote."""
    return _WROTE.fullmatch(text) is not None


_FIRST = any_of(_BANNER, _START, _LOG, _FATAL, _ENDED)


def begins(text: str) -> bool:
    """Whether a line is one of fortio's."""
    if _FIRST.fullmatch(text) is not None:
        return True
    stats = _STATS.fullmatch(text)
    return stats is not None and stats["of"] == _MAIN


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The run that begins here."""
    first, readings, of = cursor.line, _Readings(), ""
    while not cursor.ended:
        line = cursor.line
        text = line.flat
        if not text:
            cursor.at += 1
            continue
        if _FATAL.fullmatch(text):
            line.refuse(say("tool_said", tool=TOOL_NAME, said=text[:300]))
        if readings.stats and (_BANNER.fullmatch(text) or _START.fullmatch(text)):
            break
        if stats := _STATS.fullmatch(text):
            of = stats["of"]
            if of in readings.stats:
                line.refuse(say("paste_odd", tool=TOOL_NAME))
            readings.stats[of] = stats, line
        elif target := _TARGET.fullmatch(text):
            if of in (_MAIN, ""):
                with line.locating_errors():
                    percent = printed(TOOL_NAME, target["percent"]).value
                if percent in readings.targets:
                    line.refuse(say("paste_odd", tool=TOOL_NAME))
                readings.targets[percent] = target["value"], line
        elif not _note(readings, line) and not any(
            one.fullmatch(text) for one in (_LOG, _WORDS, _DONE)
        ):
            break
        readings.last = cursor.take().number
        if _DONE.fullmatch(text):
            break
    if not readings.stats and readings.ended is None and not readings.rate:
        # What it logs by itself.
        return ()
    return (_output(readings, first, cursor),)


def _note(readings: _Readings, line: Line) -> bool:
    """Keep what a line tells besides its times; whether it is such a line."""
    text = line.flat
    if banner := _BANNER.fullmatch(text):
        readings.version, readings.rate = banner["version"], readings.rate or banner["rate"]
    elif start := _START.fullmatch(text):
        readings.rate = start["rate"]
        with line.locating_errors():
            readings.threads = whole(TOOL_NAME, start["threads"])
    elif ended := _ENDED.fullmatch(text):
        readings.ended = ended, line
    elif code := _CODE.fullmatch(text):
        with line.locating_errors():
            count = whole(TOOL_NAME, code["count"])
            _check_code(code["code"], count)
        readings.answered += count
    elif sockets := _SOCKETS.fullmatch(text):
        readings.sockets = sockets
    else:
        return False
    return True


def _check_code(code: str, count: int) -> None:
    if count and not _GOOD.fullmatch(code):
        raise ToolError(say("ab_not_2xx", count=count))


def _output(readings: _Readings, first: Line, cursor: Cursor) -> Output:
    if _MAIN not in readings.stats:
        cursor.line_of(readings.last).refuse(say("paste_cut", tool=TOOL_NAME, missing=_MAIN))
    stats, line = readings.stats[_MAIN]
    if _ERRORS in readings.stats and readings.stats[_ERRORS][0]["count"] != "0":
        readings.stats[_ERRORS][1].refuse(say("paste_errors", tool=TOOL_NAME))
    if not readings.answered:
        # Without these nobody knows whether anything was answered.
        cursor.line_of(readings.last).refuse(say("paste_cut", tool=TOOL_NAME, missing="Code 200"))
    with line.locating_errors():
        count = whole(TOOL_NAME, stats["count"])
        mean = _seconds(stats["avg"])
        if mean <= 0 or count == 0:
            raise ToolError(say("paste_zero", tool=TOOL_NAME))
        agrees(
            TOOL_NAME,
            "avg",
            mean,
            _seconds(stats["sum"]) / count * 0.98,
            _seconds(stats["sum"]) / count * 1.02,
        )
        agrees(TOOL_NAME, "Code", readings.answered, count)
    figures = [Figure("request_mean", mean, f"{stats['avg']} s", line.number)]
    for percent, metric in _PERCENTILES.items():
        if percent in readings.targets:
            text, place = readings.targets[percent]
            with place.locating_errors():
                value = _seconds(text)
                agrees(TOOL_NAME, "target", value, 0.0, _seconds(stats["max"]) * 1.01)
            if value > 0:
                figures.append(Figure(metric, value, f"{text} s", place.number))
    figures.append(Figure("request_max", _seconds(stats["max"]), f"{stats['max']} s", line.number))
    rate, notes = _rate(readings, cursor.command)
    point: dict[str, AxisValue] = {}
    if readings.threads:
        point["concurrency"] = readings.threads
    if readings.sockets is not None:
        used, least = int(readings.sockets["used"]), int(readings.sockets["least"])
        if used == least:
            point["keep_alive"] = "on"
        elif used >= count:
            point["keep_alive"] = "off"
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=readings.last,
        figures=(*rate, *figures),
        point=point,
        version=readings.version,
        command=cursor.command,
        requests=count,
        notes=notes,
    )


def _rate(readings: _Readings, command: str) -> tuple[tuple[Figure, ...], tuple[Message, ...]]:
    """The rate: what the server can do where nothing held it back, else what was asked for."""
    asked = readings.rate or Arguments.of(command, TOOL_NAME, "load").option("-qps") or ""
    if readings.ended is None or not asked:
        return (), ()
    ended, line = readings.ended
    with line.locating_errors():
        value = _seconds(ended["qps"])
    if value <= 0:
        return (), ()
    if asked in ("max", "0", "-1"):
        return (Figure("requests_per_second", value, ended["qps"], line.number),), ()
    figure = Figure("request_rate", value, ended["qps"], line.number)
    return (figure,), (say("paste_paced_at", tool=TOOL_NAME, rate=asked),)


def _seconds(text: str) -> float:
    """A number as Go's %g prints it, which may have an exponent."""
    if not re.fullmatch(r"[0-9]{1,18}(?:\.[0-9]{1,20})?(?:e[+-][0-9]{1,2})?", text):
        raise ToolError(say("tool_not_number", tool=TOOL_NAME, text=text[:40]))
    return float(text)


def is_tool_json(held: object) -> bool:
    """Whether a JSON value is what `fortio load -json` writes."""
    return isinstance(held, dict) and held.keys() >= {
        "DurationHistogram",
        "ActualQPS",
        "RequestedQPS",
    }


def is_log(held: object) -> bool:
    """Whether a JSON value is a line of its log."""
    return isinstance(held, dict) and held.keys() >= {"ts", "level", "msg"}


def read_json(document: Fields, first: int, last: int, command: str) -> Output:
    """The run that a document is of. Raises ToolError."""
    histogram = document.object("DurationHistogram")
    count = histogram.count("Count")
    codes = document.object("RetCodes")
    for code in codes.held:
        _check_code(str(code), codes.count(code))
    answered = sum(codes.count(code) for code in codes.held)
    agrees(TOOL_NAME, "RetCodes", answered, max(count, 1))
    mean = histogram.positive("Avg")
    agrees(TOOL_NAME, "DurationHistogram.Avg", mean, histogram.number("Sum") / count)
    figures = [Figure("request_mean", mean, f"DurationHistogram.Avg {mean!r}", first)]
    if isinstance(histogram.held.get("Percentiles"), list):
        for one in histogram.objects("Percentiles"):
            metric = _PERCENTILES.get(one.number("Percentile"))
            value = one.number("Value")
            if metric and value > 0:
                figures.append(Figure(metric, value, f"Value {value!r}", first))
    most = histogram.positive("Max")
    figures.append(Figure("request_max", most, f"Max {most!r}", first))
    rate, asked = document.positive("ActualQPS"), document.text("RequestedQPS")[:40]
    free = asked in ("max", "0", "-1")
    name = "requests_per_second" if free else "request_rate"
    point: dict[str, AxisValue] = {}
    if "NumThreads" in document and document.count("NumThreads") > 0:
        point["concurrency"] = document.count("NumThreads")
    version = document.held.get("Version")
    return Output(
        tool=TOOL_NAME,
        first=first,
        last=last,
        figures=(Figure(name, rate, f"ActualQPS {rate!r}", first), *figures),
        point=point,
        version=version[:60] if isinstance(version, str) else "",
        command=command,
        requests=count,
        notes=() if free else (say("paste_paced_at", tool=TOOL_NAME, rate=asked),),
    )
