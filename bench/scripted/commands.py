"""Which tool a command is of."""

from __future__ import annotations

from collections.abc import Sequence

from core.tests.captures import version_folder

from podmeter.drivers import datagrams, kube_proxy, node_room, proc, program, qperf

Argv = Sequence[str]
#: Commands of `podmeter-measure` that are known by another name than their own.
_OF_PROGRAM = {
    "ask": "asked",
    "print-files": "counters",
    "complaints": "forget",
    "backends": "probe",
    "iptables-chain": "chain",
    "iptables-count": "count",
    "nft-map": "map",
    "nft-count": "count",
    "ipvs-servers": "servers",
    "iperf3-seen": "seen",
    "qperf-identity": "identity",
}
_WHOLE_COMMANDS = {
    node_room.ARGV: "room",
    proc.SAMPLER_ARGV: "sampler",
    datagrams.WATCH_ARGV: "watch",
    qperf.CAN_SERVE_ARGV: "can_serve",
    qperf.REVIVE_ARGV: "revive",
    kube_proxy.argv(): "kube_proxy",
    program.VERSION_ARGV: "program_version",
}


def tool_of(argv: Argv) -> str:
    """What answers a command: the method of `Tools` of that name with an underscore before it."""
    words = tuple(argv)
    if tool := _WHOLE_COMMANDS.get(words):
        return tool
    if words[0] == program.NAME:
        if words[1] == "timed":
            return "curl" if "--write-out" in words else "change"
        return _OF_PROGRAM.get(words[1], words[1].replace("-", "_"))
    if words[0] == "qperf" and words[-1] == "conf":
        return "qperf" if "--ip_port" in words else "conf"
    if "--version" in words or version_folder(words):
        return "version"
    if words[0] == "iperf3" and "--bytes" in words:
        return "reach"
    return {"curl": "once"}.get(words[0], words[0].replace("-", "_"))


def connections(tool: str, argv: Argv) -> int:
    """How many a command makes to the backend."""
    if tool == "ab":
        return int(argv[argv.index("-c" if "-k" in argv else "-n") + 1])
    return argv.count("--max-time") * int(argv[3]) if tool == "curl" else 0
