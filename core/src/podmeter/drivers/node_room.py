"""What a node has left: memory, disk, and room for tracked connections.

A pod sees its node's memory, and by its own root the filesystem that the node's containers are on.
Connection tracking is that of the network it is in: the node's own in a pod on the node's network.
"""

from __future__ import annotations

import re

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.domain.ports import Access, CommandOutput
from podmeter.domain.safety import NodeRoom
from podmeter.drivers import bundle, program
from podmeter.drivers.reading import complaint, succeeded, whole

_TOOL = "node room"
_MEMORY, _COUNT, _LIMIT = (
    "/proc/meminfo",
    "/proc/sys/net/netfilter/nf_conntrack_count",
    "/proc/sys/net/netfilter/nf_conntrack_max",
)
#: The size of a block, and how many there are and are available, of the filesystem of `/`.
_DISK_ARGV = ("stat", "--file-system", "--format=%S %b %a", "/")
ARGV = bundle.argv([program.argv("print-files", _MEMORY, _COUNT, _LIMIT), _DISK_ARGV])


def parse(output: CommandOutput, access: Access) -> NodeRoom:
    """What the node of a place with such access has left. ToolError where it was not read whole."""
    files, disk = bundle.parse(output, 2)
    text = succeeded(_TOOL, files)
    if not text.endswith("== end\n"):
        raise ToolError(say("counters_cut", said=complaint(files)))
    on_node = access in (Access.HOST, Access.HOST_ADMIN)
    words = succeeded(_TOOL, disk).split()
    if len(words) != 3:
        raise ToolError(say("not_counters", said=complaint(disk)))
    size, blocks, available = (whole(_TOOL, word) for word in words)
    return NodeRoom(
        memory_total=_kibibytes(text, "MemTotal"),
        memory_available=_kibibytes(text, "MemAvailable"),
        disk_total=size * blocks,
        disk_available=size * available,
        conntrack_entries=_only_line(text, _COUNT) if on_node else None,
        conntrack_limit=_only_line(text, _LIMIT) if on_node else None,
    )


def _kibibytes(text: str, name: str) -> int:
    found = re.search(rf"^{name}: +([0-9]+) kB$", text, re.MULTILINE)
    if found is None:
        raise ToolError(say("not_counters", said=f"{_MEMORY}: {name}"))
    return 1024 * whole(_TOOL, found[1])


def _only_line(text: str, path: str) -> int | None:
    found = re.search(rf"^== {re.escape(path)}\n(.*)\n==", text, re.MULTILINE)
    return None if found is None else whole(_TOOL, found[1])
