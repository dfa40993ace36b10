"""The device of this machine itself on the network of the testbed's machines."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import CONTROL_PLANE, MACHINE_DEVICE, Layout
from podmeter_testbed.shell import run, wait_for

#: The other end of this machine's device, where the testbed has a kernel of its own.
FRAMES_DEVICE = f"{MACHINE_DEVICE}-uml"
# linux/if_packet.h and linux/if_ether.h
_SOL_PACKET, _PACKET_QDISC_BYPASS, _PACKET_IGNORE_OUTGOING = 263, 20, 23
_EVERY_PROTOCOL = 3
_DEVICE = Path("/sys/class/net", MACHINE_DEVICE)


def open_frames(layout: Layout) -> socket.socket:
    """Make the device for a kernel that runs as a process, and open where its frames come and go.

    That is the other end of a pair, where a packet socket takes what this machine sends, and what
    is written to the socket arrives here. A packet socket carries no checksums that are still to be
    computed, so they are computed here.
    """
    pair = ("type", "veth", "peer", "name", FRAMES_DEVICE)
    run("ip", "link", "add", MACHINE_DEVICE, *pair)
    run("ip", "link", "set", FRAMES_DEVICE, "up")
    run("ethtool", "--offload", MACHINE_DEVICE, "tx", "off")
    address(layout)
    frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    frames.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
    frames.setsockopt(_SOL_PACKET, _PACKET_QDISC_BYPASS, 1)
    frames.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
    frames.bind((FRAMES_DEVICE, _EVERY_PROTOCOL))
    return frames


def address(layout: Layout) -> None:
    """Give the device this machine's address in the testbed's network, and what is behind it."""
    run("ip", "address", "add", layout.interface("machine"), "dev", MACHINE_DEVICE)
    run("ip", "link", "set", MACHINE_DEVICE, "up")
    if (behind := layout.routed_subnet) is not None:
        run("ip", "route", "add", str(behind), "via", layout.address(CONTROL_PLANE))


def remove() -> None:
    """Remove the device, which may be going by itself."""
    if _DEVICE.exists():
        with contextlib.suppress(TestbedError):
            run("ip", "link", "delete", MACHINE_DEVICE)
    wait_for(f"device {MACHINE_DEVICE} to go", lambda: not _DEVICE.exists(), 30)
