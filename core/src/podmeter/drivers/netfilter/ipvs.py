"""kube-proxy's IPVS virtual servers: a hash table, where a Service has no position.

Beside them kube-proxy keeps sets of addresses that its rules of iptables ask, and fills them last,
one entry and one process at a time, in no fixed order of sets (kubernetes/kubernetes,
pkg/proxy/ipvs/proxier.go and ipset.go, 1.34). Who is in KUBE-IPVS-IPS and not yet in
KUBE-CLUSTER-IP is refused (chain KUBE-IPVS-FILTER), though its virtual server stands.

A kernel lists its table piece by piece, each piece by the number of servers before it
(ip_vs_genl_dump_services in Linux's net/netfilter/ipvs/ip_vs_ctl.c): a server added meanwhile
has the last of a piece listed twice, one that goes has another left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program, timed
from podmeter.drivers.reading import complaint, succeeded, whole

if TYPE_CHECKING:
    from collections.abc import Collection

    from podmeter.domain.ports import CommandOutput

_TOOL = "ipvsadm"

#: Every virtual server as `-t <address>:<port>`, and how many real ones there are.
LIST_ARGV = program.argv("ipvs-servers")
_CLUSTER_IPS, _IPS, _NODE_PORTS = "KUBE-CLUSTER-IP", "KUBE-IPVS-IPS", "KUBE-NODE-PORT-TCP"
#: The same, and then the entries of those sets that there are: another proxy has none of them.
HELD_ARGV = program.argv("ipvs-servers", _CLUSTER_IPS, _IPS, _NODE_PORTS)
_ENTRIES = {
    _CLUSTER_IPS: r"[0-9.]{7,15},(?:tcp|udp|sctp):[0-9]{1,5}",
    _IPS: r"[0-9.]{7,15}",
    _NODE_PORTS: r"[0-9]{1,5}",
}
_SERVER = r"-(?:t|u|-sctp-service) \S+:[0-9]{1,5}|-f [0-9]{1,10}"
#: A real server in TEST-NET-1 (RFC 5737) with weight 0: the scheduler never picks it.
_HARMLESS_SERVER = "192.0.2.9:9"


class ChangedMeanwhileError(ToolError):
    """The table changed while it was listed: who counts it looks again."""


def parse_held(
    output: CommandOutput, expected: Collection[tuple[str, int, int | None]]
) -> tuple[int, int]:
    """How many of the `expected` are there with all that belongs to them, and how many in part.

    Each is a Service's address and TCP port, and its node port where it is reached by that.
    A server that is listed twice is there, and the table still changes.
    """
    end = re.search(r"^end [0-9]+\n", output.stdout, re.MULTILINE)
    cut = len(output.stdout) if end is None else end.end()
    lines, _ = _listed(replace(output, stdout=output.stdout[:cut]))
    servers, sets = set(lines), _sets(output, output.stdout[cut:])
    whole_, partly = 0, 0
    for address, port, node_port in expected:
        asked = [(_CLUSTER_IPS, f"{address},tcp:{port}"), (_IPS, address)]
        if node_port is not None:
            asked.append((_NODE_PORTS, str(node_port)))
        found = [entry in sets[name] for name, entry in asked if name in sets]
        found.append(f"-t {address}:{port}" in servers)
        whole_ += all(found)
        partly += any(found) and not all(found)
    return whole_, partly


def _sets(output: CommandOutput, told: str) -> dict[str, set[str]]:
    lines = told.split("\n")
    if lines[-2:] != ["end sets", ""]:
        raise ToolError(say("virtual_servers_cut", said=complaint(output)))
    found: dict[str, set[str]] = {}
    name = ""
    for line in lines[:-2]:
        if line.startswith("set ") and line[4:] in _ENTRIES.keys() - found.keys():
            name = line[4:]
            found[name] = set()
        elif name and re.fullmatch(_ENTRIES[name], line) and line not in found[name]:
            found[name].add(line)
        else:
            raise ToolError(say("virtual_servers_cut", said=complaint(output)))
    return found


def parse_sizes(output: CommandOutput) -> tuple[int, int]:
    """How many virtual servers there are, and real ones of all of them.

    Raises ChangedMeanwhileError where one is listed twice.
    """
    lines, real = _listed(output)
    if len(set(lines)) != len(lines):
        raise ChangedMeanwhileError(say("virtual_servers_twice"))
    return len(lines), real


def _listed(output: CommandOutput) -> tuple[list[str], int]:
    head, _, real = succeeded(_TOOL, output).rpartition("end ")
    *lines, rest = head.split("\n")
    if rest or not real.endswith("\n") or not all(re.fullmatch(_SERVER, line) for line in lines):
        raise ToolError(say("virtual_servers_cut", said=complaint(output)))
    return lines, whole(_TOOL, real.removesuffix("\n"))


def change_argv(address: str, port: int, times: int) -> tuple[str, ...]:
    """Add a real server to a virtual one and delete it, `times` times."""
    server = ("-t", f"{address}:{port}", "-r", _HARMLESS_SERVER)
    added = ("ipvsadm", "-a", *server, "-m", "-w", "0")
    return timed.argv([added, ("ipvsadm", "-d", *server)], times)
