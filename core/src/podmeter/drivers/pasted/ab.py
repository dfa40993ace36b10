"""ApacheBench's words: a whole report, or the lines of it that somebody grepped for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import ab
from podmeter.drivers.pasted import shell
from podmeter.drivers.pasted.commands import Arguments
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.pasted.patterns import any_of
from podmeter.drivers.reading import Lines, whole

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = ab.TOOL.name

_LABELS = (
    "Server Software|Server Hostname|Server Port|SSL/TLS Protocol|Server Temp Key|TLS Server Name"
    "|Document Path|Document Length|Concurrency Level|Time taken for tests|Complete requests"
    "|Failed requests|Write errors|Keep-Alive requests|Non-2xx responses|Total transferred"
    "|Total body sent|Total PUT|Total POSTed|HTML transferred|Requests per second|Time per request"
    "|Transfer rate|Number of workers|Concurrency achieved|Rampup delay|Number of requests"
    "|Keep-Alive aborts"
)
_LABEL = re.compile(rf"({_LABELS}):(?: (\S.{{0,300}}))?")
_TWICE = frozenset({"Time per request", "Transfer rate"})
_BEGINS = re.compile(r"This is ApacheBench, Version (\S{1,20}).{0,60}")
_COMPLETED = re.compile(r"(Completed|Finished) ([0-9]{1,18}) requests")
_WORDS = re.compile(
    r"Copyright .{1,100}|Licensed to .{1,100}"
    r"|Benchmarking \S{1,253} \(be patient\)\.{0,10}(?:done)?"
    r"|Connection Times \(ms\)|min (?:mean ?\[\+/-sd\] median|avg) max"
    r"|(?:Connect|Processing|Waiting|Total): [0-9. -]{1,100}"
    r"|Percentage of the requests served within a certain time \(ms\)"
    r"|[0-9]{1,3}% [0-9]{1,12}(?: \(longest request\))?"
    r"|\(Connect: [0-9]{1,12}, Receive: [0-9]{1,12}, Length: [0-9]{1,12}, Exceptions?: "
    r"[0-9]{1,12}\)"
    r"|[0-9.]{1,30} kb/s (?:sent|total)|WARNING: The median and mean .{1,200}"
    r"|These results are probably not that reliable\."
    r"|deviation apart\. These results are NOT reliable\."
    r"|(?:LOG|INFO|DEBUG): .{1,1000}|\.\.\.?done|Server timed out"
    # What -e and -g write into a file, or behind the report where that is the terminal.
    r"|Percentage served,Time in ms|[0-9]{1,3},[0-9]{1,12}\.[0-9]{3}"
    r"|starttime seconds ctime dtime ttime wait|[0-9]{10}(?: [0-9]{1,12}){4}"
)
#: Its stronger words: a mean and a median that far apart are of times that have no one centre.
_UNRELIABLE = re.compile(
    r"ERROR: The median and mean for the (?P<what>.{1,60}) time are more than twice the "
    r"standard.{0,40}"
)
_FAILS = re.compile(
    r"Benchmarking \S{1,253} \(be patient\)\.{3}(?!INFO|LOG|WARN|DEBUG)[a-zA-Z].{0,20}: .{1,300}"
    r"|(?:apr_\w{1,40}|ab|socket|SSL \w{1,40}|Test aborted).{0,20}: .{1,300}"
    r"|SSL (?:read|write|handshake) failed .{1,300}|[0-9A-F]{4,32}:error:.{1,400}"
    r"|Total of [0-9]{1,18} requests completed|Send request (?:failed|timed out)!"
    r"|Test aborted after .{1,100}"
)
_PERCENTILES = {50: "request_p50", 90: "request_p90", 99: "request_p99"}


_FIRST = any_of(_BEGINS, _COMPLETED, _LABEL)


def begins(text: str) -> bool:
    """Whether a line is one of ab's."""
    return _FIRST.fullmatch(text) is not None or (
        text.startswith(("apr_", "ab: ", "Benchmarking ", "SSL ")) and _is_own(text)
    )


def _is_own(text: str) -> bool:
    return any(
        one.fullmatch(text) for one in (_BEGINS, _COMPLETED, _LABEL, _WORDS, _UNRELIABLE, _FAILS)
    )


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The report that begins here."""
    taken: list[Line] = []
    places: dict[str, Line] = {}
    finished = False
    while not cursor.ended:
        line = cursor.line
        if shell.is_blank(line.flat):
            # Dots stand for what somebody left out.
            cursor.at += 1
            continue
        if not _is_own(line.flat):
            break
        label, done = _LABEL.fullmatch(line.flat), _COMPLETED.fullmatch(line.flat)
        again = label is not None and label[1] in places and label[1] not in _TWICE
        if taken and (_BEGINS.fullmatch(line.flat) or again or (done and (finished or places))):
            break
        if _FAILS.fullmatch(line.flat):
            line.refuse(say("tool_said", tool=TOOL_NAME, said=line.flat[:300]))
        finished |= done is not None and done[1] == "Finished"
        # Of several values in the line, this one is read.
        if label is not None and (label[1] not in _TWICE or line.flat.endswith("(mean)")):
            places[label[1]] = line
        taken.append(cursor.take())
    if not places and all(_COMPLETED.fullmatch(one.flat) for one in taken):
        # How far it is, which it tells on its other output: the report may come later, or not.
        return ()
    return (_output(taken, places, cursor.command),)


def _output(taken: list[Line], places: dict[str, Line], command: str) -> Output:
    lines = Lines(TOOL_NAME, "\n".join(one.flat for one in taken))
    rate_line = places.get("Requests per second")
    _refuse_failures(lines, places)
    if rate_line is None:
        taken[-1].refuse(say("paste_no_rate", tool=TOOL_NAME))
    requests = _count(lines, places, "Complete requests")
    asked = Arguments.of(command, TOOL_NAME).whole("-c")
    concurrency = _count(lines, places, "Concurrency Level") or asked
    notes = tuple(
        say("paste_ab_unreliable", what=told["what"])
        for told in (_UNRELIABLE.fullmatch(one.flat) for one in taken)
        if told is not None
    )
    with rate_line.locating_errors():
        rate = lines.printed("Requests per second", "[#/sec] (mean)")
        if rate.value <= 0:
            raise ToolError(say("paste_zero", tool=TOOL_NAME))
    figures = [_figure("requests_per_second", rate.value, rate_line)]
    seconds = None
    complete = "Time per request" in places and "Time taken for tests" in places
    if complete and requests and concurrency:
        with rate_line.locating_errors():
            _, seconds, mean = ab.speeds(lines, requests, concurrency)
        figures.append(_figure("ab_request_mean", mean, places["Time per request"]))
        figures += _percentiles(taken, lines)
    else:
        notes += (say("paste_rate_alone"),)
    return Output(
        tool=TOOL_NAME,
        first=taken[0].number,
        last=taken[-1].number,
        figures=tuple(figures),
        point=_point(lines, places, concurrency, command),
        version=_version(taken),
        command=command,
        seconds=seconds,
        requests=requests or _finished(taken),
        notes=notes,
    )


def _refuse_failures(lines: Lines, places: dict[str, Line]) -> None:
    """Answers that are none are never a rate."""
    for label in ("Non-2xx responses", "Failed requests"):
        count = _count(lines, places, label)
        if count:
            complete = _count(lines, places, "Complete requests") or "?"
            why = say("ab_not_2xx", count=count)
            if label == "Failed requests":
                why = say("ab_failed", failed=count, complete=complete, reasons="-")
            places[label].refuse(why)
    if places.get("Total transferred") and _count(lines, places, "Total transferred", "bytes") == 0:
        places["Total transferred"].refuse(say("ab_closed"))


def _count(lines: Lines, places: dict[str, Line], label: str, unit: str = "") -> int | None:
    """The count of a line; None where it was not pasted."""
    if label not in places:
        return None
    with places[label].locating_errors():
        return lines.whole(label, unit)


def _figure(metric: str, value: float, line: Line) -> Figure:
    return Figure(metric, value, line.flat.partition(": ")[2], line.number)


def _percentiles(taken: list[Line], lines: Lines) -> list[Figure]:
    """Whole milliseconds; one of 0 is less than half of one, and no figure."""
    places = {
        int(one.flat.partition("%")[0]): one for one in taken if re.match(r"[0-9]{1,3}% ", one.flat)
    }
    if not places:
        return []
    with next(iter(places.values())).locating_errors():
        found = ab.percentiles(lines)
    return [
        Figure(_PERCENTILES[percent], value, f"{value * 1000:.0f} ms", places[percent].number)
        for percent, value in found
        if percent in _PERCENTILES and value > 0
    ]


def _point(
    lines: Lines, places: dict[str, Line], concurrency: int | None, command: str
) -> dict[str, AxisValue]:
    point: dict[str, AxisValue] = {}
    if concurrency:
        point["concurrency"] = concurrency
    kept, requests = (
        _count(lines, places, label) for label in ("Keep-Alive requests", "Complete requests")
    )
    if kept is not None and requests:
        if not ab.LEAST_KEPT * requests <= kept <= requests:
            places["Keep-Alive requests"].refuse(
                say("ab_not_kept_alive", kept=kept, requests=requests)
            )
        point["keep_alive"] = "on"
    elif requests is not None:
        point["keep_alive"] = "off"
    elif (asked := Arguments.of(command, TOOL_NAME).flag("-k")) is not None:
        point["keep_alive"] = "on" if asked else "off"
    return point


def _version(taken: list[Line]) -> str:
    found = _BEGINS.fullmatch(taken[0].flat)
    return found[1] if found else ""


def _finished(taken: list[Line]) -> int | None:
    """How many requests it says that it finished."""
    for line in taken:
        done = _COMPLETED.fullmatch(line.flat)
        if done is not None and done[1] == "Finished":
            with line.locating_errors():
                return whole(TOOL_NAME, done[2])
    return None
