"""What iperf3 prints beside its figures, by its source (iperf_locale.c, iperf_api.c, to 3.19)."""

from __future__ import annotations

import re

from podmeter.drivers.pasted.iperf3_rows import STREAM
from podmeter.drivers.pasted.patterns import any_of

_ID = r"\[ ?(?:[0-9]{1,4}|SUM)\](?: ?\[[TR]X-[CS]\])?"
CONNECTING = re.compile(r"Connecting to host \S{1,253}, port [0-9]{1,5}")
ACCEPTED = re.compile(r"Accepted connection from \S{1,253}, .{1,40}")
VERSION = re.compile(r"iperf 3\.[0-9]{1,3}\S{0,20}.{0,60}")
LISTENING = re.compile(r"Server listening on [0-9]{1,5}.{0,200}")
REVERSE = re.compile(r"Reverse mode, remote host \S{1,253} is sending")
HEADER = re.compile(r"\[ ?ID\](?: ?\[Role\])? Interval .{1,120}")
CONNECTED = re.compile(
    r"\[ ?(?P<id>[0-9]{1,4})\](?: ?\[[TR]X-[CS]\])? local (?P<here>\S{1,80}) "
    r"port (?P<port>[0-9]{1,5}) connected (?:to"
    r"|with) (?P<there>\S{1,80}) port (?P<other>[0-9]{1,5})"
)
SENT = re.compile(r"\[ ?(?P<id>[0-9]{1,4}|SUM)\] Sent (?P<count>[0-9]{1,18}) datagrams")
#: What follows is the server's own report of the same run.
SERVER_OUTPUT = re.compile(r"Server (?P<json>JSON )?output:")
DONE = "iperf Done."
#: A server was stopped; a test that ran meanwhile has no result.
STOPPED = re.compile(r"iperf3: interrupt - the server has terminated.{0,100}")
#: Reordered datagrams are counted separately from lost ones, and both are reported.
_OUT_OF_ORDER = r"(?:iperf3: )?OUT OF ORDER - .{1,300}"
#: The first line of a test with -V.
STARTING = re.compile(r"Starting Test: protocol: (\w{1,10}), .{1,180}")
WORDS = re.compile(
    r"Test Complete\. Summary Results:|(?:Time|Cookie|TCP MSS|Target Bitrate): .{1,120}"
    r"|Starting Test: .{1,200}|CPU Utilization: .{1,200}|(?:snd|rcv)_tcp_congestion \w{1,20}"
    r"|Control connection .{1,120}|(?:Linux|Darwin|FreeBSD|CYGWIN\S{0,40}) \S{1,253} .{1,250}"
    rf"|(?:iperf3: )?[Ww](?:arning|ARNING): .{{1,300}}|{_OUT_OF_ORDER}"
    r"|Setting (?:UDP block size|application pacing|fair-queue socket pacing) to .{1,60}"
    r"|(?:SND|RCV)BUF is [0-9]{1,12}, expecting [0-9]{1,12}.{0,60}"
    r"|(?:No )?G[SR]O(?: \(-?[0-9]{1,9}\))?"
    r"|(?:Overriding existing c|C)ongestion algorithm(?::| is) \w{1,40}"
    r"|Finished omit period, starting real test|Using TCP Autotuning|TCP window size: .{1,100}"
    r"|Authentication succeeded for user .{1,200}|IPv6 link-local address literal detected"
    r"|(?:State change|Reading new State from the (?:Client|Server)).{1,200}"
    r"|(?:All|Sender|Receiver) threads (?:created|stopped)|Thread FD [0-9]{1,9} (?:created|stopped)"
    r"|Interval [0-9]{1,9} - throughput [0-9]{1,18} bps .{1,60}|event=TCP_Info .{1,300}"
    r"|(?:Late receive|Ignoring nonsense|ignoring short interval|interval forces keep).{0,120}"
    r"|End condition set to file-size: .{1,60}|Sent \S{1,20} [KMGT]?Bytes? / .{1,300}"
    r"|Server restart \(#[0-9]{1,9}\) in idle state .{1,200}"
    r"|(?:un|)successfully sent ACCESS_DENIED .{1,200}"
    rf"|{STREAM} ?(?:MSS .{{1,120}}|Read lengths .{{1,120}}|[0-9]{{1,9}} bytes read .{{1,60}})"
    rf"|{STREAM}.{{0,40}} datagrams received out-of-order"
    r"|.{0,60}(?:sender|receiver) statistics not available.{0,10}"
)
FAILS = re.compile(r"iperf3: .{1,500}|Authentication failed .{1,300}")
#: What a server says while no test runs.
WAITS = re.compile(r"Server listening on .{1,300}|[-=]{3,200}|iperf 3.{1,80}")


_OWN = any_of(
    *(CONNECTING, ACCEPTED, VERSION, LISTENING, REVERSE, HEADER, CONNECTED, SENT),
    *(SERVER_OUTPUT, WORDS),
)


def is_own(text: str) -> bool:
    """Whether a line is one of iperf3's that has no figure."""
    return text == DONE or _OWN.fullmatch(text) is not None
