"""`cilium connectivity perf`: the table of its netperf runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.pasted import shell
from podmeter.drivers.pasted.go_time import duration
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.pasted.patterns import any_of
from podmeter.drivers.reading import agrees, printed

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = "cilium"

_BEGINS = re.compile(r".{0,12}Network Performance Test Summary.{0,80}")
_HEAD = re.compile(r"(?:\S{1,8} )?Scenario \| Node \| Test \|.{1,300}")
_ROW = re.compile(r"(?:\S{1,8} )?[a-z]{3,8}-to-[a-z]{3,8} \| (?:same|other)-node \|.{1,300}")
_LOG = re.compile(
    r"(?:🏃|ℹ|✨|⌛|🔭|✅|⏩|🐛|⚠|🔮|🧹|📥|🔑|🚀|📜|🐝|🔗).{0,400}|\[[=.-]\] .{1,300}"
    r"|(?:\. ?){1,300}"
)
_FAILS = re.compile(
    r"(?:❌|🟥|📋 Test Report|connectivity test failed|.{0,40}tests? failed).{0,400}"
)
#: The paths that its scenarios are, on other nodes and on one.
_PATHS = {
    ("pod-to-pod", "other-node"): "pod-pod",
    ("pod-to-pod", "same-node"): "pod-pod-same-node",
    ("host-to-host", "other-node"): "node-node",
    ("host-to-pod", "other-node"): "node-pod",
    ("pod-to-host", "other-node"): "pod-node",
}
_TIMES = {
    "Mean": "transaction_mean",
    "Min": "transaction_min",
    "P50": "transaction_p50",
    "P90": "transaction_p90",
    "P99": "transaction_p99",
    "Max": "transaction_max",
}
_ORDER = ("Min", "P50", "P90", "P99", "Max")
_REQUESTS, _THROUGHPUT = ("Transaction rate OP/s", "OP/s"), "Throughput Mb/s"
TESTS = (
    "TCP_STREAM",
    "UDP_STREAM",
    "TCP_STREAM_MULTI",
    "UDP_STREAM_MULTI",
    "TCP_RR",
    "UDP_RR",
    "TCP_CRR",
)


_FIRST = any_of(_BEGINS, _HEAD, _ROW, _FAILS)


def begins(text: str) -> bool:
    """Whether a line begins its summary, a table of it, or says that it failed."""
    return _FIRST.fullmatch(text) is not None


def is_log(text: str) -> bool:
    """What it says while it sets its pods up."""
    return _LOG.fullmatch(text) is not None


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The tables that begin here: an output for each row."""
    first = cursor.line
    if _FAILS.fullmatch(first.flat):
        first.refuse(say("tool_said", tool=TOOL_NAME, said=first.flat[:300]))
    found: list[Output] = []
    heads: list[str] = []
    last = first
    while not cursor.ended:
        line = cursor.line
        text = line.flat
        if shell.is_blank(text) or _BEGINS.fullmatch(text):
            cursor.at += 1
            continue
        if _HEAD.fullmatch(text):
            heads = ["Scenario", *_cells(text)[1:]]
        elif _ROW.fullmatch(text):
            if not heads:
                line.refuse(say("paste_cut", tool=TOOL_NAME, missing="Scenario"))
            found.append(_output(heads, line, cursor.command))
        else:
            break
        last = cursor.take()
    if not found:
        last.refuse(say("paste_no_tests", tool=TOOL_NAME))
    return tuple(found)


def _cells(text: str) -> list[str]:
    return [one.strip() for one in text.split("|")]


def _output(heads: list[str], line: Line, command: str) -> Output:
    cells = _cells(line.flat)
    if len(cells) != len(heads):
        line.refuse(say("paste_columns", found=len(cells), expected=len(heads)))
    row = dict(zip(heads, cells, strict=True))
    scenario = row["Scenario"].rpartition(" ")[2]
    test = row["Test"]
    if test not in TESTS:
        line.refuse(say("paste_test_unknown", test=test[:40], known=TESTS))
    with line.locating_errors():
        figures = _figures(row, line)
        seconds = duration(TOOL_NAME, row["Duration"]).value if "Duration" in row else None
    path = _PATHS.get((scenario, row["Node"]))
    point: dict[str, AxisValue] = {"protocol": test.partition("_")[0].lower(), "netperf_test": test}
    if path is not None:
        point["path"] = path
    return Output(
        tool=TOOL_NAME,
        first=line.number,
        last=line.number,
        figures=tuple(figures),
        point=point,
        command=command,
        seconds=seconds,
        notes=() if path is not None else (say("paste_path_unknown"),),
    )


def _figures(row: dict[str, str], line: Line) -> list[Figure]:
    found: list[Figure] = []
    rate = next((row[name] for name in _REQUESTS if name in row), None)
    if rate is not None:
        found.append(Figure("transactions_per_second", _rate(rate), f"{rate} OP/s", line.number))
        before = 0.0
        for name in _ORDER:
            if name in row:
                value = duration(TOOL_NAME, row[name]).value
                agrees(TOOL_NAME, name, value, before, float("inf"))
                before = value
        for name, metric in _TIMES.items():
            if name in row and (value := duration(TOOL_NAME, row[name]).value) > 0:
                found.append(Figure(metric, value, row[name], line.number))
    if _THROUGHPUT in row:
        bits = float(f"{_rate(row[_THROUGHPUT]) * 1e6:.15g}")
        found.append(Figure("throughput", bits, f"{row[_THROUGHPUT]} Mb/s", line.number))
    if not found:
        raise ToolError(say("paste_cut", tool=TOOL_NAME, missing=_THROUGHPUT))
    return found


def _rate(text: str) -> float:
    value = printed(TOOL_NAME, text).value
    if value <= 0:
        raise ToolError(say("paste_zero", tool=TOOL_NAME))
    return value
