"""ApacheBench: requests by count, never by time (-t would silently cap them at 50,000)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.reading import complaint, succeeded
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput


@dataclass(frozen=True, slots=True)
class Options:
    """`requests` GETs of `url`, `concurrency` at a time; each waits at most `timeout_seconds`."""

    url: str
    requests: int
    concurrency: int
    keepalive: bool
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
    varying length are not one workload. A run with -k in which the server kept no connection
    did not measure keep-alive and is an error as well.
    """
    text = succeeded(TOOL.name, output)
    complete = int(_figure(text, "Complete requests"))
    if complete != options.requests:
        raise ToolError(say("ab_incomplete", complete=complete, requests=options.requests))
    failed = int(_figure(text, "Failed requests"))
    if failed:
        reasons = re.search(r"^ +\((Connect: .+)\)$", text, re.MULTILINE)
        raise ToolError(
            say(
                "ab_failed",
                failed=failed,
                complete=complete,
                reasons=reasons[1] if reasons else "?",
            )
        )
    if "Non-2xx responses:" in text:
        raise ToolError(say("ab_not_2xx", count=int(_figure(text, "Non-2xx responses"))))
    if _figure(text, "Total transferred") == 0:
        # ab calls a connection that is closed without an answer complete, and not failed.
        raise ToolError(say("ab_closed"))
    kept = int(_figure(text, "Keep-Alive requests")) if options.keepalive else None
    if kept == 0:
        raise ToolError(say("ab_not_kept_alive"))
    return Answer(
        requests_per_second=_figure(text, "Requests per second"),
        seconds=_figure(text, "Time taken for tests"),
        # ab prints two lines of this name: over one request, and over all concurrent ones.
        mean_seconds=_figure(text, "Time per request") / 1000,
        percentiles=_percentiles(text),
        document_bytes=int(_figure(text, "Document Length")),
        keepalive_requests=kept,
    )


def _figure(text: str, label: str) -> float:
    found = re.search(rf"^{re.escape(label)}: +(\d+(?:\.\d+)?)(?: |$)", text, re.MULTILINE)
    if found is None:
        raise ToolError(say("ab_no_line", label=label))
    return float(found[1])


def _percentiles(text: str) -> tuple[tuple[int, float], ...]:
    found = re.findall(r"^ +(\d+)% +(\d+)(?: \(longest request\))?$", text, re.MULTILINE)
    percentiles = tuple((int(percent), int(value) / 1000) for percent, value in found)
    if [percent for percent, _ in percentiles][-1:] != [100]:
        raise ToolError(say("ab_percentiles_cut"))
    return percentiles
