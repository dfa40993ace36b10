"""Whether kube-proxy on a node is writing its rules: its own metrics tell, over several looks.

They count syncs that have ended, and say when a change was queued. So a sync is in progress or
about to begin while none has ended, and after a change was queued until one that began later has
ended. The first sync is not run by the queue, and kube-proxy 1.34 announces a retry of it that does
not come: once that has failed, it is lost. Later ones are retried after the sync period
(pkg/proxy/runner/bounded_frequency_runner.go).

Before 1.33 the metrics are those of both IP families together, which sync at the same time after
their first syncs: one that ends at once may be IPv6's, while IPv4 still writes. Whether a node has
IPv6 at all does not show. So after a change the other family's sync is waited for as long as one
may take by those that have ended.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.drivers import kube_proxy

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput
    from podmeter.drivers.kube_proxy import ProxyMetrics
    from podmeter_worker.kube.node_shells import NodeShell

#: kube-proxy's default sync period, after which it retries.
RETRY_SECONDS = 30.0
#: A kube-proxy that tells nothing in so many looks in a row, over so long, is silent.
_SILENT_LOOKS, _SILENT_SECONDS = 3, 30.0
#: Where families are counted together, the other one's sync may take so many times as long as all
#: syncs so far, which have a full one among them; and so much longer.
_OTHER_TIMES, _OTHER_SECONDS = 2, 30.0


class Syncing(StrEnum):
    """What kube-proxy does about its rules.

    first: it writes them, and has not succeeded yet, whichever of its syncs this is; again: it has
    written them before, and writes changes; lost: no sync has succeeded and none is to come; done:
    it has written them. Unknown where it does not tell, silent after a while of that.
    """

    FIRST = "first"
    AGAIN = "again"
    LOST = "lost"
    DONE = "done"
    UNKNOWN = "unknown"
    SILENT = "silent"


_WRITING = frozenset({Syncing.FIRST, Syncing.AGAIN})
#: It writes, or may: a restart would discard its work, and a nudge have it sync once more.
BUSY = _WRITING | {Syncing.UNKNOWN}


@dataclass(frozen=True, slots=True)
class SyncMark:
    """A moment in the life of a process: so many syncs had ended.

    Where families are counted together, one that ends before `other_until` may be the other's.
    """

    started: float
    syncs: int
    other_until: float


class SyncWatch:
    """What the kube-proxy of one node does, as far as the looks at its metrics show it.

    What is uncertain by a first look is known by later ones.
    """

    def __init__(self, retry_seconds: float = RETRY_SECONDS) -> None:
        self._retry_seconds = retry_seconds
        self._seen: ProxyMetrics | None = None
        self._looked_at = -math.inf
        #: Not before this was the last change queued.
        self._queued_after = -math.inf
        #: Not before this did a sync fail, which was the last one; None where it succeeded.
        self._failed_after: float | None = None
        self._is_due = False
        #: Until then a sync of the other family may be in progress, where that does not show.
        self._other_until = -math.inf
        self._state = Syncing.UNKNOWN
        #: Looks in a row that told nothing, and when the first of them began.
        self._untold, self._untold_since = 0, 0.0

    def look(self, shell: NodeShell, port: int) -> Syncing:
        """What it does now, as it tells at this port."""
        begun = time.monotonic()
        output = shell.run(kube_proxy.argv(port))
        return self.read(output, begun, time.monotonic())

    def read(self, output: CommandOutput, begun: float, ended: float) -> Syncing:
        """What the metrics say that were read between two moments of the worker's clock.

        On a busy node kube-proxy may not answer in time, so one that was writing still is if it
        does not tell, unless it is down.
        """
        try:
            now = kube_proxy.parse(output)
        except ToolError:
            if self._state not in _WRITING or kube_proxy.is_down(output):
                self._state = self._untold_state(begun, ended)
            return self._state
        self._untold = 0
        self._note(now, ended)
        self._seen, self._looked_at = now, begun
        if self._is_due or self._is_retried(now, ended) or ended < self._other_until:
            self._state = Syncing.AGAIN if now.has_succeeded else Syncing.FIRST
        else:
            self._state = Syncing.DONE if now.has_succeeded else Syncing.LOST
        return self._state

    def mark(self) -> SyncMark | None:
        """The moment of the last look that told something."""
        if self._seen is None:
            return None
        other_until = self._other_until_after(self._seen, self._looked_at)
        return SyncMark(self._seen.started, self._seen.syncs, other_until)

    def has_synced_since(self, mark: SyncMark) -> bool:
        """Whether the process of the mark has ended a sync since, by the last look."""
        now = self.mark()
        return (
            now is not None
            and now.started == mark.started
            and now.syncs > mark.syncs
            and self._looked_at >= mark.other_until
        )

    def _untold_state(self, begun: float, ended: float) -> Syncing:
        if not self._untold:
            self._untold_since = begun
        self._untold += 1
        is_silent = ended - self._untold_since >= _SILENT_SECONDS
        return Syncing.SILENT if is_silent and self._untold >= _SILENT_LOOKS else Syncing.UNKNOWN

    def _note(self, now: ProxyMetrics, ended: float) -> None:
        seen = self._seen
        if seen is None or seen.started != now.started:
            self._queued_after, self._failed_after = -math.inf, None
            self._is_due = now.syncs == 0 or (now.has_succeeded and not now.is_idle)
            self._other_until = -math.inf
            if now.syncs == 1:
                self._other_until = self._other_until_after(now, ended)
            return
        is_queued = now.queued_at != seen.queued_at
        if is_queued:
            self._queued_after = self._looked_at
        if is_queued or (seen.syncs == 0 and now.syncs > 0):
            self._other_until = self._other_until_after(now, ended)
        if now.syncs == seen.syncs:
            self._is_due = self._is_due or is_queued
            return
        has_failed = now.succeeded_at == seen.succeeded_at
        self._failed_after = self._looked_at if has_failed else None
        # A change that was queued after a sync had begun is for the next one.
        alone = now.syncs == seen.syncs + 1
        latest_begin = ended - (now.sync_seconds - seen.sync_seconds if alone else 0.0)
        left = now.has_succeeded and not has_failed and not now.is_idle
        self._is_due = left or self._queued_after >= latest_begin

    def _other_until_after(self, now: ProxyMetrics, looked_at: float) -> float:
        if now.families_apart:
            return -math.inf
        return looked_at + _OTHER_TIMES * now.sync_seconds + _OTHER_SECONDS

    def _is_retried(self, now: ProxyMetrics, ended: float) -> bool:
        """Whether the queue runs a failed sync again, as far as shows."""
        failed = self._failed_after
        return failed is not None and now.syncs > 1 and ended >= failed + self._retry_seconds
