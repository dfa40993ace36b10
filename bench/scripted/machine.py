"""A scripted node: the mode its kernel is in, and what commands print that ask for its facts.

What measuring tools print, and what kernels hold of Services and policies, is in `tools.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.scripted.outputs import kube_proxy_metrics, printed
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import program

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
    _syncs: int = field(default=0, init=False)

    def printed(self, argv: Sequence[str]) -> CommandOutput | None:
        """The answer to a command that asks for the node's facts; None for any other one."""
        command = " ".join(argv)
        for sign, answer in _ANSWERS:
            if sign.search(command):
                return answer(self, argv)
        return None

    def _told_mode(self) -> CommandOutput:
        if self.proxy is None:
            return printed(stderr="curl: (7) Failed to connect to 127.0.0.1\n", exit_code=7)
        return printed(self.proxy)

    def _told_syncs(self) -> CommandOutput:
        """Of a kube-proxy that has written its rules; each look sees one more sync."""
        if self.proxy is None:
            return printed(stderr="curl: (7) Failed to connect to 127.0.0.1\n", exit_code=1)
        self._syncs += 1
        return kube_proxy_metrics(self._syncs)

    def _probe(self) -> CommandOutput:
        lines = [f"sysctl {name} {value}" for name, value in _SYSCTLS.items()]
        lines += [f"mtu {name} {mtu}" for name, mtu in _DEVICES.items()]
        lines += [
            "nic eth0 virtio_net -1",
            "cpu Scripted Processor",
            "virtual yes",
            "dmi Script v1",
        ]
        return printed("\n".join([*lines, f"proxy {self.proxy or ''}", "end", ""]))

    def _route(self, argv: Sequence[str]) -> CommandOutput:
        """The way to an address, the devices, and the way to the node that it is on."""
        *_, address, peer = argv
        lines = [self._way_to(address), json.dumps(_LINKS)]
        return printed("\n".join([*lines, *([self._way_to(peer)] if peer else []), ""]))

    def _way_to(self, address: str) -> str:
        tunnelled = address.startswith("10.244.") and not address.startswith(self.pods[:9])
        device = "flannel.1" if tunnelled else "eth0"
        return json.dumps([{"dst": address, "dev": device, "prefsrc": self.address}])


_Answer = Callable[[Machine, Sequence[str]], CommandOutput]


def _says(text: str = "", exit_code: int = 0) -> _Answer:
    return lambda machine, argv: printed(text, exit_code=exit_code)


#: The first whose sign is found in the command's words answers.
_ANSWERS: tuple[tuple[re.Pattern[str], _Answer], ...] = tuple(
    (re.compile(sign, re.DOTALL), answer)
    for sign, answer in (
        (r"^curl .*--max-time \d+ http://\S+/proxyMode", lambda one, _: one._told_mode()),
        (r"kubeproxy_sync_proxy_rules", lambda one, _: one._told_syncs()),
        (r"printf 'sysctl", lambda one, _: one._probe()),
        (r"cat /sys/class/net/eth0/mtu", _says("1450\ndefault via 10.244.0.1 dev eth0\n")),
        (rf"^{program.NAME} route", lambda one, argv: one._route(argv)),
        # IPVS, IP in IP and WireGuard are not there; VXLAN, nftables and tun are.
        (r"kube-ipvs0|/proc/net/ip_vs|modules.* ipip$|type wireguard", _says(exit_code=1)),
        (r"nft list tables|type vxlan|/misc/tun", _says()),
        (r"iptables-save -t nat \| grep -q", lambda one, _: _chains(one)),
        (r"swept", _says("0 swept\n")),
        (r"^ls /sys/class/net", _says("\n".join(_DEVICES) + "\n")),
        (r"/sys/class/net/cni0.*brif", _says("1450\n0\n")),
    )
)


def _chains(machine: Machine) -> CommandOutput:
    return printed(exit_code=0 if "iptables" in machine.kernel else 1)
