"""kube-proxy's nftables table: verdict maps, where a Service has no position."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program, timed
from podmeter.drivers.reading import complaint, counts, succeeded, whole
from podmeter.drivers.tool import Tool

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

Map = Literal["service-ips", "service-nodeports"]

#: TEST-NET-1 (RFC 5737) and the discard port: no packet meets this element.
_HARMLESS_KEY = "192.0.2.9 . tcp . 9"


def parse_version(output: CommandOutput) -> str:
    """The version, such as `1.1.3`."""
    found = re.match(r"nftables v(\S+)", output.stdout)
    if found is None:
        raise ToolError(say("tool_no_version", tool="nft", said=complaint(output)))
    return found[1]


TOOL = Tool("nft", ("nft", "--version"), parse_version)


@dataclass(frozen=True, slots=True)
class MapState:
    """A verdict map: its elements, and how many of them are Service ports of the run."""

    elements: int
    service_ports: int


def map_argv(map_: Map, name_prefix: str) -> tuple[str, ...]:
    """Count a map; `name_prefix` is what `namespace/name` of the run's Services begins with."""
    return program.argv("nft-map", map_, name_prefix)


def parse_map(output: CommandOutput) -> MapState:
    """The map; ToolError if it is not there or was not read whole."""
    text = succeeded(TOOL.name, output)
    if not text.endswith(" end\n"):
        raise ToolError(say("map_not_counted", said=complaint(output)))
    elements, ports = counts(TOOL.name, text.removesuffix(" end\n"), 2)
    return MapState(elements, ports)


def count_argv() -> tuple[str, ...]:
    """Count the rules of kube-proxy's table."""
    return program.argv("nft-count")


def parse_count(output: CommandOutput) -> int:
    """Rules in kube-proxy's table, the elements of its maps apart."""
    text = succeeded(TOOL.name, output)
    if not text.endswith(" end\n"):
        raise ToolError(say("rules_not_counted", said=complaint(output)))
    return whole(TOOL.name, text.removesuffix(" end\n"))


def change_argv(comment: str, times: int) -> tuple[str, ...]:
    """Add and delete one element of kube-proxy's map of Services, `times` times."""
    place = "element ip kube-proxy service-ips"
    added = f'add {place} {{ {_HARMLESS_KEY} comment "{comment}" : drop }}'
    deleted = f"delete {place} {{ {_HARMLESS_KEY} }}"
    return timed.argv([("nft", added), ("nft", deleted)], times)
