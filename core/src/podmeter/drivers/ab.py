"""ApacheBench: requests by count, never by time (-t would silently cap them at 50,000)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.reading import Lines, agrees, as_asked, complaint, succeeded, whole
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

#: ab's table of percentiles, always these.
_PERCENTS = (50, 66, 75, 80, 90, 95, 98, 99, 100)
#: A run with -k measured keep-alive only where nearly every request came over a kept connection.
LEAST_KEPT = 0.99


@dataclass(frozen=True, slots=True)
class Options:
    """`requests` GETs of `url`, `concurrency` at a time; each waits at most `timeout_seconds`.

    `document_bytes` is what the server was set to answer with.
    """

    url: str
    requests: int
    concurrency: int
    keepalive: bool
    document_bytes: int
    timeout_seconds: int = 30


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run measured; seconds and 1/s. `percentiles` are of single requests, by percent.

    Percentiles come in whole milliseconds from ab's table; `mean_seconds` is finer.
    """

    requests_per_second: float
    seconds: float
    mean_seconds: float
    percentiles: tuple[tuple[int, float], ...]
    document_bytes: int
    keepalive_requests: int | None


def argv(options: Options) -> tuple[str, ...]:
    """The command. -q leaves out progress, -d nothing that is read here; -r is not given, so a
    broken connection ends the run.
    """
    command = ["ab", "-q", "-n", str(options.requests), "-c", str(options.concurrency)]
    command += ["-s", str(options.timeout_seconds)]
    if options.keepalive:
        command.append("-k")
    return (*command, options.url)


def parse_version(output: CommandOutput) -> str:
    """The version, such as `2.3 <$Revision: 1934973 $>`."""
    found = re.search(r"ApacheBench, Version (.+)", output.stdout)
    if found is None:
        raise ToolError(say("tool_no_version", tool="ab", said=complaint(output)))
    return found[1].strip()


TOOL = Tool("ab", ("ab", "-V"), parse_version)


def parse(output: CommandOutput, options: Options) -> Answer:
    """The answer to a run with `options`.

    Raises ToolError for any failed or non-2xx request. ab compares every answer with the first
    one's length and calls a difference a failure; this is one here too, because answers of
    varying length are not one workload, and so is a first answer that is not what the server was
    set to give. A run with -k in which the server closed connections did not measure keep-alive
    and is an error as well, as is whatever in ab's figures contradicts the others.
    """
    lines = Lines(TOOL.name, succeeded(TOOL.name, output))
    complete = lines.whole("Complete requests")
    if complete != options.requests:
        raise ToolError(say("ab_incomplete", complete=complete, requests=options.requests))
    failed = lines.whole("Failed requests")
    if failed:
        reasons = re.search(r"^ +\((Connect: .+)\)$", lines.text, re.MULTILINE)
        said = reasons[1] if reasons else "?"
        raise ToolError(say("ab_failed", failed=failed, complete=complete, reasons=said))
    if "Non-2xx responses" in lines.text:
        raise ToolError(say("ab_not_2xx", count=lines.whole("Non-2xx responses")))
    if lines.whole("Total transferred", "bytes") == 0:
        # ab calls a connection that is closed without an answer complete, and not failed.
        raise ToolError(say("ab_closed"))
    kept = lines.whole("Keep-Alive requests") if options.keepalive else None
    if kept is not None and not LEAST_KEPT * complete <= kept <= complete:
        raise ToolError(say("ab_not_kept_alive", kept=kept, requests=complete))
    as_asked(TOOL.name, "Concurrency Level", lines.whole("Concurrency Level"), options.concurrency)
    rate, seconds, mean = speeds(lines, options.requests, options.concurrency)
    return Answer(
        requests_per_second=rate,
        seconds=seconds,
        mean_seconds=mean,
        percentiles=percentiles(lines),
        document_bytes=_document_bytes(lines, options),
        keepalive_requests=kept,
    )


def speeds(lines: Lines, requests: int, concurrency: int) -> tuple[float, float, float]:
    """Requests per second, seconds, and seconds of one request: one figure, told four times."""
    seconds = lines.printed("Time taken for tests", "seconds")
    rate = lines.printed("Requests per second", "[#/sec] (mean)")
    mean = lines.printed("Time per request", "[ms] (mean)", of=2)
    across = lines.printed("Time per request", "[ms] (mean, across all concurrent requests)", of=2)
    if not (seconds.value > 0 and rate.value > 0 and mean.value > 0):
        raise ToolError(say("ab_no_time", seconds=seconds.value))
    agrees(
        *(TOOL.name, "Requests per second", rate.value),
        requests / seconds.most - rate.slack,
        requests / seconds.least + rate.slack,
    )
    for what, one, at_once in (
        ("Time per request", mean, concurrency),
        ("Time per request, across all", across, 1),
    ):
        agrees(
            *(TOOL.name, what, one.value),
            1000 * at_once / rate.most - one.slack,
            1000 * at_once / rate.least + one.slack,
        )
    return rate.value, seconds.value, mean.value / 1000


def _document_bytes(lines: Lines, options: Options) -> int:
    """The length of each answer, which is what was asked for and makes what was transferred."""
    length = lines.whole("Document Length", "bytes")
    as_asked(TOOL.name, "Document Length", length, options.document_bytes)
    # Answers that arrive together with the last one counted are in these sums as well.
    most = options.requests + options.concurrency
    bodies = lines.whole("HTML transferred", "bytes")
    agrees(TOOL.name, "HTML transferred", bodies, options.requests * length, most * length)
    total = lines.whole("Total transferred", "bytes")
    rate = lines.printed("Requests per second", "[#/sec] (mean)")
    speed = lines.printed("Transfer rate", "[Kbytes/sec] received")
    agrees(TOOL.name, "Total transferred", total, bodies, float("inf"))
    agrees(
        *(TOOL.name, "Transfer rate", speed.value),
        total / 1024 * rate.least / options.requests - speed.slack,
        total / 1024 * rate.most / options.requests + speed.slack,
    )
    return length


def percentiles(lines: Lines) -> tuple[tuple[int, float], ...]:
    """The table, which ascends to the longest request of the table above it."""
    found = re.findall(
        r"^ *([0-9]{1,3})% +([0-9]{1,12})(?: \(longest request\))?$", lines.text, re.MULTILINE
    )
    values = [int(value) for _, value in found]
    longest = whole(TOOL.name, lines.match("Total", r"\S+ +\S+ +\S+ +\S+ +(\S+)")[1])
    if tuple(int(percent) for percent, _ in found) != _PERCENTS or values != sorted(values):
        raise ToolError(say("ab_percentiles_cut"))
    agrees(TOOL.name, "100%", values[-1], longest)
    return tuple(zip(_PERCENTS, (value / 1000 for value in values), strict=True))
