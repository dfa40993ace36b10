"""Read what qperf prints, at any indentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.pasted.qperf_loop import SIZE, by_size
from podmeter.drivers.pasted.text import MOST_OUTPUTS
from podmeter.drivers.qperf_text import CONF, TESTS, TOOL_NAME, Reading, add
from podmeter.drivers.reading import agrees

if TYPE_CHECKING:
    from podmeter.drivers.pasted.text import Cursor, Line

_HEAD = re.compile(r"([a-z][a-z_]{1,39}):")
_FIGURE = re.compile(r"([a-z_]{1,40}) = (\S.{0,200})")
_FAILS = re.compile(
    r"(?:(?:qperf|server): .{1,300}|(?:failed|unable|cannot|could) (?:to|not )?.{1,300}"
    r"|.{0,80}[Cc]onnection refused.{0,80}|\S{1,253}: failed to connect|.{0,80}timed? ?out.{0,80})"
)
#: Names of figures that only qperf prints: a pasted text may begin with one.
_QPERF_ONLY = frozenset(
    {"bw", "msg_rate", "send_bw", "recv_bw", "latency", "send_cost", "recv_cost", "loc_node"}
)
#: By the name of a figure: its metric, and the end (client or server) that it describes.
_BANDWIDTH = {
    "bw": ("bandwidth", ""),
    "recv_bw": ("bandwidth", ""),
    "send_bw": ("bandwidth_sent", ""),
    "msg_rate": ("message_rate", ""),
    "send_cost": ("send_cost", ""),
    "recv_cost": ("receive_cost", ""),
    "send_cpus_used": ("cpus_used", "client"),
    "recv_cpus_used": ("cpus_used", "server"),
}
_LATENCY = {
    "latency": ("message_latency", ""),
    "msg_rate": ("message_rate", ""),
    "loc_cpus_used": ("cpus_used", "client"),
    "rem_cpus_used": ("cpus_used", "server"),
}
#: The main figure of each test, which must be there.
_NEEDED = {"tcp_bw": "bw", "udp_bw": "recv_bw", "tcp_lat": "latency", "udp_lat": "latency"}
_OF_BANDWIDTH = frozenset({"bw", "send_bw", "recv_bw", "send_cost", "recv_cost"})
_NOT_IN = {
    "tcp_bw": frozenset({"send_bw", "recv_bw", "latency"}),
    "udp_bw": frozenset({"bw", "latency"}),
    "tcp_lat": _OF_BANDWIDTH,
    "udp_lat": _OF_BANDWIDTH,
}
#: Each end measures with its own clock, so the figures of both may differ by this share.
_TOLERANCE = 0.02


def begins(text: str) -> bool:
    """Whether a line is one of qperf's."""
    head, figure = _HEAD.fullmatch(text), _FIGURE.fullmatch(text)
    if head is not None:
        return head[1] in (*TESTS, CONF) or head[1].endswith(("_bw", "_lat"))
    return figure is not None and figure[1] in _QPERF_ONLY


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The tests that begin here, each of which is an output of its own."""
    tests = _tests_in_command(cursor.command)
    outputs: list[Output] = []
    while not cursor.ended:
        line = cursor.line
        if not line.flat:
            cursor.at += 1
            continue
        if _FAILS.fullmatch(line.flat):
            line.refuse(say("tool_said", tool=TOOL_NAME, said=line.flat[:300]))
        head = _HEAD.fullmatch(line.flat)
        if head is None and (outputs or not _FIGURE.fullmatch(line.flat)):
            break
        if head is not None:
            if not begins(line.flat):
                break
            cursor.take()
            test = head[1]
        elif tests:
            # A page may lose the first line of a text; the command still says what it was.
            test = tests[0]
        else:
            line.refuse(say("paste_no_test"))
        if test not in (*TESTS, CONF):
            line.refuse(say("paste_test_unknown", test=test, known=(*TESTS, CONF)))
        if len(outputs) > 2 * MOST_OUTPUTS:
            line.refuse(say("paste_too_many", most=MOST_OUTPUTS))
        one = _test(cursor, test, line)
        if one is not None:
            outputs.append(one)
    return _with_versions(by_size(outputs, cursor))


def _tests_in_command(command: str) -> list[str]:
    """The tests that a command names, in their order."""
    return [word for word in command.split(" ") if word in (*TESTS, CONF)]


def _test(cursor: Cursor, test: str, first: Line) -> Output | None:
    """The figures that follow; None for `conf`, whose fields are stored with the tests."""
    reading, last = Reading(test), first
    places: dict[str, Line] = {}
    while not cursor.ended:
        line = cursor.line
        told = _FIGURE.fullmatch(line.flat)
        if not line.flat:
            # A web page may put blank lines between the figures.
            cursor.at += 1
            continue
        if told is None:
            if _FAILS.fullmatch(line.flat):
                line.refuse(say("tool_said", tool=TOOL_NAME, said=line.flat[:300]))
            break
        if told[1] in _NOT_IN.get(test, ()):
            line.refuse(say("paste_odd", tool=TOOL_NAME))
        with line.locating_errors():
            add(reading, told[1], told[2], line.flat)
        places[told[1]] = last = cursor.take()
    if test == CONF:
        version = reading.words.get("rem_qperf", "") or reading.words.get("loc_qperf", "")
        return Output(TOOL_NAME, first.number, last.number, (), version=version)
    return _output(reading, places, first, last, cursor.command)


def _output(
    reading: Reading, places: dict[str, Line], first: Line, last: Line, command: str
) -> Output:
    needed = _NEEDED[reading.test]
    if needed not in reading.figures:
        last.refuse(say("tool_no_number", tool=TOOL_NAME, path=f"{reading.test}.{needed}"))
    if reading.figures[needed].value <= 0:
        places[needed].refuse(say("qperf_nothing"))
    metrics = _BANDWIDTH
    if reading.test.endswith("_lat"):
        metrics = _LATENCY
        with places[needed].locating_errors():
            _check_latency(reading)
    size = reading.figures.get("msg_size")
    figures = [
        Figure(
            metric, reading.figures[name].value, _printed(places[name]), places[name].number, who
        )
        for name, (metric, who) in metrics.items()
        if name in reading.figures
    ]
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=last.number,
        figures=tuple(figures),
        point={"qperf_test": reading.test, **({} if size is None else {SIZE: int(size.value)})},
        command=command,
    )


def _check_latency(reading: Reading) -> None:
    """The latency is the time over the messages, of which there are so many in a second."""
    rate, latency = reading.figures.get("msg_rate"), reading.figures["latency"]
    if rate is not None and rate.least > 0:
        agrees(
            *(TOOL_NAME, "latency", latency.value),
            (1 - _TOLERANCE) / rate.most - latency.slack,
            (1 + _TOLERANCE) / rate.least + latency.slack,
        )


def _printed(line: Line) -> str:
    return line.flat.partition(" = ")[2]


def _with_versions(found: list[Output]) -> tuple[Output, ...]:
    """The tests, with the version that `conf` told; `conf` alone is no measurement."""
    version = next((one.version for one in found if one.version), "")
    tests = [one for one in found if one.figures]
    return tuple(
        Output(
            tool=one.tool,
            first=one.first,
            last=one.last,
            figures=one.figures,
            point=one.point,
            version=version,
            command=one.command,
        )
        for one in tests
    )
