"""vegeta: requests at a constant rate, the time of each in nanoseconds.

A request's time is from before its connection is made, or a kept one is taken, until all of its
answer was read. vegeta sends whether or not answers have come, so what it could not send in time is
seen in the rate that it reached.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program
from podmeter.drivers.fields import Fields, json_fields
from podmeter.drivers.reading import agrees, as_asked, complaint, succeeded, whole
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

_NANO = 1e-9
#: So many more are sent, or one in a hundred.
_SPARE = 5
#: As vegeta begins with.
_WORKERS = 10


@dataclass(frozen=True, slots=True)
class Options:
    """`requests` GETs of `url` at least, `rate` a second; over kept connections if `keepalive`.

    `body_bytes` is what the server was set to answer with. No more than `at_once` are in progress
    at a time: where all of them are, the rate is not reached.
    """

    url: str
    requests: int
    rate: int
    keepalive: bool
    body_bytes: int
    at_once: int = 100
    timeout_seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run measured: seconds of each request in the order they were sent, and 1/s.

    `requests_per_second` is the rate at which they were sent.
    """

    seconds: tuple[float, ...]
    requests_per_second: float


def argv(options: Options) -> tuple[str, ...]:
    """The command. It sends a few more: vegeta ends by time, and the last ones may come late."""
    sent = options.requests + max(_SPARE, options.requests // 100)
    nanoseconds = ceil((sent - 0.5) * 1e9 / options.rate)
    return _argv(options, options.rate, nanoseconds, min(_WORKERS, options.at_once))


def check_argv(options: Options, factor: float, seconds: float) -> tuple[str, ...]:
    """The same at so many times the rate, with a few requests at least; as many as are answered in
    time, where the path takes fewer.
    """
    rate = max(1, round(factor * options.rate))
    seconds = max(seconds, _SPARE / rate)
    return _argv(options, rate, ceil(seconds * 1e9), options.at_once)


def _argv(options: Options, rate: int, nanoseconds: int, workers: int) -> tuple[str, ...]:
    return (
        *program.argv(TOOL.name, options.url),
        f"-rate={rate}/1s",
        f"-duration={nanoseconds}ns",
        f"-keepalive={str(options.keepalive).lower()}",
        f"-workers={workers}",
        f"-max-workers={options.at_once}",
        f"-timeout={options.timeout_seconds:g}s",
    )


def parse_version(output: CommandOutput) -> str:
    """The version, such as `12.12.0`."""
    found = re.match(r"Version: v?(\S+)\n", output.stdout)
    if found is None:
        raise ToolError(say("tool_no_version", tool="vegeta", said=complaint(output)))
    return found[1]


TOOL = Tool("vegeta", ("vegeta", "-version"), parse_version)


def parse(output: CommandOutput, options: Options) -> Answer:
    """What was measured of as many requests as were sent in time.

    Raises ToolError if any of them failed, or was not answered at the length that it should be:
    vegeta reads as much as was announced, or says that it could not.
    """
    report, headers, *lines = _lines(output)
    _whole_bodies(headers, options)
    hits = sorted(_hit(line) for line in lines)
    if [number for number, *_ in hits] != list(range(len(hits))):
        raise ToolError(say("vegeta_cut", said=complaint(output)))
    starts, taken = [start for _, start, _ in hits], [took for *_, took in hits]
    if starts != sorted(starts) or min(taken) <= 0 or starts[-1] == starts[0]:
        raise ToolError(say("vegeta_odd_times"))
    _agree(json_fields(TOOL.name, report), starts, taken)
    rate = (len(hits) - 1) / ((starts[-1] - starts[0]) * _NANO)
    return Answer(tuple(one * _NANO for one in taken), rate)


def _lines(output: CommandOutput) -> list[str]:
    """The report, the headers and a line for each request, all of which were answered."""
    *lines, end, rest = ["", *succeeded(TOOL.name, output).split("\n")]
    lines = lines[1:]
    for line in lines:
        if line.startswith("failed "):
            raise ToolError(say("vegeta_failed", said=line[7:]))
    words = end.split(" ")
    if rest or len(words) != 3 or words[0] != "end" or len(lines) < 4:
        raise ToolError(say("vegeta_cut", said=complaint(output)))
    count, failed = (whole(TOOL.name, word) for word in words[1:])
    if failed or count != len(lines) - 2 or not lines[1].startswith("headers "):
        raise ToolError(say("vegeta_cut", said=complaint(output)))
    return lines


def _whole_bodies(line: str, options: Options) -> None:
    """Raise ToolError if the announced length is not the length set at the server."""
    try:
        headers = base64.b64decode(line.removeprefix("headers "), validate=True)
    except ValueError as error:  # not base64, or not even ASCII
        raise ToolError(say("vegeta_cut", said=line[:300])) from error
    found = re.findall(rb"^content-length: ([0-9]{1,18})\r$", headers.lower(), re.MULTILINE)
    if len(found) != 1:
        raise ToolError(say("tool_no_field", tool=TOOL.name, what="Content-Length", path="headers"))
    as_asked(TOOL.name, "Content-Length", int(found[0]), options.body_bytes)


def _hit(line: str) -> tuple[int, int, int]:
    """A request's number, and the nanoseconds of its start and of its time."""
    words = line.split(" ")
    if len(words) != 4:
        raise ToolError(say("vegeta_cut", said=line[:300]))
    number, status, took = (whole(TOOL.name, word) for word in (words[0], *words[2:]))
    if status != 200:
        raise ToolError(say("vegeta_status", status=status))
    # Nanoseconds since 1970 have as many digits until 2286.
    if not re.fullmatch(r"[1-9][0-9]{18}", words[1]):
        raise ToolError(say("tool_not_number", tool=TOOL.name, text=words[1][:40]))
    return number, int(words[1]), took


def _agree(report: Fields, starts: list[int], taken: list[int]) -> None:
    """Hold vegeta's own report against its requests."""
    count, latencies = len(taken), report.object("latencies")
    ends = [start + took for start, took in zip(starts, taken, strict=True)]
    for what, said, rest in (
        ("requests", report.count("requests"), count),
        ("200", report.object("status_codes").count("200"), count),
        ("success", report.number("success"), 1),
        ("duration", report.number("duration"), starts[-1] - starts[0]),
        ("wait", report.number("wait"), max(ends) - starts[-1]),
        ("total", latencies.number("total"), sum(taken)),
        ("min", latencies.number("min"), min(taken)),
        ("max", latencies.number("max"), max(taken)),
    ):
        agrees(TOOL.name, what, said, rest, rest)
    # In whole nanoseconds, cut.
    mean = sum(taken) / count
    agrees(TOOL.name, "mean", latencies.number("mean"), mean - 1, mean)
