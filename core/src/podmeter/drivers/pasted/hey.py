"""hey's summary. It counts errors and answers of any status in its rate, so none may be there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.measurement import Unit
from podmeter.domain.messages import say
from podmeter.drivers.pasted.amounts import amount
from podmeter.drivers.pasted.commands import Arguments
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.reading import agrees, printed

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = "hey"

_LABEL = re.compile(
    r"(Total|Slowest|Fastest|Average|Requests/sec|Total data|Size/request): (\S{1,30})"
    r"(?: (secs|bytes(?:/request)?))?"
)
#: 0.1.5 prints the format of its percent sign, `50%% in`.
_PERCENT = re.compile(r"([0-9]{1,3})%{1,2} in (\S{1,30}) secs")
_STATUS = re.compile(r"\[([0-9]{3})\] ([0-9]{1,18}) responses")
_WORDS = re.compile(
    r"Summary:|Response time histogram:|Latency distribution:|Status code distribution:"
    r"|Details \(average, fastest, slowest\):|[0-9.]{1,20} \[[0-9]{1,18}\] ?\|\S{0,100}"
    r"|(?:DNS\+dialup|DNS-lookup|req write|resp wait|resp read): .{1,120}"
)
#: Answers of which it keeps times and statuses (report.go); of more it counts the rate alone.
_KEPT = 1_000_000
_ERRORS = "Error distribution:"
_PERCENTILES = {"50": "request_p50", "90": "request_p90", "99": "request_p99"}


def begins(text: str) -> bool:
    """Whether a line begins hey's summary."""
    return text in ("Summary:", _ERRORS) or text.startswith("Requests/sec: ")


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The summary that begins here."""
    first = cursor.line
    if not first.flat.startswith("Summary:"):
        # wrk ends with the same words; hey's are its own below its first line alone.
        first.refuse(say("paste_cut", tool=TOOL_NAME, missing="Summary:"))
    labels: dict[str, tuple[str, Line]] = {}
    percents: dict[str, tuple[str, Line]] = {}
    statuses: dict[str, tuple[int, Line]] = {}
    last = first
    while not cursor.ended:
        line = cursor.line
        text = line.flat
        if not text:
            cursor.at += 1
            continue
        if text == _ERRORS:
            line.refuse(say("paste_errors", tool=TOOL_NAME))
        if text == "Summary:" and line is not first:
            break
        if label := _LABEL.fullmatch(text):
            _once(labels, label[1], label[2], line)
        elif (percent := _PERCENT.fullmatch(text)) and int(percent[1]) == 0:
            # Of few requests it has no such percentile, and prints none as 0 % in 0.
            pass
        elif percent is not None:
            _once(percents, percent[1], percent[2], line)
        elif status := _STATUS.fullmatch(text):
            if not status[1].startswith("2"):
                line.refuse(say("ab_not_2xx", count=int(status[2])))
            if status[1] in statuses:
                line.refuse(say("paste_odd", tool=TOOL_NAME))
            statuses[status[1]] = int(status[2]), line
        elif not _WORDS.fullmatch(text):
            break
        last = cursor.take()
    return (_output(labels, percents, statuses, first, last, cursor.command),)


def _once(held: dict[str, tuple[str, Line]], name: str, value: str, line: Line) -> None:
    if name in held:
        line.refuse(say("paste_odd", tool=TOOL_NAME))
    held[name] = value, line


def _output(
    labels: dict[str, tuple[str, Line]],
    percents: dict[str, tuple[str, Line]],
    statuses: dict[str, tuple[int, Line]],
    first: Line,
    last: Line,
    command: str,
) -> Output:
    for name in ("Total", "Requests/sec", "Average"):
        if name not in labels:
            last.refuse(say("paste_cut", tool=TOOL_NAME, missing=name))
    if not statuses:
        # Without these nobody knows whether anything was answered.
        last.refuse(say("paste_cut", tool=TOOL_NAME, missing="Status code distribution"))
    requests = sum(count for count, _ in statuses.values())
    said, line = labels["Requests/sec"]
    with line.locating_errors():
        rate = _rate(said)
        total = amount(TOOL_NAME, labels["Total"][0], "s", Unit.SECONDS)
        many = rate * total.most > _KEPT
        counted = rate * total.value if many and requests == _KEPT else float(requests)
        agrees(
            *(TOOL_NAME, "Requests/sec", rate),
            counted / total.most - 1e-4 * rate,
            counted / total.least * (1 + 1e-4) if total.least > 0 else float("inf"),
        )
    arguments = Arguments.of(command, TOOL_NAME)
    concurrency = arguments.whole("-c")
    # -q holds each of its workers to a rate.
    paced = any((one or "").strip("0.") for one in arguments.values("-q"))
    metric = "request_rate" if paced else "requests_per_second"
    figures = [Figure(metric, rate, said, line.number)]
    # Of more than it keeps, its mean is the sum of all times over the number that it kept.
    timed = [] if many else [("request_mean", *labels["Average"])]
    timed += [(metric, *percents[at]) for at, metric in _PERCENTILES.items() if at in percents]
    for metric, text, place in timed:
        with place.locating_errors():
            seconds = amount(TOOL_NAME, text, "s", Unit.SECONDS)
        # Tenths of a millisecond: what is printed as none of them is shorter, and not known.
        if seconds.value > 0:
            figures.append(Figure(metric, seconds.value, f"{text} secs", place.number))
    if not many and concurrency is not None:
        _check_mean(labels["Average"], rate, concurrency)
    point: dict[str, AxisValue] = {}
    if concurrency is not None:
        point["concurrency"] = concurrency
    if (closes := arguments.flag("-disable-keepalive")) is not None:
        point["keep_alive"] = "off" if closes else "on"
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=last.number,
        figures=tuple(figures),
        point=point,
        command=command,
        seconds=total.value,
        requests=None if many else requests,
        notes=(
            *((say("paste_hey_million"),) if many else ()),
            *((say("paste_paced_at", tool=TOOL_NAME, rate=said),) if paced else ()),
        ),
    )


def _check_mean(average: tuple[str, Line], rate: float, concurrency: int) -> None:
    """So many requests at a time cannot take longer than the time that there was for them."""
    said, line = average
    with line.locating_errors():
        mean = amount(TOOL_NAME, said, "s", Unit.SECONDS)
        agrees(TOOL_NAME, "Average", mean.least, 0.0, concurrency / rate * 1.02)


def _rate(text: str) -> float:
    found = printed(TOOL_NAME, text).value
    if found <= 0:
        raise ToolError(say("paste_zero", tool=TOOL_NAME))
    return found
