"""A scripted node: the mode its kernel is in, and what the tools on it print.

What tools print was captured from the real ones; what depends on the mode is written here in the
same shape. A command that nobody thought of ends with 127, and is remembered.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from core.tests import captures
from core.tests.captures import version_folder

from podmeter.drivers import datagrams, proc, program

#: kube-proxy's mode -> what the kernel's rules are called by the probe for them.
RULES = {"iptables": "iptables-nft", "nftables": "nftables"}
_SYSCTLS = {
    "net.core.somaxconn": "4096",
    "net.ipv4.tcp_congestion_control": "cubic",
    "net.ipv4.tcp_rmem": "4096 131072 33554432",
}
_DEVICES = {"cni0": 1450, "eth0": 1500, "flannel.1": 1450, "lo": 65536}
#: What the kernel calls those that are no NIC; the tunnel's packets leave by the NIC.
_KINDS: dict[str, dict[str, Any]] = {
    "cni0": {"info_kind": "bridge"},
    "flannel.1": {"info_kind": "vxlan", "info_data": {"link": "eth0"}},
}
_LINKS = [
    {"ifname": name, "mtu": mtu} | ({"linkinfo": _KINDS[name]} if name in _KINDS else {})
    for name, mtu in _DEVICES.items()
]


@dataclass(frozen=True)
class Printed:
    """What a command printed, its exit code, and the seconds it takes."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    seconds: float = 0.0


@dataclass
class Measured:
    """One execution of the measuring tool: the cluster's own witness of it.

    Its `cookie` is in what it printed, so a stored trial can be found by it. `modes` are all that
    the nodes' kernels were in while it ran. It was `acknowledged` once its connection asked for
    the next measurement, which a worker does when it has stored the last one.
    """

    cookie: str
    run_label: str
    modes: set[str]
    acknowledged: bool = False


@dataclass
class Machine:
    """A node. `proxy` is the mode that a running kube-proxy tells, None where none runs."""

    name: str
    address: str
    pods: str
    proxy: str | None = "iptables"
    kernel: set[str] = field(default_factory=lambda: {"iptables"})
    unknown: list[tuple[str, ...]] = field(default_factory=list)

    def printed(self, argv: Sequence[str]) -> Printed:
        """The answer to a command that measures nothing."""
        name, rest = argv[0], " ".join(argv[1:])
        if folder := version_folder(tuple(argv)):
            return captured(folder, "version")
        for sign, answer in _ANSWERS:
            if sign.search(f"{name} {rest}"):
                return answer(self, argv)
        self.unknown.append(tuple(argv))
        return Printed(stderr=f"{name}: not found\n", exit_code=127)

    def _told_mode(self) -> Printed:
        if self.proxy is None:
            return Printed(stderr="curl: (7) Failed to connect to 127.0.0.1\n", exit_code=7)
        return Printed(self.proxy)

    def _told_syncs(self) -> Printed:
        """Of a kube-proxy that has written its rules."""
        if self.proxy is None:
            return Printed(stderr="curl: (7) Failed to connect to 127.0.0.1\n", exit_code=1)
        told = {"duration_seconds_count": 1, "last_timestamp_seconds": 1}
        lines = [f"kubeproxy_sync_proxy_rules_{name} {value}\n" for name, value in told.items()]
        return Printed("".join(lines) + "end\n")

    def _rules(self) -> Printed:
        return Printed("".join(f"{RULES[mode]}\n" for mode in sorted(self.kernel)) + "end\n")

    def _probe(self) -> Printed:
        lines = [f"sysctl {name} {value}" for name, value in _SYSCTLS.items()]
        lines += [f"mtu {name} {mtu}" for name, mtu in _DEVICES.items()]
        lines += [
            "nic eth0 virtio_net -1",
            "cpu Scripted Processor",
            "virtual yes",
            "dmi Script v1",
        ]
        return Printed("\n".join([*lines, f"proxy {self.proxy or ''}", "end", ""]))

    def _route(self, argv: Sequence[str]) -> Printed:
        """The way to an address, the devices, and the way to the node that it is on."""
        *_, address, peer = argv
        lines = [self._way_to(address), json.dumps(_LINKS)]
        return Printed("\n".join([*lines, *([self._way_to(peer)] if peer else []), ""]))

    def _way_to(self, address: str) -> str:
        tunnelled = address.startswith("10.244.") and not address.startswith(self.pods[:9])
        device = "flannel.1" if tunnelled else "eth0"
        return json.dumps([{"dst": address, "dev": device, "prefsrc": self.address}])


_Answer = Callable[[Machine, Sequence[str]], Printed]


def _says(text: str = "", exit_code: int = 0) -> _Answer:
    return lambda machine, argv: Printed(text, exit_code=exit_code)


#: The first whose sign is found in the command's words answers.
_ANSWERS: tuple[tuple[re.Pattern[str], _Answer], ...] = tuple(
    (re.compile(sign, re.DOTALL), answer)
    for sign, answer in (
        (r"^true ", _says()),
        (r"^\S+ bundle .*/proc/meminfo.* stat --file-system", lambda one, _: _room()),
        # A server answers once its pod runs.
        (r"^curl .*--fail .*http://10[.]244[.]", _says()),
        (rf"^{program.NAME} version", _says(f"{program.NAME} {program.INTERFACE}\n")),
        (r"^curl .*--max-time \d+ http://\S+/proxyMode", lambda one, _: one._told_mode()),
        (r"kubeproxy_sync_proxy_rules", lambda one, _: one._told_syncs()),
        (r"printf 'sysctl", lambda one, _: one._probe()),
        (rf"^{program.NAME} backends", lambda one, _: one._rules()),
        (r"iperf3\.json", lambda one, argv: _seen(one, argv)),
        (r"cat /sys/class/net/eth0/mtu", _says("1450\ndefault via 10.244.0.1 dev eth0\n")),
        (rf"^{program.NAME} route", lambda one, argv: one._route(argv)),
        (r"^iptables-nft --version", _says("iptables v1.8.11 (nf_tables)\n")),
        # IPVS, IP in IP and WireGuard are not there; VXLAN, nftables and tun are.
        (r"kube-ipvs0|/proc/net/ip_vs|modules.* ipip$|type wireguard", _says(exit_code=1)),
        (r"nft list tables|type vxlan|/misc/tun", _says()),
        (r"iptables-save -t nat \| grep -q", lambda one, _: _chains(one)),
        (r"swept", _says("0 swept\n")),
        (r"^ls /sys/class/net", _says("\n".join(_DEVICES) + "\n")),
        (r"/sys/class/net/cni0.*brif", _says("1450\n0\n")),
    )
)


def _room() -> Printed:
    """What a node has left that is half full."""
    files = (
        "== /proc/meminfo\nMemTotal:       8000000 kB\nMemAvailable:   4000000 kB\n"
        "== /proc/sys/net/netfilter/nf_conntrack_count\n1000\n"
        "== /proc/sys/net/netfilter/nf_conntrack_max\n131072\n== end\n"
    )
    frames = (f"ran 0 {len(one)}\n{one}\n" for one in (files, "4096 1000000 500000\n"))
    return Printed("".join([*frames, "end\n"]))


def _chains(machine: Machine) -> Printed:
    return Printed(exit_code=0 if "iptables" in machine.kernel else 1)


def measurement(argv: Sequence[str], seconds: float | None) -> tuple[str, Printed]:
    """An iperf3 client's output with its own cookie; it takes `seconds`, or the requested time.

    The captured output ran for 3 s, so longer ones are not available.
    """
    streams = argv[argv.index("--parallel") + 1] if "--parallel" in argv else "1"
    protocol = "udp" if "--udp" in argv else "tcp"
    name = protocol if streams == "1" else f"{protocol}-{streams}-streams"
    asked = int(argv[argv.index("--time") + 1]) if "--time" in argv else 0
    cookie = f"{name}.{asked}.{secrets.token_hex(10)}"
    took = (asked or 0.01) if seconds is None else seconds
    return cookie, replace(_ran(name, asked, cookie), seconds=took)


def _ran(name: str, seconds: int, cookie: str) -> Printed:
    """What an end of a run printed, as if it had been that run."""
    document: dict[str, Any] = json.loads(captured("iperf3-3.18", name).stdout)
    document["start"]["cookie"] = cookie
    document["start"]["test_start"]["duration"] = seconds
    return Printed(json.dumps(document))


def _seen(machine: Machine, argv: Sequence[str]) -> Printed:
    """What a server saw of the run with a cookie, which tells what it was."""
    cookie = argv[-3]
    name, _, rest = cookie.partition(".")
    if not rest:
        return captured("iperf3-3.18", "tcp-seen")
    return _ran(f"{name}-seen", int(rest.partition(".")[0]), cookie)


def is_measurement(argv: Sequence[str]) -> bool:
    """Whether a command is a trial's, and not the wait for its server."""
    return argv[0] == "iperf3" and "--client" in argv and "--bytes" not in argv


def is_reaching(argv: Sequence[str]) -> bool:
    """Whether a command only sees whether the server answers."""
    return argv[0] == "iperf3" and "--client" in argv and "--bytes" in argv


def is_sampler(argv: Sequence[str]) -> bool:
    """Whether a command runs until it is stopped."""
    return tuple(argv) in (proc.SAMPLER_ARGV, datagrams.WATCH_ARGV)


@cache
def captured(folder: str, name: str) -> Printed:
    """What a real tool printed once."""
    output = captures.captured(folder, name)
    return Printed(output.stdout, output.stderr, output.exit_code)
