"""Whether kube-proxy on a node is writing its rules for the first time: its own metrics tell.

Every sync that ends is counted, and only one that succeeds sets the time of the last one
(pkg/proxy/*/proxier.go). So none that ended is a first sync under way, or about to begin; and one
that ended without a success is lost: kube-proxy 1.34 announces a retry that does not come.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput
    from podmeter_worker.kube.node_shells import NodeShell

_PREFIX = "kubeproxy_sync_proxy_rules"
#: $1 is kube-proxy's port. All of its metrics are some 100 KB.
_SCRIPT = f"""
metrics=$(curl -sSf --max-time 10 "http://127.0.0.1:$1/metrics") || exit 1
printf '%s\\n' "$metrics" | grep -E '^{_PREFIX}_(duration_seconds_count|last_timestamp_seconds)'
echo end
"""
#: Since 1.33 each IP family has its own; Podmeter measures IPv4.
_LINE = re.compile(
    rf'{_PREFIX}_(duration_seconds_count|last_timestamp_seconds)(?:{{ip_family="(IPv\d)"}})? (\S+)'
)


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
    return parse(shell.run(argv(port)))


def argv(port: int) -> tuple[str, ...]:
    """The command that reads the metrics of the kube-proxy at this port."""
    return ("bash", "-c", _SCRIPT, "bash", str(port))


def parse(output: CommandOutput) -> Syncing:
    """What the metrics say. A series is not there before it was first set."""
    if output.exit_code != 0 or not output.stdout.endswith("end\n"):
        return Syncing.UNKNOWN
    found: dict[str, dict[str, float]] = {}
    for line in output.stdout.splitlines():
        if (read := _LINE.fullmatch(line)) is not None:
            name, family, value = read.groups()
            try:
                found.setdefault(name, {})[family or ""] = float(value)
            except ValueError:
                return Syncing.UNKNOWN

    def of(name: str) -> float:
        by_family = found.get(name, {})
        return by_family.get("IPv4", by_family.get("", 0.0))

    if of("duration_seconds_count") == 0:
        return Syncing.FIRST
    return Syncing.DONE if of("last_timestamp_seconds") > 0 else Syncing.LOST
