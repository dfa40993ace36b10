"""sockperf's client: the time of a message there (half of there and back), or how many it sent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.measurement import Unit
from podmeter.domain.messages import Message, say
from podmeter.drivers.pasted.amounts import amount
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.reading import agrees, printed

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = "sockperf"

_OWN = "sockperf: "
_BEGINS = re.compile(r"== version #(?P<version>\S{1,40}) ==|sockperf\[CLIENT\] .{1,300}")
_LATENCY = re.compile(
    r"Summary: (?P<what>Latency|Round trip|Latency Min"
    r"|.{1,20} time) (?:of burst of [0-9]{1,9} messages )?"
    r"is (?P<value>\S{1,20}) usec"
)
_PERCENTILE = re.compile(r"---> percentile (?P<percent>[0-9.]{1,8}) = (?P<value>\S{1,20})")
_RATE = re.compile(r"Summary: Message Rate is (?P<value>[0-9]{1,12}) \[msg/sec\].{0,100}")
_BANDWIDTH = re.compile(
    r"Summary: BandWidth is \S{1,20} [MG]Bps \((?P<value>\S{1,20}) (?P<unit>[MG]bps)\)"
)
_PROTOCOL = re.compile(
    r"\[ ?[0-9]{1,6}\] IP = \S{1,80} PORT = [0-9]{1,5} # (?P<protocol>UDP|TCP).{0,40}"
)
_FAILS = re.compile(
    r"(?:\S{0,40}:[0-9]{1,6}:)?ERROR: .{1,400}|No (?:valid )?(?:messages|observations).{0,200}"
    r"|Server (?:is )?not .{1,100}"
    r"|Test end \(interrupted by (?:user|signal).{0,60}"
)
#: The time is over; what it says of signals afterwards is its own.
_TIMED_OUT = "Test end (interrupted by timer)"
_SERVER = re.compile(r"\[SERVER\] listen on:.{0,100}")
_SIZE = re.compile(r"NOTE: test was performed, using msg-size=(?P<size>[1-9][0-9]{0,8})\b.{0,300}")
_ONE_WAY = {"50": "message_latency_p50", "90": "message_latency_p90", "99": "message_latency_p99"}
_ROUND = {"50": "transaction_p50", "90": "transaction_p90", "99": "transaction_p99"}


def begins(text: str) -> bool:
    """Whether a line is one of sockperf's."""
    return text.startswith(_OWN) or _BEGINS.fullmatch(text) is not None


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The run that begins here."""
    first = last = cursor.line
    readings: dict[str, tuple[re.Match[str], Line]] = {}
    percentiles: dict[str, tuple[str, Line]] = {}
    server = timed_out = False
    forms = {"latency": _LATENCY, "rate": _RATE, "bandwidth": _BANDWIDTH, "protocol": _PROTOCOL}
    forms |= {"size": _SIZE, "version": _BEGINS}
    while not cursor.ended:
        line = cursor.line
        text = line.flat.removeprefix(_OWN)
        if not line.flat:
            cursor.at += 1
            continue
        if not line.flat.startswith((_OWN, "sockperf[")) and not _PROTOCOL.fullmatch(text):
            break
        server |= _SERVER.fullmatch(text) is not None
        timed_out |= text == _TIMED_OUT
        if _FAILS.fullmatch(text) and not server and not (timed_out and "Test end" in text):
            line.refuse(say("tool_said", tool=TOOL_NAME, said=text[:300]))
        if text.startswith("== version") and (readings.keys() & {"latency", "bandwidth"}):
            break
        for name, form in forms.items():
            if match := form.fullmatch(text):
                if name in readings and name in ("latency", "rate", "bandwidth"):
                    line.refuse(say("paste_odd", tool=TOOL_NAME))
                readings.setdefault(name, (match, line))
        if match := _PERCENTILE.fullmatch(text):
            percent = match["percent"].rstrip("0").rstrip(".")
            if percent in percentiles:
                line.refuse(say("paste_odd", tool=TOOL_NAME))
            percentiles[percent] = match["value"], line
        last = cursor.take()
    if server and not readings.keys() & {"latency", "bandwidth", "rate"}:
        cursor.pass_over(first, say("paste_sockperf_server"))
        return ()
    if not readings.keys() & {"latency", "bandwidth", "rate"}:
        last.refuse(say("paste_cut", tool=TOOL_NAME, missing="Summary"))
    return (_output(readings, percentiles, first, last, cursor.command),)


def _output(
    readings: dict[str, tuple[re.Match[str], Line]],
    percentiles: dict[str, tuple[str, Line]],
    first: Line,
    last: Line,
    command: str,
) -> Output:
    figures: list[Figure] = []
    notes: tuple[Message, ...] = ()
    if "latency" in readings:
        match, line = readings["latency"]
        whole_way = match["what"] == "Round trip"
        mean = "transaction_mean" if whole_way else "message_latency"
        with line.locating_errors():
            figures.append(_time(mean, match["value"], line))
        before = 0.0
        for percent, metric in (_ROUND if whole_way else _ONE_WAY).items():
            if percent in percentiles:
                text, place = percentiles[percent]
                with place.locating_errors():
                    figure = _time(metric, text, place)
                    agrees(TOOL_NAME, f"percentile {percent}", figure.value, before, float("inf"))
                before = figure.value
                figures.append(figure)
    if "rate" in readings:
        match, line = readings["rate"]
        with line.locating_errors():
            rate = printed(TOOL_NAME, match["value"]).value
            if rate <= 0:
                raise ToolError(say("paste_zero", tool=TOOL_NAME))
        figures.append(Figure("message_rate", rate, match["value"], line.number))
    if "bandwidth" in readings:
        match, line = readings["bandwidth"]
        with line.locating_errors():
            # Its mega is 1024 * 1024, its giga a thousand of these (client.cpp).
            mega = 2.0**20 * (1000 if match["unit"] == "Gbps" else 1)
            bits = printed(TOOL_NAME, match["value"]).value * mega
        if bits > 0:
            words = f"{match['value']} {'Ki' if match['unit'] == 'Gbps' else ''}Mibit/s"
            figures.append(Figure("bandwidth_sent", float(f"{bits:.12g}"), words, line.number))
        notes = (say("paste_sockperf_sent"),)
    point: dict[str, AxisValue] = {}
    if "protocol" in readings:
        point["protocol"] = readings["protocol"][0]["protocol"].lower()
    if "size" in readings:
        point["message_bytes"] = int(readings["size"][0]["size"])
    version = readings["version"][0]["version"] if "version" in readings else ""
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=last.number,
        figures=tuple(figures),
        point=point,
        version=version or "",
        command=command,
        notes=notes,
    )


def _time(metric: str, text: str, line: Line) -> Figure:
    value = amount(TOOL_NAME, text, "usec", Unit.SECONDS).value
    if value <= 0:
        raise ToolError(say("paste_zero", tool=TOOL_NAME))
    return Figure(metric, value, f"{text} usec", line.number)
