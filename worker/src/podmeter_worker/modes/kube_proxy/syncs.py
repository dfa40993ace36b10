"""Whether kube-proxy on a node is writing its rules for the first time: its own metrics tell.

None that ended is a first sync in progress, or about to begin; and one that ended without a success
is lost: kube-proxy 1.34 announces a retry that does not come.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.drivers import kube_proxy

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput
    from podmeter_worker.kube.node_shells import NodeShell


class Syncing(StrEnum):
    """What kube-proxy does about its rules: it writes them for the first time, has lost that sync,
    or has written them; unknown where it does not tell.
    """

    FIRST = "first"
    LOST = "lost"
    DONE = "done"
    UNKNOWN = "unknown"


def syncing(shell: NodeShell, port: int) -> Syncing:
    """What the kube-proxy of a node does, which tells it at this port."""
    return parse(shell.run(kube_proxy.argv(port)))


def parse(output: CommandOutput) -> Syncing:
    """What the metrics say."""
    try:
        told = kube_proxy.parse(output)
    except ToolError:
        return Syncing.UNKNOWN
    if told.syncs == 0:
        return Syncing.FIRST
    return Syncing.DONE if told.has_succeeded else Syncing.LOST
