"""How packets to an address really leave: asked of the kernel, never of a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program
from podmeter.drivers.fields import Fields, json_fields
from podmeter.drivers.reading import succeeded

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

TOOL = "ip route get"
#: Devices that wrap packets into others, which leave by another device.
TUNNELS = frozenset({"vxlan", "geneve", "ipip", "sit", "gre", "gretap", "tun", "wireguard"})
#: Bytes that a device of the kind puts around a pod's IPv4 packet, between IPv4 addresses of nodes.
#: VXLAN: IPv4 20, UDP 8, VXLAN 8, Ethernet 14 (RFC 7348, 5). Geneve: the same without options (RFC
#: 8926, 3). IP-in-IP: IPv4 20 (RFC 2003, 3). WireGuard: IPv4 20, UDP 8, header 16, tag 16
#: (Donenfeld, *WireGuard*, 5.4.6). flannel's UDP, by a tun device: IPv4 20, UDP 8.
OVERHEADS = {"vxlan": 50, "geneve": 50, "ipip": 20, "wireguard": 60, "tun": 28}
#: Whatever else reads a tun device wraps packets as it likes.
_FLANNEL_UDP = re.compile(r"flannel\d+")
#: Behind these a program decides where packets go, which no route shows.
_HIDING = ("cilium_host", "cilium_net")
_SAID = re.compile(
    r"by (?P<device>\S+)(?: \((?P<kind>[^\s()]+)\))?, MTU (?P<mtu>\d{1,9})(?:, NIC (?P<nic>\S+))?",
    re.ASCII,
)
#: Cilium's programs take what a route gives to this device to its tunnel's, if it has one.
_CILIUM, _CILIUM_TUNNELS = "cilium_host", ("cilium_vxlan", "cilium_geneve")


@dataclass(frozen=True, slots=True)
class PacketRoute:
    """The device a packet leaves by, the MTU there in bytes, and the next hop if any.

    The MTU is the device's, or a smaller one of the route: that of Cilium's tunnel in its pods.

    `kind` is what the kernel calls the device, such as `vxlan` or `veth`; "" for a NIC. `nic` is
    the device by which the packet leaves in the end, wrapped or not; None where that does not show.
    """

    device: str
    mtu: int
    gateway: str | None
    kind: str = ""
    nic: str | None = None

    @property
    def said(self) -> str:
        """In words: `by flannel.1 (vxlan), MTU 1450, NIC eth0`."""
        kind = f" ({self.kind})" if self.kind else ""
        nic = f", NIC {self.nic}" if self.nic not in (None, self.device) else ""
        return f"by {self.device}{kind}, MTU {self.mtu}{nic}"

    @property
    def overhead(self) -> int | None:
        """The bytes that packets are wrapped in where they leave, 0 for none; None: not known.

        Of Geneve it is the least: options come to it, which no route shows.
        """
        if self.kind not in TUNNELS:
            return None if self.device in _HIDING else 0
        if self.kind == "tun" and not _FLANNEL_UDP.fullmatch(self.device):
            return None
        return OVERHEADS.get(self.kind)


def argv(address: str, peer: str = "") -> tuple[str, ...]:
    """Ask for the way to an address, where the command runs; `peer` is the node that it is on, if
    that is another one. The answer is a line of JSON for the way to each, the devices between them.
    """
    return program.argv("route", address, peer)


def parse(output: CommandOutput) -> PacketRoute:
    """The way; ToolError where there is none or the answer is not whole."""
    lines = succeeded(TOOL, output).removesuffix("\n").split("\n")
    if len(lines) not in (2, 3):
        raise ToolError(say("tool_no_field", tool=TOOL, what="link", path=""))
    route = _only(lines[0])
    links = _links(lines[1])
    name = route.text("dev")
    if name == _CILIUM:
        tunnels = [one for one in _CILIUM_TUNNELS if one in links]
        name = tunnels[0] if len(tunnels) == 1 else name
    link = links.get(name)
    if link is None:
        raise ToolError(say("tool_no_field", tool=TOOL, what="link", path=name[:40]))
    kind = _kind(link)
    outer = _only(lines[2]).text("dev") if len(lines) == 3 else None
    nic: str | None = name
    if kind in TUNNELS:
        lower = _lower(link) or outer
        wraps = lower is None or lower not in links or _kind(links[lower]) in TUNNELS
        nic = None if wraps else lower
    gateway = route.text("gateway") if "gateway" in route else None
    return PacketRoute(name, _mtu(link, route), gateway, kind, nic)


def read(text: str) -> PacketRoute | None:
    """Parse the text of `PacketRoute.said`, without the gateway; None for any other text."""
    match = _SAID.fullmatch(text)
    if match is None:
        return None
    device, kind = match["device"], match["kind"] or ""
    nic = match["nic"] or (None if kind in TUNNELS else device)
    return PacketRoute(device, int(match["mtu"]), None, kind, nic)


def source(output: CommandOutput) -> str:
    """The address that packets leave from; ToolError as for the way."""
    return _only(succeeded(TOOL, output).partition("\n")[0]).text("prefsrc")


def _only(line: str) -> Fields:
    """The one object of an array of one."""
    found = json_fields(TOOL, f'{{"route":{line}}}').objects("route")
    if len(found) != 1:
        raise ToolError(say("tool_no_field", tool=TOOL, what="route", path=""))
    return found[0]


def _links(line: str) -> dict[str, Fields]:
    """The devices by name; each is there once."""
    found = json_fields(TOOL, f'{{"links":{line}}}').objects("links")
    links = {one.text("ifname"): one for one in found if "ifname" in one}
    if len(links) != len([one for one in found if "ifname" in one]):
        raise ToolError(say("tool_no_field", tool=TOOL, what="link", path="ifname"))
    return links


def _mtu(link: Fields, route: Fields) -> int:
    mtu = link.count("mtu")
    # What was learnt of a path of before expires, and is no property of the route.
    if "metrics" in route and "expires" not in route:
        mtus = [one.count("mtu") for one in route.objects("metrics") if "mtu" in one]
        return min(mtu, *mtus) if mtus else mtu
    return mtu


def _kind(link: Fields) -> str:
    if "linkinfo" not in link or "info_kind" not in link.object("linkinfo"):
        return ""
    return link.object("linkinfo").text("info_kind")


def _lower(link: Fields) -> str | None:
    """The device that a tunnel is bound to, if it is."""
    link_info = link.object("linkinfo")
    if "info_data" not in link_info or "link" not in link_info.object("info_data"):
        return None
    return link_info.object("info_data").text("link")
