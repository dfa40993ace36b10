"""curl: the phases of single requests by --write-out, and the time of each process as a whole."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import nginx, program, timed
from podmeter.drivers.fields import json_fields
from podmeter.drivers.reading import as_asked, complaint, ended, succeeded, whole
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.ports import CommandOutput


_PHASES = (
    "time_namelookup",
    "time_connect",
    "time_pretransfer",
    "time_starttransfer",
    "time_total",
)
#: Of the answer: who gave it, if it says so, and how much of it there was.
_ANSWER = {
    "http_code": "%{response_code}",
    "size": "%{size_download}",
    "address": '"%{remote_ip}"',
    "server": f'"%header{{{nginx.NAME_HEADER}}}"',
}
_WRITE_OUT = (
    "{"
    + ",".join(
        f'"{name}":{value}'
        for name, value in ({phase: f"%{{{phase}}}" for phase in _PHASES} | _ANSWER).items()
    )
    + "}"
)


@dataclass(frozen=True, slots=True)
class Options:
    """`requests` GETs of `url`, one process and one connection each, one after another.

    One more is made where the `first_counts` not. `host_name` is what is asked for instead of the
    URL's own host; `body_bytes` is what each answer must have, where that is known.
    """

    url: str
    requests: int
    timeout_seconds: float = 5.0
    first_counts: bool = False
    host_name: str | None = None
    body_bytes: int | None = None

    @property
    def made(self) -> int:
        """How many requests there are in all."""
        return self.requests + (not self.first_counts)


@dataclass(frozen=True, slots=True)
class Request:
    """One request; each phase in seconds since its start. `process` is the whole curl process.

    `address` answered; `server` is how it called itself, "" if it did not.
    """

    namelookup: float
    connect: float
    pretransfer: float
    starttransfer: float
    total: float
    process: float
    address: str
    server: str


def argv(options: Options) -> tuple[str, ...]:
    """The command: one request more than asked for, where the first is discarded."""
    return timed.argv([_one(options)], options.made)


def once_argv(url: str, timeout_seconds: float) -> tuple[str, ...]:
    """One request whose answer does not matter, only whether it is 2xx (exit code 0)."""
    seconds = f"{timeout_seconds:g}"
    return (
        "curl",
        "--silent",
        "--show-error",
        "--fail",
        "--output",
        "/dev/null",
        "--max-time",
        seconds,
        url,
    )


def until_answered_argv(url: str, deadline_seconds: int) -> tuple[str, ...]:
    """Ask again and again until the answer is 2xx (exit code 0) or the time is over (1)."""
    return program.argv("until-answered", url, str(deadline_seconds))


def parse_until_answered(output: CommandOutput) -> float | None:
    """Seconds since the last attempt in vain began; None where the first one was answered."""
    text = succeeded(TOOL.name, output)
    vain, _, rest = text.partition(" ")
    if not rest.endswith(" end\n"):
        raise ToolError(say("tool_no_field", tool=TOOL.name, what="end", path=""))
    microseconds = whole(TOOL.name, rest.removesuffix(" end\n"))
    return microseconds / 1e6 if whole(TOOL.name, vain) else None


#: One request alone may fail on a busy machine though all stands.
_VAIN_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Silence:
    """Seconds since the first attempt of those that failed for good began, and since the last one
    that was answered did; None where none was.
    """

    since: float
    answered: float | None


def until_silent_argv(url: str, deadline_seconds: int) -> tuple[str, ...]:
    """Ask again and again until nothing answers any more (exit code 0) or the time is over (1)."""
    return program.argv("until-silent", url, str(deadline_seconds), str(_VAIN_IN_A_ROW))


def parse_until_silent(output: CommandOutput) -> Silence:
    """Since when nothing answers. Raises ToolError, also where times are in the wrong order."""
    words = succeeded(TOOL.name, output).split(" ")
    if len(words) != 4 or words[3] != "end\n":
        raise ToolError(say("tool_no_field", tool=TOOL.name, what="end", path=""))
    count, since, answered = (whole(TOOL.name, word) for word in words[:3])
    if answered < since:
        raise ToolError(say("curl_order", said=output.stdout[:300]))
    return Silence(since / 1e6, answered / 1e6 if count else None)


#: A connection was refused, or nothing answered it in time.
_SHUT_OUT = (7, 28)


def probe_argv(urls: Sequence[str], connect_seconds: float) -> tuple[str, ...]:
    """Ask each URL once, in turn."""
    return program.argv("ask", f"{connect_seconds:g}", *urls)


def parse_probe(output: CommandOutput, expected: int) -> tuple[bool | None, ...]:
    """Of each URL whether it was answered; None where it was neither answered nor shut out."""
    *codes, end = succeeded(TOOL.name, output).split(" ")
    if end != "end\n" or len(codes) != expected:
        raise ToolError(say("tool_no_field", tool=TOOL.name, what="end", path=""))
    found = [whole(TOOL.name, code) for code in codes]
    return tuple(True if code == 0 else False if code in _SHUT_OUT else None for code in found)


def parse_version(output: CommandOutput) -> str:
    """The version, such as `8.14.1`."""
    found = re.match(r"curl (\S+)", output.stdout)
    if found is None:
        raise ToolError(say("tool_no_version", tool="curl", said=complaint(output)))
    return found[1]


TOOL = Tool("curl", ("curl", "--version"), parse_version)


def parse(output: CommandOutput, options: Options) -> tuple[Request, ...]:
    """The requests that count; the first one pays for address resolution and cold caches.

    Raises ToolError if any request, a discarded one included, failed, was not answered by 2xx, or
    by another number of bytes.
    """
    timings = timed.parse(output, options.made)
    found = tuple(_request(timing, output, options) for timing in timings)
    return found[options.made - options.requests :]


def _one(options: Options) -> tuple[str, ...]:
    asked = () if options.host_name is None else ("--header", f"Host: {options.host_name}")
    return (
        "curl",
        "--silent",
        "--show-error",
        "--output",
        "/dev/null",
        "--no-keepalive",
        # Not through a proxy that a client outside the cluster may be set to use.
        "--noproxy",
        "*",
        *asked,
        "--max-time",
        f"{options.timeout_seconds:g}",
        "--write-out",
        _WRITE_OUT,
        options.url,
    )


def _request(timing: timed.Timing, output: CommandOutput, options: Options) -> Request:
    if timing.exit_code != 0:
        raise ended(TOOL.name, replace(output, exit_code=timing.exit_code))
    answer = json_fields(TOOL.name, timing.stdout)
    code = answer.count("http_code")
    if not 200 <= code < 300:
        raise ToolError(say("curl_status", status=code))
    size = answer.count("size")
    if options.body_bytes is not None:
        as_asked(TOOL.name, "size", size, options.body_bytes)
    lookup, connect, ready, start, total = phases = [answer.number(name) for name in _PHASES]
    if [0.0, *phases, timing.seconds] != sorted([0.0, *phases, timing.seconds]) or connect == 0:
        raise ToolError(say("curl_order", said=timing.stdout[:300]))
    return Request(
        lookup,
        connect,
        ready,
        start,
        total,
        process=timing.seconds,
        address=answer.text("address"),
        server=answer.text("server"),
    )
