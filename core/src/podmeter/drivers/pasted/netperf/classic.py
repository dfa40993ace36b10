"""netperf's classic tables: headings over rows of numbers, their last one in a unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.drivers.pasted.netperf.fields import TOOL_NAME, UNIT_WORDS
from podmeter.drivers.pasted.output import Figure
from podmeter.drivers.reading import agrees, printed, whole

if TYPE_CHECKING:
    from podmeter.drivers.pasted.text import Line

#: The last of the heading's lines tells which table it is, and the unit of its rate.
STREAM = re.compile(r"bytes bytes bytes secs\. (?P<unit>\S{3,12})/s(?:ec)?(?: % \S .{1,40})?")
DATAGRAMS = re.compile(r"bytes bytes secs # # (?P<unit>\S{3,12})/sec(?: % \S.{1,40})?")
REQUESTS = re.compile(r"bytes [Bb]ytes bytes bytes secs\. per sec(?: % \S .{1,40})?")
#: The lines of headings before it.
WORDS = re.compile(
    r"Recv Send Send(?: Utilization Service Demand)?|Local /?Remote"
    r"|Socket Socket Message Elapsed(?: .{1,80})?|Size Size Size Time Throughput(?: .{1,60})?"
    r"|Socket Message Elapsed Messages(?: .{1,60})?"
    r"|Size Size Time Okay Errors Throughput(?: .{1,40})?"
    r"|Socket Size Request Resp\. Elapsed(?: Trans\.)?(?: .{1,60})?"
    r"|Send Recv Size Size Time Rate(?: .{1,60})?"
)
ROW = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,9})?(?: -?[0-9]{1,18}(?:\.[0-9]{1,9})?){0,10}")
_STREAM_NAMES = ("", "", "LOCAL_SEND_SIZE", "ELAPSED_TIME", "THROUGHPUT")
_REQUEST_NAMES = ("", "", "REQUEST_SIZE", "RESPONSE_SIZE", "ELAPSED_TIME", "THROUGHPUT")


def stream(line: Line) -> dict[str, tuple[str, Line]]:
    """The fields of a row of bytes in one direction; CPU may follow."""
    return _named(line, _STREAM_NAMES, (5, 9))


def requests(line: Line) -> dict[str, tuple[str, Line]]:
    """The fields of a row of requests; CPU may follow."""
    return _named(line, _REQUEST_NAMES, (6, 10))


def _named(
    line: Line, names: tuple[str, ...], lengths: tuple[int, ...]
) -> dict[str, tuple[str, Line]]:
    numbers = line.flat.split(" ")
    if len(numbers) not in lengths:
        line.refuse(say("paste_columns", found=len(numbers), expected=lengths[0]))
    return {name: (text, line) for name, text in zip(names, numbers, strict=False) if name}


def datagrams(
    sent: Line, received: Line, unit_bits: float, unit: str
) -> tuple[dict[str, tuple[str, Line]], tuple[Figure, ...]]:
    """The fields of what was received, and what was sent and lost on the way."""
    ours, theirs = sent.flat.split(" "), received.flat.split(" ")
    if len(ours) not in (6, 8) or len(theirs) not in (4, 6):
        line = sent if len(ours) not in (6, 8) else received
        line.refuse(say("paste_columns", found=len(line.flat.split(" ")), expected=6))
    with received.locating_errors():
        count, arrived = whole(TOOL_NAME, ours[3]), whole(TOOL_NAME, theirs[2])
        agrees(TOOL_NAME, "Messages", arrived, 0, count)
        agrees(TOOL_NAME, "Messages", count, 1, float("inf"))
    with sent.locating_errors():
        rate = printed(TOOL_NAME, ours[5]).value
    fields = {
        "LOCAL_SEND_SIZE": (ours[1], sent),
        "ELAPSED_TIME": (ours[2], sent),
        "THROUGHPUT": (theirs[3], received),
    }
    figures = (
        Figure(
            "throughput_sent",
            float(f"{rate * unit_bits:.15g}"),
            f"{ours[5]} {UNIT_WORDS.get(unit, unit)}/s",
            sent.number,
        ),
        Figure(
            "udp_loss",
            (count - arrived) / count,
            f"sent {count}, received {arrived}",
            received.number,
        ),
    )
    return fields, figures if rate > 0 else figures[1:]
