"""qperf: bandwidth, latency and CPU of TCP and UDP, and who it was that answered.

It is asked for unified units, all it knows and twelve digits, so that nothing is rounded that
matters and what it says can be held against what it counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program
from podmeter.drivers.qperf_text import CONF, TOOL_NAME, Reading, read
from podmeter.drivers.reading import agrees, as_asked, complaint, succeeded
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

Transfer = Literal["tcp_bw", "tcp_lat", "udp_bw", "udp_lat"]
#: How many significant digits qperf is asked for.
PRECISION = 12
#: Each end measures by its own alarm, in ticks of 10 ms.
_SLACK_SECONDS, _LATE_SECONDS = 0.05, 5.0
_EXACTLY = ("--precision", str(PRECISION), "--unify_units", "--verbose_more")


@dataclass(frozen=True, slots=True)
class Options:
    """One test. The server answers at `port`, and opens `data_port` for the test itself."""

    server: str
    port: int
    data_port: int
    test: Transfer
    message_bytes: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a test measured: bit/s, seconds, 1/s, s/byte, CPUs.

    A test of bandwidth has what was received and what moving it cost each end, UDP in addition to
    what was sent: what the sender's socket took, not what left the machine. A test of latency has
    `latency_seconds`, half a round trip. CPUs and costs are of a whole machine, and None where
    it counted no tick. `server_host` is the host name of who answered.
    """

    messages_per_second: float
    server_host: str
    client_cpus: float | None
    server_cpus: float | None
    latency_seconds: float | None = None
    received_bits_per_second: float | None = None
    sent_bits_per_second: float | None = None
    received_bytes: int | None = None
    send_seconds_per_byte: float | None = None
    receive_seconds_per_byte: float | None = None
    loss_ratio: float | None = None


def server_argv(port: int) -> tuple[str, ...]:
    """A server for one client at a time, which waits for the next one after each.

    It is started again when it ends: one whose client is killed may wait for ever.
    """
    return program.argv("qperf-server", str(port))


#: In the server's pod: end a server whose client is gone.
REVIVE_ARGV = ("pkill", "-x", "qperf")

#: Where qperf serves: ends with 0 if it can, as it wants IPv6 sockets.
CAN_SERVE_ARGV = ("test", "-e", "/proc/net/if_inet6")

#: No qperf of the pod's own listens at the port.
_SILENT = 3


def identity_argv(port: int) -> tuple[str, ...]:
    """In the server's pod: ask by what name it answers at the port."""
    return program.argv("qperf-identity", str(port))


def parse_identity(output: CommandOutput) -> str | None:
    """The host name by which the pod's server answers; None where it does not listen."""
    if output.exit_code == _SILENT:
        return None
    name = succeeded("uname", output).removesuffix("\n")
    if not re.fullmatch(r"\S+", name):
        raise ToolError(say("tool_no_field", tool="uname", what="node", path=""))
    return name


def argv(options: Options) -> tuple[str, ...]:
    """The client's command; the test is followed by `conf`, which tells who answered."""
    return (
        *("qperf", options.server, "--listen_port", str(options.port)),
        *("--ip_port", str(options.data_port), "--msg_size", str(options.message_bytes)),
        *("--time", str(options.seconds), *_EXACTLY, options.test, CONF),
    )


def conf_argv(server: str, port: int, times: int = 1, wait_seconds: int = 5) -> tuple[str, ...]:
    """Ask so many times who answers, over a connection of its own each time."""
    return (
        *("qperf", server, "--listen_port", str(port), "--wait_server", str(wait_seconds)),
        *(CONF,) * times,
    )


def parse_version(output: CommandOutput) -> str:
    """The version, such as `0.4.11`."""
    found = re.match(r"qperf ([0-9.]{1,20})\n", output.stdout)
    if found is None:
        raise ToolError(say("tool_no_version", tool=TOOL_NAME, said=complaint(output)))
    return found[1]


TOOL = Tool(TOOL_NAME, ("qperf", "--version"), parse_version)


def answered(output: CommandOutput) -> str | None:
    """The host name of who answered one `conf`; None where nobody did."""
    return parse_conf(output, 1)[0] if output.exit_code == 0 else None


def parse_conf(output: CommandOutput, times: int) -> tuple[str, ...]:
    """The host name of who answered, each of so many times."""
    found = read(succeeded(TOOL_NAME, output))
    as_asked(TOOL_NAME, "tests", [one.test for one in found], [CONF] * times)
    return tuple(one.word("rem_node") for one in found)


def parse(output: CommandOutput, options: Options) -> Answer:
    """The answer to a run with `options`.

    Raises ToolError for a test that failed or another one than was asked for, less time, nothing
    that arrived, errors of a socket, and for figures that contradict each other: rates, costs and
    shares of CPU against bytes, messages and seconds.
    """
    found = read(succeeded(TOOL_NAME, output), PRECISION)
    as_asked(TOOL_NAME, "tests", [one.test for one in found], [options.test, CONF])
    test, host = found[0], found[1].word("rem_node")
    _check_asked(test, options)
    errors = [name for name in test.figures if name.endswith("_errors")]
    if errors:
        counted = ", ".join(f"{name} {test.count(name)}" for name in errors)
        raise ToolError(say("qperf_errors", counted=counted))
    if options.test.endswith("_lat"):
        return _latency(test, host, options)
    return _bandwidth(test, host, options)


def _check_asked(test: Reading, options: Options) -> None:
    asked = {"msg_size": options.message_bytes, "port": options.data_port}
    for name, value in asked.items():
        as_asked(TOOL_NAME, name, test.count(name), value)
    as_asked(TOOL_NAME, "time", test.needed("time").value, float(options.seconds))


def _seconds(test: Reading, end: str, options: Options) -> float:
    """For how long an end measured."""
    seconds = test.needed(f"{end}_real_time").value
    least, most = options.seconds - _SLACK_SECONDS, options.seconds + _LATE_SECONDS
    if not least <= seconds <= most:
        said = f"{seconds:.2f}"
        raise ToolError(say("qperf_seconds", seconds=said, asked=options.seconds))
    return seconds


def _cpus(test: Reading, end: str, seconds: float) -> float | None:
    """CPUs of an end's machine, which are its user's, kernel's and interrupts' together."""
    used = test.value(f"{end}_cpus_used")
    parts = [
        test.value(f"{end}_cpus_{part}") or 0.0 for part in ("user", "intr", "kernel", "iowait")
    ]
    agrees(TOOL_NAME, f"{end}_cpus_used", used or 0.0, sum(parts))
    agrees(
        *(TOOL_NAME, f"{end}_cpu_time", test.value(f"{end}_cpu_time") or 0.0),
        (used or 0.0) * seconds,
    )
    return used


def _moved(test: Reading, way: str, options: Options) -> tuple[int, int]:
    """Messages and bytes that went a way; no message is cut."""
    messages, moved = test.count(f"{way}_msgs"), test.count(f"{way}_bytes")
    expected = messages * options.message_bytes
    agrees(TOOL_NAME, f"{way}_bytes", moved, expected, expected)
    return messages, moved


def _bandwidth(test: Reading, host: str, options: Options) -> Answer:
    udp = options.test == "udp_bw"
    rate = test.needed("recv_bw" if udp else "bw").value
    if rate == 0:
        raise ToolError(say("qperf_nothing"))
    seconds = {end: _seconds(test, end, options) for end in ("send", "recv")}
    sent, sent_bytes = _moved(test, "send", options)
    received, received_bytes = _moved(test, "recv", options)
    # The last message may arrive without being counted as sent: the time is over before it is.
    agrees(TOOL_NAME, "recv_msgs", received, 1, sent + 1)
    agrees(TOOL_NAME, "send_msgs", sent, 1, float("inf"))
    # Each by its own end's clock, but for the messages, which go by the sender's.
    agrees(TOOL_NAME, "bandwidth", rate, 8 * received_bytes / seconds["recv"])
    sent_rate = test.needed("send_bw").value if udp else None
    if sent_rate is not None:
        agrees(TOOL_NAME, "send_bw", sent_rate, 8 * sent_bytes / seconds["send"])
    messages = test.needed("msg_rate").value
    agrees(TOOL_NAME, "msg_rate", messages, received / seconds["send"])
    for end, moved in (("send", sent_bytes), ("recv", received_bytes)):
        cpu_time = test.value(f"{end}_cpu_time") or 0.0
        agrees(TOOL_NAME, f"{end}_cost", test.value(f"{end}_cost") or 0.0, cpu_time / moved)
    return Answer(
        messages_per_second=messages,
        server_host=host,
        client_cpus=_cpus(test, "send", seconds["send"]),
        server_cpus=_cpus(test, "recv", seconds["recv"]),
        received_bits_per_second=rate,
        sent_bits_per_second=sent_rate,
        received_bytes=received_bytes,
        send_seconds_per_byte=test.value("send_cost"),
        receive_seconds_per_byte=test.value("recv_cost"),
        loss_ratio=max(0.0, 1 - received / sent) if udp else None,
    )


def _latency(test: Reading, host: str, options: Options) -> Answer:
    latency = test.needed("latency").value
    if latency == 0:
        raise ToolError(say("qperf_nothing"))
    local, remote = _seconds(test, "loc", options), _seconds(test, "rem", options)
    counted = {
        f"{end}_{way}": _moved(test, f"{end}_{way}", options)[0]
        for end in ("loc", "rem")
        for way in ("send", "recv")
    }
    # A ping-pong: no end is further than one message ahead, and one more may not be counted.
    fewest, most = min(counted.values()), max(counted.values())
    agrees(TOOL_NAME, "messages", most, fewest, fewest + 2)
    received = counted["loc_recv"] + counted["rem_recv"]
    agrees(TOOL_NAME, "recv_msgs", received, 1, float("inf"))
    agrees(TOOL_NAME, "latency", latency, local / received)
    messages = test.needed("msg_rate").value
    agrees(TOOL_NAME, "msg_rate", messages, received / ((local + remote) / 2))
    return Answer(
        messages_per_second=messages,
        server_host=host,
        client_cpus=_cpus(test, "loc", local),
        server_cpus=_cpus(test, "rem", remote),
        latency_seconds=latency,
    )
