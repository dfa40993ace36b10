"""kube-proxy's IPVS virtual servers: a hash table, where a Service has no position."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import timed
from podmeter.drivers.reading import complaint, succeeded, whole

if TYPE_CHECKING:
    from collections.abc import Collection

    from podmeter.domain.ports import CommandOutput

_TOOL = "ipvsadm"

#: Every virtual server as `-A -t <address>:<port> -s <scheduler>`; the real ones are left out.
_LIST = r"""
set -o pipefail
ipvsadm -S -n | awk '$1 == "-A" { print $2, $3 } $1 == "-a" { real++ } END { print "end", real+0 }'
"""
LIST_ARGV = ("bash", "-c", _LIST)
_SERVER = r"-(?:t|u|-sctp-service) \S+:[0-9]{1,5}|-f [0-9]{1,10}"
#: A real server in TEST-NET-1 (RFC 5737) with weight 0: the scheduler never picks it.
_HARMLESS_SERVER = "192.0.2.9:9"


def parse_list(output: CommandOutput, expected: Collection[tuple[str, int]]) -> tuple[int, int]:
    """All virtual servers, and how many of the `expected` (address, TCP port) are among them."""
    lines, _ = _listed(output)
    wanted = {f"-t {address}:{port}" for address, port in expected}
    return len(lines), sum(line in wanted for line in lines)


def parse_sizes(output: CommandOutput) -> tuple[int, int]:
    """How many virtual servers there are, and real ones of all of them."""
    lines, real = _listed(output)
    return len(lines), real


def _listed(output: CommandOutput) -> tuple[list[str], int]:
    head, _, real = succeeded(_TOOL, output).rpartition("end ")
    *lines, rest = head.split("\n")
    if rest or not real.endswith("\n") or not all(re.fullmatch(_SERVER, line) for line in lines):
        raise ToolError(say("virtual_servers_cut", said=complaint(output)))
    if len(set(lines)) != len(lines):
        raise ToolError(say("virtual_servers_twice"))
    return lines, whole(_TOOL, real.removesuffix("\n"))


def change_argv(address: str, port: int, times: int) -> tuple[str, ...]:
    """Add a real server to a virtual one and delete it, `times` times."""
    server = ("-t", f"{address}:{port}", "-r", _HARMLESS_SERVER)
    added = ("ipvsadm", "-a", *server, "-m", "-w", "0")
    return timed.argv([added, ("ipvsadm", "-d", *server)], times)
