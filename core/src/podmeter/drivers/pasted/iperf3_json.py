"""iperf3 --json, of any version and whichever way it was asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import Message, say
from podmeter.drivers.iperf3_flows import TOOL_NAME, flow_rate, summed
from podmeter.drivers.pasted.connections import CLIENT, SERVER
from podmeter.drivers.pasted.output import Account, Connection, Figure, Output
from podmeter.drivers.pasted.terms import FORWARD, REVERSE
from podmeter.drivers.reading import agrees

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.drivers.fields import Fields

#: What only one of the ends says of itself.
_ENDS = (("accepted_connection", SERVER), ("connecting_to", CLIENT))
#: What both ends count alike may differ by this much: one stops counting before the other.
_NEAR = 0.01


def is_tool_json(held: object) -> bool:
    """Whether a JSON value is iperf3's."""
    return isinstance(held, dict) and held.keys() >= {"start", "end"} and "intervals" in held


@dataclass(frozen=True, slots=True)
class _Way:
    """One direction's sums in `end`, by what their names end with."""

    ending: str
    reverse: bool


def read(
    document: Fields, first: int, last: int, command: str, *, shown: int | None = None
) -> tuple[Output, ...]:
    """The run that a document is of, or both directions' of --bidir. Raises ToolError.

    The figures stand on the line `shown`, else on the first one.
    """
    if "error" in document and _is_idle(document):
        return ()
    if "error" in document:
        raise ToolError(say("tool_said", tool=TOOL_NAME, said=document.text("error")[:300]))
    start, end = document.object("start"), document.object("end")
    test = start.object("test_start")
    version = re.match(r"iperf (\S{1,40})", start.text("version"))
    both = "sum_sent_bidir_reverse" in end
    ways = [_Way("", not both and "reverse" in test and test.count("reverse") == 1)]
    if both:
        ways.append(_Way("_bidir_reverse", reverse=True))
    made = []
    account = _account(start)
    for way in ways:
        if way.reverse and not both and account.end == SERVER and _arrived(end) == 0:
            made.append(_sent_only(document, account, first, last, command, shown or first))
            continue
        figures, notes, seconds = _figures(end, way, test.text("protocol"))
        point: dict[str, AxisValue] = {
            "protocol": test.text("protocol").lower(),
            "streams": test.count("num_streams"),
        }
        if both or way.reverse:
            point["data_flow"] = REVERSE if way.reverse else FORWARD
        if both:
            point["bidirectional"] = "both"
        made.append(
            Output(
                tool=TOOL_NAME,
                first=first,
                last=last,
                figures=tuple(Figure(*one, shown or first) for one in figures),
                point=point,
                version=version[1] if version else "",
                command=command,
                seconds=seconds,
                notes=notes,
                account=account,
            )
        )
    return tuple(made)


def _is_idle(document: Fields) -> bool:
    """Whether it is of a server that was stopped while it waited for its next client."""
    stopped = document.text("error").startswith("interrupt - the server has terminated")
    return stopped and "accepted_connection" not in document.object("start")


def _arrived(end: Fields) -> float | None:
    """The bytes that arrived by the sum; None where there is none."""
    if "sum_received" not in end:
        return None
    return end.object("sum_received").number("bytes")


def _sent_only(
    document: Fields, account: Account, first: int, last: int, command: str, line: int
) -> Output:
    """A server's document of a test in which it sent: only its client knows what arrived."""
    start, sent = document.object("start"), document.object("end").object("sum_sent")
    test = start.object("test_start")
    version = re.match(r"iperf (\S{1,40})", start.text("version"))
    figures = []
    if sent.number("bits_per_second") > 0:
        figures = [_said("throughput_sent", sent, "bits_per_second", flow_rate(sent))]
    return Output(
        tool=TOOL_NAME,
        first=first,
        last=last,
        figures=tuple(Figure(*one, line) for one in figures),
        point={
            "protocol": test.text("protocol").lower(),
            "streams": test.count("num_streams"),
            "data_flow": REVERSE,
        },
        version=version[1] if version else "",
        command=command,
        notes=(say("paste_sender_only"),),
        account=replace(account, lacks=say("paste_no_receiver"), blamed=line),
    )


def _account(start: Fields) -> Account:
    """Which end tells it: a server accepted connections, its client connected to it."""
    end = next((end for name, end in _ENDS if name in start), "")
    connections = []
    if isinstance(start.held.get("connected"), list):
        for one in start.objects("connected"):
            here, there = (
                f"{one.held.get(f'{side}_host')}:{one.held.get(f'{side}_port')}"[:120]
                for side in ("local", "remote")
            )
            connections.append(Connection(here, there))
    return Account(frozenset(connections), end)


#: Metric, value, and what the document says.
_Said = tuple[str, float, str]


def _figures(
    end: Fields, way: _Way, protocol: str
) -> tuple[list[_Said], tuple[Message, ...], float]:
    if protocol not in ("TCP", "UDP"):
        raise ToolError(say("paste_protocol", tool=TOOL_NAME, protocol=protocol[:40]))
    udp = protocol == "UDP"
    if udp and f"sum_received{way.ending}" not in end:
        return _old_udp(end.object(f"sum{way.ending}"))
    sent = end.object(f"sum_sent{way.ending}")
    received = end.object(f"sum_received{way.ending}")
    rate = flow_rate(received)
    if rate == 0:
        raise ToolError(say("paste_nothing_arrived", tool=TOOL_NAME, path=received.path))
    found = [_said("throughput", received, "bits_per_second", rate)]
    if sent.number("bits_per_second") > 0:
        found.append(_said("throughput_sent", sent, "bits_per_second", flow_rate(sent)))
        # Of UDP some versions count in the sum what was received as well as what was sent.
        most = sent.count("bytes") * (1 + _NEAR)
        agrees(TOOL_NAME, f"{received.path}.bytes", received.count("bytes"), 0, most)
    if udp:
        found += _datagrams(received)
    elif "retransmits" in sent:
        senders = [
            one.object("sender")
            for one in end.objects("streams")
            if _is_of(one.object("sender"), sent)
        ]
        again = summed(senders, "retransmits", sent)
        found.append(_said("retransmits", sent, "retransmits", float(again)))
    return found, (), received.positive("seconds")


def _is_of(stream: Fields, whole: Fields) -> bool:
    """Whether a stream goes the way of a sum; old versions do not say, and have one way."""
    if "sender" not in stream.held or "sender" not in whole.held:
        return True
    return bool(stream.held["sender"] == whole.held["sender"])


def _old_udp(whole: Fields) -> tuple[list[_Said], tuple[Message, ...], float]:
    """Versions before 3.10 give what was sent, with the receiver's loss: no rate of arrival."""
    found = [_said("throughput_sent", whole, "bits_per_second", flow_rate(whole))]
    return [*found, *_datagrams(whole)], (say("paste_udp_sent"),), whole.positive("seconds")


def _datagrams(whole: Fields) -> list[_Said]:
    lost, total = whole.count("lost_packets"), whole.count("packets")
    agrees(TOOL_NAME, f"{whole.path}.packets", total, max(lost, 1), float("inf"))
    share, percent = lost / total, whole.number("lost_percent")
    agrees(TOOL_NAME, f"{whole.path}.lost_percent", percent, 0.0, 100.0)
    # Since 3.16 of what was sent, which may be more than what is counted here.
    agrees(TOOL_NAME, f"{whole.path}.lost_percent", percent, 90 * share, 110 * share)
    return [
        _said("udp_jitter", whole, "jitter_ms", whole.number("jitter_ms") / 1000),
        ("udp_loss", share, f"lost_packets {lost}, packets {total}"),
    ]


def _said(metric: str, whole: Fields, name: str, value: float) -> _Said:
    return metric, value, f"{whole.path}.{name} {whole.held[name]!r}"[:200]
