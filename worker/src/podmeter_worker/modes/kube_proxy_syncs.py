"""Whether kube-proxy on a node is writing its rules just now, or has lost a sync: its own metrics.

Every sync that ends is counted, and only one that succeeds sets the time of the last one
(pkg/proxy/*/proxier.go). So none that ended is a first sync under way, and one that ended while the
time of the last success stays is lost: kube-proxy 1.34 announces a retry that does not come.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput
    from podmeter_worker.kube.node_shells import NodeShell

_PREFIX = "kubeproxy_sync_proxy_rules"
#: $1 is kube-proxy's port. All of its metrics are some 100 KB.
_SCRIPT = f"""
set -o pipefail
curl -sS --max-time 10 "http://127.0.0.1:$1/metrics" |
  grep -E '^{_PREFIX}_(duration_seconds_count|last_timestamp_seconds|last_queued_timestamp_seconds)'
echo end
"""
#: Since 1.34 each IP family has its own; Podmeter measures IPv4.
_LINE = re.compile(rf'{_PREFIX}_(\w+?)(?:_seconds)?(_count)?(?:{{ip_family="(IPv\d)"}})? (\S+)')


class Syncing(StrEnum):
    """What kube-proxy does about its rules, as far as its metrics tell.

    It writes them for the first time, or again after a change; it has lost a sync, or done all.
    """

    FIRST = "first"
    AGAIN = "again"
    LOST = "lost"
    DONE = "done"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Syncs:
    """How many syncs have ended, when the last one succeeded, and when one was asked for last."""

    ended: int
    succeeded: float
    queued: float

    def since(self, before: Syncs | None) -> Syncing:
        """What it does now; `before` is an earlier look at the same process."""
        if self.ended == 0:
            return Syncing.FIRST
        if self.succeeded == 0.0:
            return Syncing.LOST
        if self.queued <= self.succeeded:
            return Syncing.DONE
        failed = (
            before is not None
            and before.succeeded == self.succeeded
            and before.queued > before.succeeded
            and before.ended < self.ended
        )
        return Syncing.LOST if failed else Syncing.AGAIN


@dataclass(slots=True)
class SyncLooks:
    """Looks at the kube-proxies of several nodes, again and again, on one port."""

    port: int
    _first: dict[str, Syncs] = field(default_factory=dict)

    def at(self, shell: NodeShell) -> Syncing:
        """What kube-proxy on a node does; unknown where it does not tell."""
        now = parse(shell.run(argv(self.port)))
        if now is None:
            return Syncing.UNKNOWN
        first = self._first.get(shell.node)
        if first is None or first.succeeded != now.succeeded or now.ended < first.ended:
            # Another success, or another process.
            first = self._first[shell.node] = now
        return now.since(first)


def argv(port: int) -> tuple[str, ...]:
    """The command that reads the metrics of the kube-proxy at this port."""
    return ("bash", "-c", _SCRIPT, "bash", str(port))


def parse(output: CommandOutput) -> Syncs | None:
    """What the metrics say; None where they were not read, or do not say it."""
    if output.exit_code != 0 or not output.stdout.endswith("end\n"):
        return None
    found: dict[str, dict[str, float]] = {}
    for line in output.stdout.splitlines():
        if (read := _LINE.fullmatch(line)) is not None:
            name, _, family, value = read.groups()
            try:
                found.setdefault(name, {})[family or ""] = float(value)
            except ValueError:
                return None

    def of(name: str) -> float:
        by_family = found.get(name, {})
        return by_family.get("IPv4", by_family.get("", 0.0))

    # A version that does not tell when one was asked for tells nothing of what is under way.
    if "last_queued_timestamp" not in found:
        return None
    return Syncs(int(of("duration")), of("last_timestamp"), of("last_queued_timestamp"))
