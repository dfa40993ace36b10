"""The bridges that a node's pods are on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from podmeter.drivers.reading import succeeded

if TYPE_CHECKING:
    from podmeter_worker.kube.node_shells import NodeShell

#: The MTU of the bridge $1, and of each pod's end on the node; a pod may go while they are read.
_SCRIPT = (
    'cd "/sys/class/net/$1" 2>/dev/null || exit 0; cat mtu; for one in brif/*; do '
    'cat "/sys/class/net/${one##*/}/mtu" 2>/dev/null; done; true'
)


class Mtus(NamedTuple):
    """MTUs in bytes: the bridge's, 0 where a node has none, and those of its ports."""

    bridge: int
    ports: frozenset[int]


def argv(bridge: str) -> tuple[str, ...]:
    """Ask for the MTUs, on the node."""
    return ("sh", "-c", _SCRIPT, "sh", bridge)


def mtus(shell: NodeShell, bridge: str) -> Mtus:
    """The MTUs of a node's bridge and of the ports that pods have on it."""
    said = [int(text) for text in succeeded("cat", shell.run(argv(bridge))).split()]
    return Mtus(said[0], frozenset(said[1:])) if said else Mtus(0, frozenset())
