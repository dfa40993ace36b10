"""What netperf's fields are as figures, whatever form they were printed in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import Message, say
from podmeter.drivers.pasted.commands import Arguments
from podmeter.drivers.pasted.output import Figure, Output
from podmeter.drivers.pasted.terms import REVERSE
from podmeter.drivers.reading import agrees, printed

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.drivers.pasted.text import Line

TOOL_NAME = "netperf"
#: A field's words, as they are above its column, by the name that -k gives it.
_HEADINGS = {
    "THROUGHPUT": "Throughput",
    "THROUGHPUT_UNITS": "Throughput Units",
    "ELAPSED_TIME": "Elapsed Time (sec)",
    "TRANSACTION_RATE": "Transaction Rate Tran/s",
    "RT_LATENCY": "Round Trip Latency usec/tran",
    "MIN_LATENCY": "Minimum Latency Microseconds",
    "MAX_LATENCY": "Maximum Latency Microseconds",
    "MEAN_LATENCY": "Mean Latency Microseconds",
    "P50_LATENCY": "50th Percentile Latency Microseconds",
    "P90_LATENCY": "90th Percentile Latency Microseconds",
    "P99_LATENCY": "99th Percentile Latency Microseconds",
    "REQUEST_SIZE": "Request Size Bytes",
    "RESPONSE_SIZE": "Response Size Bytes",
    "LOCAL_SEND_SIZE": "Local Send Size",
    "LOCAL_TRANSPORT_RETRANS": "Local Transport Retransmissions",
    "PROTOCOL": "Protocol",
    "DIRECTION": "Direction",
}
BY_HEADING = {heading: name for name, heading in _HEADINGS.items()}
#: A request's times in microseconds, by the metric that each is.
_TIMES = {
    "MEAN_LATENCY": "transaction_mean",
    "MIN_LATENCY": "transaction_min",
    "P50_LATENCY": "transaction_p50",
    "P90_LATENCY": "transaction_p90",
    "P99_LATENCY": "transaction_p99",
    "MAX_LATENCY": "transaction_max",
}
#: Bits a second of each unit; bytes are counted in 1024s (netlib.c, format_units).
BITS = {
    **{f"10^{power}bits": 10.0**power for power in (0, 3, 6, 9)},
    **{f"{prefix}Bytes": 8 * 1024.0**power for power, prefix in enumerate(("", "K", "M", "G"))},
}
#: The same units in words that have no digit besides the figure's.
UNIT_WORDS = {"10^0bits": "bit", "10^3bits": "kbit", "10^6bits": "Mbit", "10^9bits": "Gbit"}
UNIT_BY_OPTION = {"b": "10^0bits", "k": "10^3bits", "m": "10^6bits", "g": "10^9bits"} | {
    "B": "Bytes",
    "K": "KBytes",
    "M": "MBytes",
    "G": "GBytes",
}
_TRANSACTIONS = re.compile(r"Trans(?:actions)?(?:/s(?:ec)?)?")
_TEST = re.compile(
    r"(?:TCP|UDP|SCTP|DCCP)_(?:STREAM|MAERTS|SENDFILE|RR|CRR|CC)|(?:TCP|UDP)_STREAM|omni"
)


@dataclass(frozen=True, slots=True)
class NetperfFields:
    """What one run printed: fields by their names, each with its line; its test, '' if unknown."""

    test: str
    fields: Mapping[str, tuple[str, Line]]
    first: Line
    last: Line
    command: str
    notes: tuple[Message, ...] = ()
    #: The unit of `THROUGHPUT` where a heading says it.
    unit: str = ""
    added: tuple[Figure, ...] = field(default=())


def options(command: str) -> tuple[Arguments, Arguments]:
    """The options of a command: netperf's own, and behind its `--` the test's."""
    own = Arguments.of(command, TOOL_NAME)
    return own, own.behind_dashes


def test_of_command(command: str) -> str:
    """The test that a command asks for; netperf's own without an option; '' without a command."""
    tests = options(command)[0].values("-t")
    if len(tests) != 1:
        return ""
    test = next(iter(tests)) or "TCP_STREAM"
    return test if _TEST.fullmatch(test) else ""


def output(run_fields: NetperfFields) -> Output:
    """The run as an output. Raises PasteError for what has no figure."""
    figures: list[Figure] = []
    rate = run_fields.fields.get("THROUGHPUT") or run_fields.fields.get("TRANSACTION_RATE")
    if rate is None:
        run_fields.last.refuse(say("paste_cut", tool=TOOL_NAME, missing="THROUGHPUT"))
    text, line = rate
    with line.locating_errors():
        unit = _unit(run_fields)
        value = printed(TOOL_NAME, text).value
        if value <= 0:
            raise ToolError(say("paste_zero", tool=TOOL_NAME))
        transactions = unit not in BITS
        if transactions:
            figures.append(Figure("transactions_per_second", value, f"{text} Trans/s", line.number))
        else:
            bits = float(f"{value * BITS[unit]:.15g}")
            figures.append(
                Figure("throughput", bits, f"{text} {UNIT_WORDS.get(unit, unit)}/s", line.number)
            )
    figures += run_fields.added
    if transactions:
        figures += _times(run_fields)
    elif "LOCAL_TRANSPORT_RETRANS" in run_fields.fields and run_fields.test.startswith("TCP"):
        text, line = run_fields.fields["LOCAL_TRANSPORT_RETRANS"]
        # -1 where the kernel does not tell it.
        if not text.startswith("-"):
            with line.locating_errors():
                figures.append(
                    Figure("retransmits", printed(TOOL_NAME, text).value, text, line.number)
                )
    return Output(
        tool=TOOL_NAME,
        first=run_fields.first.number,
        last=run_fields.last.number,
        figures=tuple(figures),
        point=_point(run_fields, transactions=transactions),
        command=run_fields.command,
        seconds=_seconds(run_fields),
        notes=run_fields.notes,
    )


def _unit(run_fields: NetperfFields) -> str:
    """The unit of the rate: as it is printed, or as the test and the command's -f make it."""
    if "THROUGHPUT" not in run_fields.fields:
        return "Trans"
    if "THROUGHPUT_UNITS" in run_fields.fields or run_fields.unit:
        unit = run_fields.unit or run_fields.fields["THROUGHPUT_UNITS"][0]
        name = re.sub(r"/s(?:ec)?$", "", unit)
        if name in BITS or _TRANSACTIONS.fullmatch(unit):
            return name if name in BITS else "Trans"
        raise ToolError(say("paste_unit", tool=TOOL_NAME, unit=unit[:40]))
    asked = options(run_fields.command)[0].option("-f")
    if asked is not None and asked not in (*UNIT_BY_OPTION, "x"):
        raise ToolError(say("paste_unit", tool=TOOL_NAME, unit=asked[:40]))
    if run_fields.test.endswith("RR") and asked in (None, "x"):
        return "Trans"
    if run_fields.test.endswith(("STREAM", "MAERTS", "SENDFILE")):
        return UNIT_BY_OPTION[asked or "m"]
    raise ToolError(say("paste_netperf_unit"))


def _times(run_fields: NetperfFields) -> list[Figure]:
    """A transaction's times, which have to be in their order."""
    figures = []
    held: dict[str, float] = {}
    for name, metric in _TIMES.items():
        if name not in run_fields.fields:
            continue
        text, line = run_fields.fields[name]
        with line.locating_errors():
            held[name] = printed(TOOL_NAME, text).value
            order = ("MIN_LATENCY", "P50_LATENCY", "P90_LATENCY", "P99_LATENCY", "MAX_LATENCY")
            below = (
                [held[one] for one in order[: order.index(name)] if one in held]
                if name in order
                else []
            )
            if below:
                agrees(TOOL_NAME, name, held[name], max(below), float("inf"))
        # Whole microseconds: one of 0 is less than half of one, and no figure.
        if held[name] > 0:
            value = float(f"{held[name] * 1e-6:.12g}")
            figures.append(Figure(metric, value, f"{text} us", line.number))
    if "MEAN_LATENCY" not in held and "RT_LATENCY" in run_fields.fields:
        text, line = run_fields.fields["RT_LATENCY"]
        with line.locating_errors():
            mean = printed(TOOL_NAME, text).value
        if mean > 0:
            figures.append(
                Figure("transaction_mean", float(f"{mean * 1e-6:.12g}"), f"{text} us", line.number)
            )
    return figures


def _seconds(run_fields: NetperfFields) -> float | None:
    if "ELAPSED_TIME" not in run_fields.fields:
        return None
    text, line = run_fields.fields["ELAPSED_TIME"]
    with line.locating_errors():
        return printed(TOOL_NAME, text).value


def _point(run_fields: NetperfFields, *, transactions: bool) -> dict[str, AxisValue]:
    point: dict[str, AxisValue] = {}
    protocol = run_fields.test.partition("_")[0].lower()
    if protocol in ("tcp", "udp"):
        point["protocol"] = protocol
    if run_fields.test in ("TCP_STREAM", "UDP_STREAM", "TCP_RR", "UDP_RR", "TCP_CRR"):
        point["netperf_test"] = run_fields.test
    if run_fields.test.endswith("MAERTS"):
        point["netperf_test"], point["data_flow"] = "TCP_STREAM", REVERSE
    sizes = _sizes(run_fields, transactions=transactions)
    return point | {axis: size for axis, size in sizes.items() if size is not None and size > 0}


def _sizes(run_fields: NetperfFields, *, transactions: bool) -> dict[str, int | None]:
    """The sizes of what was sent, as fields or the command's own options tell them."""
    own = options(run_fields.command)[1]
    if not transactions:
        return {"message_bytes": _size(run_fields, "LOCAL_SEND_SIZE", own.option("-m"))}
    asked = re.split("[,:]", own.option("-r") or "")
    request, response = (asked[0], asked[-1]) if asked[0] else (None, None)
    return {
        "request_bytes": _size(run_fields, "REQUEST_SIZE", request),
        "response_bytes": _size(run_fields, "RESPONSE_SIZE", response),
    }


def _size(run_fields: NetperfFields, name: str, asked: str | None) -> int | None:
    text = run_fields.fields[name][0] if name in run_fields.fields else asked
    match = re.fullmatch(r"([1-9][0-9]{0,8})([KkMm]?)", text or "")
    if match is None:
        return None
    return int(match[1]) * {"": 1, "K": 1024, "M": 1024**2, "k": 1000, "m": 1000**2}[match[2]]
