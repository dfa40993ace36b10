"""iperf3 3.16 or newer, client and server with --json. What the receiver got is the result."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program
from podmeter.drivers.fields import Fields, json_fields
from podmeter.drivers.iperf3_flows import TOOL_NAME, flow_rate, summed
from podmeter.drivers.reading import agrees, as_asked, complaint, ended, succeeded
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.ports import CommandOutput

#: 3.16 made every stream a thread; before it several streams shared one CPU.
LEAST_VERSION = (3, 16)
_CONNECT_TIMEOUT_MS = 5000
#: Of the time that was asked for, how much must have been measured, and how much later the last
#: byte may arrive: full buffers on a slow path drain after the sender's time is over.
_LEAST_TIME, _LATE_SECONDS = 0.9, 10.0
#: What both ends count alike may differ by this much: one stops counting before the other.
_NEAR = 0.01
#: What arrives or leaves after iperf3 has read an interval's count and before it sets it to 0 is in
#: no interval (iperf_stats_callback of 3.18; the totals have it). That is as long as it waits for a
#: CPU there: up to 27 ms in 150 runs of a second beside ten endless loops on two CPUs. Streams are
#: read one after another, so their intervals' ends may lie as far apart.
_UNCOUNTED_SECONDS = 0.1
#: An interval shorter than this tells no rate; the last one may be, and is left out if it is empty.
_LEAST_INTERVAL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Options:
    """One client run. Rates in bit/s are of all streams together, 0 is unlimited."""

    server: str
    port: int
    protocol: Literal["tcp", "udp"]
    seconds: int
    streams: int
    udp_bits_per_second: int = 0
    datagram_bytes: int = 1400
    tcp_bits_per_second: int = 0

    @property
    def stream_bits_per_second(self) -> int:
        """The rate set for each stream; 0 is unlimited."""
        tcp = self.protocol == "tcp"
        rate = self.tcp_bits_per_second if tcp else self.udp_bits_per_second
        return -(-rate // self.streams)

    @property
    def offered_bits_per_second(self) -> int | None:
        """The rate set for all streams; None for unlimited."""
        return self.stream_bits_per_second * self.streams or None


#: Bit/s of each interval, (seconds from the start to its end, value).
RateSeries = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run measured; bit/s, seconds, bytes, counts.

    TCP alone has retransmits (None where the sender's system does not count them) and
    `max_congestion_window`; UDP alone has jitter and loss. `sent_series` is the *sender's*.
    `cookie` is known to the client and to the server that it measured, to nobody else.
    """

    received_bits_per_second: float
    sent_bits_per_second: float
    received_bytes: int
    seconds: float
    sent_series: RateSeries
    cookie: str
    retransmits: int | None = None
    max_congestion_window: int | None = None
    jitter_seconds: float | None = None
    lost_datagrams: int | None = None
    datagrams: int | None = None

    @property
    def loss_ratio(self) -> float | None:
        """Share of the datagrams that the receiver missed, as iperf3 counts it; None for TCP."""
        if self.lost_datagrams is None or not self.datagrams:
            return None
        return self.lost_datagrams / self.datagrams


#: Where the server keeps what it saw of each run, until it was read.
_LOG = "/tmp/iperf3.json"  # noqa: S108 - in a pod of our own

#: Where the server saw no run with a cookie.
_UNSEEN = 3


def server_argv(port: int) -> tuple[str, ...]:
    """A server that continues after each client, and drops one that falls silent for 10 s."""
    return (
        *("iperf3", "--server", "--port", str(port), "--rcv-timeout", "10000", "--forceflush"),
        *("--json", "--logfile", _LOG),
    )


def seen_argv(cookie: str, wait_seconds: int = 5) -> tuple[str, ...]:
    """In the server's pod: the run with that cookie, as the server saw it; asked once.

    The server writes it a moment after the client has ended.
    """
    return program.argv("iperf3-seen", cookie, str(wait_seconds), _LOG)


def was_seen(output: CommandOutput) -> bool:
    """Whether the server saw the run at all: else another one answered the client."""
    return output.exit_code != _UNSEEN


def probe_argv(server: str, port: int) -> tuple[str, ...]:
    """The shortest run there is; it ends with 0 once the server can be reached and is free."""
    return (
        *("iperf3", "--json", "--client", server, "--port", str(port)),
        *("--bytes", "64K", "--connect-timeout", "1000"),
    )


def argv(options: Options) -> tuple[str, ...]:
    """The client's command."""
    command = [
        *("iperf3", "--json", "--client", options.server, "--port", str(options.port)),
        *("--time", str(options.seconds), "--interval", "1"),
        *("--parallel", str(options.streams), "--connect-timeout", str(_CONNECT_TIMEOUT_MS)),
    ]
    if options.protocol == "udp":
        # iperf3 takes the rate of each stream; its default of 1 Mbit/s makes all paths equal.
        rate = str(options.stream_bits_per_second)
        command += ["--udp", "--bitrate", rate, "--length", str(options.datagram_bytes)]
    elif options.stream_bits_per_second:
        command += ["--bitrate", str(options.stream_bits_per_second)]
    return tuple(command)


def parse_version(output: CommandOutput) -> str:
    """The version, such as `3.18`; ToolError if it is too old."""
    found = re.match(r"iperf ([0-9]{1,4})\.([0-9]{1,4})\S*", output.stdout)
    if found is None:
        raise ToolError(say("tool_no_version", tool="iperf3", said=complaint(output)))
    if (int(found[1]), int(found[2])) < LEAST_VERSION:
        raise ToolError(say("iperf3_too_old", version=found[0]))
    return found[0].removeprefix("iperf ")


TOOL = Tool(TOOL_NAME, ("iperf3", "--version"), parse_version)


def probed(output: CommandOutput) -> str | None:
    """The cookie of a run of `probe_argv` that went through, None of one that did not."""
    if output.exit_code != 0:
        return None
    document = json_fields(TOOL.name, output.stdout)
    return None if "error" in document else document.object("start").text("cookie")


def parse(output: CommandOutput, options: Options) -> Answer:
    """The answer to a run with `options`.

    Raises ToolError for an error inside the JSON (iperf3 then ends with 0 or 1), a document that
    is cut or lacks the receiver's side, another run than was asked for, less time, nothing that
    arrived, and for figures that contradict each other: rates against bytes and seconds, sums
    against streams and intervals.
    """
    document = _document(output)
    _check_asked(document, options)
    end = document.object("end")
    streams = end.objects("streams")
    as_asked(TOOL.name, "streams", len(streams), options.streams)
    sent, received = end.object("sum_sent"), end.object("sum_received")
    arrived = received.count("bytes")
    if arrived == 0:
        raise ToolError(say("iperf3_nothing"))
    seconds = received.positive("seconds")
    if not _LEAST_TIME * options.seconds <= seconds <= options.seconds + _LATE_SECONDS:
        raise ToolError(say("iperf3_seconds", seconds=f"{seconds:.1f}", asked=options.seconds))
    agrees(TOOL.name, "end.sum_received.bytes", arrived, 0, sent.count("bytes") * (1 + _NEAR))
    answer = Answer(
        received_bits_per_second=flow_rate(received),
        sent_bits_per_second=flow_rate(sent),
        received_bytes=arrived,
        seconds=seconds,
        sent_series=_series(document, sent),
        cookie=document.object("start").text("cookie"),
    )
    if options.protocol == "tcp":
        return _with_tcp(answer, streams, document.objects("intervals"), sent, received)
    return _with_udp(answer, [one.object("udp") for one in streams], sent, received, options)


def parse_seen(output: CommandOutput, options: Options, answer: Answer) -> RateSeries:
    """What the receiver got in each second, from what the server saw of the run of `answer`.

    Raises ToolError where that is not whole, is of another run, or counts other bytes.
    """
    document = json_fields(TOOL.name, succeeded(TOOL.name, output))
    as_asked(TOOL.name, "start.cookie", document.object("start").text("cookie"), answer.cookie)
    _check_asked(document, options)
    received, told = document.object("end").object("sum_received"), answer.received_bytes
    agrees(TOOL.name, "end.sum_received.bytes", received.count("bytes"), told, told)
    return _series(document, received)


def _document(output: CommandOutput) -> Fields:
    if not output.stdout.strip():
        raise ended(TOOL.name, output)
    document = json_fields(TOOL.name, output.stdout)
    if "error" in document:
        raise ToolError(say("tool_said", tool=TOOL.name, said=document.text("error")[:500]))
    if output.exit_code != 0:
        raise ended(TOOL.name, output)
    return document


def _check_asked(document: Fields, options: Options) -> None:
    """Check that both ends agreed on the requested test."""
    test = document.object("start").object("test_start")
    as_asked(TOOL.name, "protocol", test.text("protocol"), options.protocol.upper())
    asked = {
        "num_streams": options.streams,
        "duration": options.seconds,
        "target_bitrate": options.stream_bits_per_second,
        **dict.fromkeys(("omit", "bytes", "blocks", "reverse", "bidir"), 0),
    }
    if options.protocol == "udp":
        asked["blksize"] = options.datagram_bytes
    for name, value in asked.items():
        as_asked(TOOL.name, name, test.count(name), value)


def _series(document: Fields, whole: Fields) -> RateSeries:
    """Bit/s of each interval; the intervals follow each other and make up the `whole` flow."""
    found: list[tuple[float, float]] = []
    counted, before = 0, 0.0
    for interval in document.objects("intervals"):
        flow = interval.object("sum")
        rate, begin, end = flow_rate(flow), flow.number("start"), flow.number("end")
        agrees(TOOL.name, f"{flow.path}.start", begin, before - 0.001, before + 0.001)
        length = flow.positive("seconds")
        agrees(TOOL.name, f"{flow.path}.end", end, begin + length - 0.001, begin + length + 0.001)
        parts = sum(one.count("bytes") for one in interval.objects("streams"))
        agrees(TOOL.name, f"{flow.path}.bytes", flow.count("bytes"), parts, parts)
        counted, before = counted + parts, end
        if length >= _LEAST_INTERVAL_SECONDS:
            found.append((end, rate))
    total, seconds = whole.count("bytes"), whole.positive("seconds")
    near = _LEAST_INTERVAL_SECONDS + _UNCOUNTED_SECONDS
    agrees(TOOL.name, "intervals' end", before, seconds - near, seconds + near)
    least = total * (1 - _NEAR - _UNCOUNTED_SECONDS / seconds)
    agrees(TOOL.name, "intervals' bytes", counted, least, total * (1 + _NEAR))
    return tuple(found)


def _with_tcp(
    answer: Answer,
    streams: Sequence[Fields],
    intervals: Sequence[Fields],
    sent: Fields,
    received: Fields,
) -> Answer:
    senders = [one.object("sender") for one in streams]
    receivers = [one.object("receiver") for one in streams]
    summed(senders, "bytes", sent)
    summed(receivers, "bytes", received)
    if not any("retransmits" in one for one in (sent, *senders)):
        return answer
    # Told of each interval as well, where the system tells it at all.
    window = max(one.count("max_snd_cwnd") for one in senders)
    seen = [flow.count("snd_cwnd") for one in intervals for flow in one.objects("streams")]
    agrees(TOOL.name, "max_snd_cwnd", window, max(seen), max(seen))
    return replace(
        answer,
        retransmits=summed(senders, "retransmits", sent),
        max_congestion_window=window or None,
    )


def _with_udp(
    answer: Answer, streams: Sequence[Fields], sent: Fields, received: Fields, options: Options
) -> Answer:
    left, size = summed(streams, "packets", sent), options.datagram_bytes
    summed(streams, "bytes", sent)
    # Each stream may end between counting a datagram and counting its bytes.
    agrees(
        *(TOOL.name, "end.sum_sent.bytes", sent.count("bytes")),
        *((left - options.streams) * size, (left + options.streams) * size),
    )
    lost, counted = summed(streams, "lost_packets", received), received.count("packets")
    agrees(TOOL.name, "end.sum_received.packets", counted, max(lost, 1), left)
    # A datagram that arrives twice is in the bytes twice.
    expected = (counted - lost) * size
    agrees(
        *(TOOL.name, "end.sum_received.bytes", answer.received_bytes),
        *(expected * (1 - _NEAR) - size, expected * (1 + _NEAR) + size),
    )
    percent = received.number("lost_percent")
    agrees(TOOL.name, "end.sum_received.lost_percent", percent, 100 * lost / left)
    jitter = received.number("jitter_ms")
    mean = sum(one.number("jitter_ms") for one in streams) / len(streams)
    agrees(TOOL.name, "end.sum_received.jitter_ms", jitter, mean)
    return replace(answer, jitter_seconds=jitter / 1000, lost_datagrams=lost, datagrams=counted)
