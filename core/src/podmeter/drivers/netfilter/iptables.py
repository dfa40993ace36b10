"""kube-proxy's iptables rules, through iptables-nft or iptables-legacy.

The chains may hold 100,000 rules and more, so they are counted where they are and only what is
asked for is sent: how many rules, how many of the run's, its first and its last one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program, timed
from podmeter.drivers.netfilter.backend import Backend
from podmeter.drivers.reading import complaint, counts, succeeded
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

Chain = Literal["KUBE-SERVICES", "KUBE-NODEPORTS"]

#: The lock that kube-proxy and the CNI contend for. iptables-nft needs and takes none.
XTABLES_LOCK = "/run/xtables.lock"
#: A rule for an address of TEST-NET-1 (RFC 5737) touches no packet.
_HARMLESS_SOURCE = "192.0.2.9/32"
#: A rule's comment begins with `namespace/name`, and `:port` where the port has a name.
_RULE = re.compile(
    r"(?P<number>[1-9][0-9]{0,8}) -A \S+ .*--comment \"?"
    r"[^\s\"]+/(?P<service>[^\s\":/]+)(?::(?P<port>[^\s\":/]+))?"
)


def parse_version(output: CommandOutput) -> str:
    """The version, such as `1.8.11`."""
    found = re.match(r"iptables v(\S+)", output.stdout)
    if found is None:
        raise ToolError(say("tool_no_version", tool="iptables", said=complaint(output)))
    return found[1]


TOOL = Tool("iptables", ("iptables", "--version"), parse_version)


@dataclass(frozen=True, slots=True)
class Position:
    """A Service port's rule in a chain: names of Service and port, the rule's number from 1."""

    service: str
    port: str
    number: int


@dataclass(frozen=True, slots=True)
class ChainState:
    """A chain: its rules, how many Service ports of the run it holds, the first and the last."""

    rules: int
    service_ports: int
    first: Position | None
    last: Position | None


def chain_argv(backend: Backend, chain: Chain, name_prefix: str) -> tuple[str, ...]:
    """Read a chain; `name_prefix` is what `namespace/name` of the run's Services begins with."""
    return program.argv("iptables-chain", _binary(backend), chain, name_prefix)


def parse_chain(output: CommandOutput) -> ChainState:
    """The chain; ToolError if it is not there or was not read whole."""
    text = succeeded(TOOL.name, output)
    head, *lines = text.removesuffix("end\n").split("\n")[:-1] or [""]
    if not text.endswith("\nend\n"):
        raise ToolError(say("chain_cut", said=complaint(output)))
    rules, ports = counts(TOOL.name, head, 2)
    if not ports and not lines:
        return ChainState(rules, 0, None, None)
    first, last = (_position(line) for line in lines) if len(lines) == 2 else (None, None)
    if first is None or last is None or not _in_order(rules, ports, first, last):
        raise ToolError(say("chain_cut", said=complaint(output)))
    return ChainState(rules, ports, first, last)


def _in_order(rules: int, ports: int, first: Position, last: Position) -> bool:
    """Whether both are in the chain, and as many Service ports from one to the other."""
    if ports == 1:
        return first == last and 1 <= first.number <= rules
    return 1 <= first.number <= last.number - ports + 1 and ports > 1 and last.number <= rules


def count_argv(backend: Backend) -> tuple[str, ...]:
    """Count the rules of all tables."""
    return program.argv("iptables-count", _binary(backend))


def parse_count(output: CommandOutput) -> tuple[int, int]:
    """All rules, and those in chains of Kubernetes."""
    text = succeeded(TOOL.name, output)
    if not text.endswith(" end\n"):
        raise ToolError(say("rules_not_counted", said=complaint(output)))
    rules, kubernetes = counts(TOOL.name, text.removesuffix(" end\n"), 2)
    return rules, kubernetes


def change_argv(backend: Backend, comment: str, times: int) -> tuple[str, ...]:
    """Add and delete one rule, `times` times; with legacy while holding the xtables lock.

    iptables-legacy takes that lock itself and would wait for its own parent, so it is pointed at
    another one; what it does is the same.
    """
    rule = (
        *("-w", "-t", "nat"),
        *("POSTROUTING", "-s", _HARMLESS_SOURCE),
        *("-m", "comment", "--comment", comment, "-j", "MASQUERADE"),
    )
    legacy = backend is Backend.IPTABLES_LEGACY
    prefix = ("env", "XTABLES_LOCKFILE=/tmp/podmeter-xtables.lock") if legacy else ()
    commands = [
        (*prefix, _binary(backend), *rule[:3], action, *rule[3:]) for action in ("-A", "-D")
    ]
    return timed.argv(commands, times, lock=XTABLES_LOCK if legacy else None)


def _binary(backend: Backend) -> str:
    if backend not in (Backend.IPTABLES_NFT, Backend.IPTABLES_LEGACY):
        raise ValueError(f"{backend} is not iptables")
    return backend.value


def _position(line: str) -> Position:
    found = _RULE.match(line)
    if found is None:
        raise ToolError(say("not_a_rule", line=line[:300]))
    return Position(found["service"], found["port"] or "", int(found["number"]))
