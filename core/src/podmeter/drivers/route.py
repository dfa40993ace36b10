"""How packets to an address really leave: asked of the kernel, never of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.fields import json_fields
from podmeter.drivers.reading import succeeded, whole

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

TOOL = "ip route get"
#: A line of JSON, then each device with its MTU.
_WAY = r"""
ip -j route get "$1" && for d in /sys/class/net/*; do echo "${d##*/} $(cat "$d/mtu")"; done
"""


@dataclass(frozen=True, slots=True)
class Way:
    """The device a packet leaves by, that device's MTU in bytes, and the next hop if any."""

    device: str
    mtu: int
    gateway: str | None


def argv(address: str) -> tuple[str, ...]:
    """Ask for the way to an address, where the command runs."""
    return ("sh", "-c", _WAY, "sh", address)


def parse(output: CommandOutput) -> Way:
    """The way; ToolError where there is none or the answer is not whole."""
    answer, *devices = succeeded(TOOL, output).strip("\n").split("\n")
    route = json_fields(TOOL, answer.removeprefix("[").removesuffix("]"))
    device = route.text("dev")
    mtus = [line.split(" ") for line in devices]
    found = [words[1] for words in mtus if words[0] == device and len(words) == 2]
    if len(found) != 1 or any(len(words) != 2 for words in mtus):
        raise ToolError(say("tool_no_field", tool=TOOL, what="MTU", path=device[:40]))
    gateway = route.text("gateway") if "gateway" in route else None
    return Way(device, whole(TOOL, found[0]), gateway)
