"""knb, the benchmark of k8s-bench-suite: its report as text.

It runs iperf3 with `-f m`: bandwidth is what the receiver got, in Mbit/s of 1000s. An idle phase
has no bandwidth; where a command of its own failed it prints nothing, and that is no figure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.measurement import Unit
from podmeter.domain.messages import say
from podmeter.drivers.pasted.amounts import amount
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.reading import printed

if TYPE_CHECKING:
    from podmeter.drivers.pasted.text import Cursor, Line

TOOL_NAME = "knb"

_BEGINS = "Benchmark Results"
_FACT = re.compile(
    r"(Name|Date|Generator|Version|Server|Client|(?:UDP )?Socket size) : (\S.{0,200})?"
)
_DISCOVERED = re.compile(r"Discovered (CPU|Kernel|k8s version|MTU) : ?(\S.{0,200})?")
_SECTION = re.compile(r"(Idle|Pod to pod|Pod to Service|Node to node) :")
_PROTOCOL = re.compile(r"(TCP|UDP) :")
_BANDWIDTH = re.compile(r"bandwidth = (?:(\S{1,30}) )?Mbit/s")
_CPU = re.compile(r"(client|server) cpu =(?: total (\S{1,20})% \(.{1,150}\))?")
_RAM = re.compile(r"(?:client|server) ram =(?: [0-9]{0,12})?(?: MB)?")
_LOG = re.compile(r"\[(?:INFO|DEBUG|WARNING)\] .{1,300}")
_FATAL = re.compile(r"\[(?:FATAL|ERROR)\] .{1,300}")
PATHS = {
    "Pod to pod": "pod-pod",
    "Pod to Service": "pod-service-pod",
    "Node to node": "node-node",
    "pod2pod": "pod-pod",
    "pod2svc": "pod-service-pod",
    "node2node": "node-node",
}
_ENVIRONMENT = {"CPU": "cpu", "Kernel": "kernel", "k8s version": "kubernetes_version"} | {
    "MTU": "pod_mtu",
    "cpu": "cpu",
    "kernel": "kernel",
    "mtu": "pod_mtu",
    "k8s-version": "kubernetes_version",
}


def begins(text: str) -> bool:
    """Whether a line begins knb's report as text, or says that there is none."""
    return text == _BEGINS or _FATAL.fullmatch(text) is not None


def is_log(text: str) -> bool:
    """What it logs beside its report; the time before it is cut off with other surroundings."""
    return _LOG.fullmatch(text) is not None


def read(cursor: Cursor) -> tuple[Output, ...]:
    """The report that begins here: an output for each path and protocol."""
    if _FATAL.fullmatch(cursor.line.flat):
        cursor.line.refuse(say("tool_said", tool=TOOL_NAME, said=cursor.line.flat[:300]))
    first = last = cursor.take()
    facts: dict[str, str] = {}
    found: list[Output] = []
    path = ""
    while not cursor.ended:
        line = cursor.line
        text = line.flat
        if not text or re.fullmatch(r"={3,200}", text):
            cursor.at += 1
            continue
        if fact := _FACT.fullmatch(text) or _DISCOVERED.fullmatch(text):
            facts[fact[1]] = (fact[2] or "").strip()
        elif section := _SECTION.fullmatch(text):
            path = PATHS.get(section[1], "")
        elif (protocol := _PROTOCOL.fullmatch(text)) and path:
            cursor.take()
            found.append(_test(cursor, path, protocol[1], line))
            last = cursor.lines[cursor.at - 1]
            continue
        elif not (_is_idle(text) and not path) and not is_log(text):
            break
        last = cursor.take()
    if not found:
        last.refuse(say("paste_no_tests", tool=TOOL_NAME))
    return tuple(with_facts(one, facts, first, cursor.command) for one in found)


def _is_idle(text: str) -> bool:
    return any(one.fullmatch(text) for one in (_BANDWIDTH, _CPU, _RAM))


def _test(cursor: Cursor, path: str, protocol: str, head: Line) -> Output:
    """The lines of one test; its bandwidth has to be there."""
    figures: list[Figure] = []
    last = head
    while not cursor.ended:
        line = cursor.line
        if not line.flat:
            cursor.at += 1
            continue
        if bandwidth := _BANDWIDTH.fullmatch(line.flat):
            if figures:
                line.refuse(say("paste_odd", tool=TOOL_NAME))
            with line.locating_errors():
                figures.append(throughput(bandwidth[1] or "", line, f"{path} {protocol}"))
        elif used := _CPU.fullmatch(line.flat):
            if used[2] is not None:
                with line.locating_errors():
                    figures.append(cpu(used[1], used[2], line))
        elif not _RAM.fullmatch(line.flat):
            break
        last = cursor.take()
    return measured(figures, path, protocol, head, last)


def measured(figures: list[Figure], path: str, protocol: str, first: Line, last: Line) -> Output:
    if not any(one.metric == "throughput" for one in figures):
        last.refuse(say("tool_no_number", tool=TOOL_NAME, path=f"{path} {protocol} bandwidth"))
    if len({(one.metric, one.subject) for one in figures}) != len(figures):
        last.refuse(say("paste_odd", tool=TOOL_NAME))
    return Output(
        tool=TOOL_NAME,
        first=first.number,
        last=last.number,
        figures=tuple(figures),
        point={"path": path, "protocol": protocol.lower(), "streams": 1},
    )


def throughput(text: str, line: Line, test: str) -> Figure:
    rate = amount(TOOL_NAME, text, "Mbits/sec", Unit.BITS_PER_SECOND).value
    if rate <= 0:
        raise ToolError(say("paste_knb_nothing", test=test))
    return Figure("throughput", rate, f"{text} Mbit/s", line.number)


def cpu(role: str, text: str, line: Line) -> Figure:
    share = printed(TOOL_NAME, text).value
    if share > 100:
        raise ToolError(say("tool_odd_number", tool=TOOL_NAME, path=f"{role} cpu", value=text))
    return Figure("node_cpu", float(f"{share / 100:.15g}"), f"{text}%", line.number, role)


def with_facts(one: Output, facts: dict[str, str], first: Line, command: str) -> Output:
    """The test with what the report's head says."""
    named = {
        _ENVIRONMENT[name]: said for name, said in facts.items() if name in _ENVIRONMENT and said
    }
    return Output(
        tool=one.tool,
        first=one.first,
        last=one.last,
        figures=one.figures,
        point=one.point,
        version=facts.get("Version", "") or facts.get("version", ""),
        command=command,
        environment=named,
    )
