"""iperf3 3.16 or newer, the client with --json. What the receiver got is the result."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.reading import complaint, json_object, number
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

#: 3.16 made every stream a thread; before it several streams shared one CPU.
LEAST_VERSION = (3, 16)
_CONNECT_TIMEOUT_MS = 5000


@dataclass(frozen=True, slots=True)
class Options:
    """One client run. `udp_bits_per_second` is of all streams together, 0 is unlimited."""

    server: str
    port: int
    protocol: Literal["tcp", "udp"]
    seconds: int
    streams: int
    udp_bits_per_second: int = 0
    datagram_bytes: int = 1400


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run measured; bit/s, seconds, bytes, counts.

    TCP alone has retransmits (None where the sender's system does not count them) and
    `max_congestion_window`; UDP alone has jitter and loss. `series` is the *sender's* bit/s for
    each interval, (offset of its end, value).
    """

    received_bits_per_second: float
    sent_bits_per_second: float
    seconds: float
    series: tuple[tuple[float, float], ...]
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


def server_argv(port: int) -> tuple[str, ...]:
    """A server that goes on after each client, and drops one that falls silent for 10 s."""
    return ("iperf3", "--server", "--port", str(port), "--rcv-timeout", "10000", "--forceflush")


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
        rate = -(-options.udp_bits_per_second // options.streams)
        command += ["--udp", "--bitrate", str(rate), "--length", str(options.datagram_bytes)]
    return tuple(command)


def parse_version(output: CommandOutput) -> str:
    """The version, such as `3.18`; ToolError for one that is too old."""
    found = re.match(r"iperf (\d+)\.(\d+)\S*", output.stdout)
    if found is None:
        raise ToolError(say("tool_no_version", tool="iperf3", said=complaint(output)))
    if (int(found[1]), int(found[2])) < LEAST_VERSION:
        raise ToolError(say("iperf3_too_old", version=found[0]))
    return found[0].removeprefix("iperf ")


TOOL = Tool("iperf3", ("iperf3", "--version"), parse_version)


def reached(output: CommandOutput) -> bool:
    """Whether a run of `probe_argv` went through."""
    return output.exit_code == 0 and "error" not in json_object(TOOL.name, output.stdout)


def parse(output: CommandOutput, options: Options) -> Answer:
    """The answer to a run with `options`.

    Raises ToolError for an error inside the JSON (iperf3 then ends with 0 or 1), a document that
    is cut or lacks the receiver's side, fewer streams or less time than asked for, and when
    nothing arrived.
    """
    if not output.stdout.strip():
        raise ToolError(
            say("tool_ended", tool="iperf3", exit_code=output.exit_code, said=complaint(output))
        )
    document = json_object(TOOL.name, output.stdout)
    if "error" in document:
        raise ToolError(say("tool_said", tool="iperf3", said=str(document["error"])))
    if output.exit_code != 0:
        raise ToolError(
            say("tool_ended", tool="iperf3", exit_code=output.exit_code, said=complaint(output))
        )
    end = document.get("end") or {}
    streams = len(end.get("streams", ()))
    if streams != options.streams:
        raise ToolError(say("iperf3_streams", streams=streams, asked=options.streams))
    received = number(TOOL.name, end, "sum_received", "bits_per_second")
    seconds = number(TOOL.name, end, "sum_received", "seconds")
    if number(TOOL.name, end, "sum_received", "bytes") <= 0:
        raise ToolError(say("iperf3_nothing"))
    if seconds < 0.9 * options.seconds:
        raise ToolError(say("iperf3_seconds", seconds=f"{seconds:.1f}", asked=options.seconds))
    answer = Answer(
        received_bits_per_second=received,
        sent_bits_per_second=number(TOOL.name, end, "sum_sent", "bits_per_second"),
        seconds=seconds,
        series=_series(document),
    )
    if options.protocol == "tcp":
        retransmits = end["sum_sent"].get("retransmits")
        windows = [stream.get("sender", {}).get("max_snd_cwnd") for stream in end["streams"]]
        return replace(
            answer,
            retransmits=None if retransmits is None else int(retransmits),
            max_congestion_window=max((int(size) for size in windows if size), default=None),
        )
    return replace(
        answer,
        jitter_seconds=number(TOOL.name, end, "sum_received", "jitter_ms") / 1000,
        lost_datagrams=int(number(TOOL.name, end, "sum_received", "lost_packets")),
        datagrams=int(number(TOOL.name, end, "sum_received", "packets")),
    )


def _series(document: dict[str, Any]) -> tuple[tuple[float, float], ...]:
    return tuple(
        (
            number(TOOL.name, interval, "sum", "end"),
            number(TOOL.name, interval, "sum", "bits_per_second"),
        )
        for interval in document.get("intervals", ())
    )
