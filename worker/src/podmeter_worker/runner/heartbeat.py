"""Keeping a run's lease while it is worked on, and noticing that it must stop."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from podmeter.services.errors import FencedError, NotFoundError
from podmeter.services.runs import lifecycle
from podmeter_worker.runner.stop import Why

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from podmeter.services.runs.lifecycle import RunHold
    from podmeter_worker.runner.database import Database
    from podmeter_worker.runner.stop import Stop

logger = logging.getLogger(__name__)

#: How soon a cancel is noticed at the latest.
_BEAT_SECONDS = 1.0


class Heartbeat:
    """A thread that beats until the context is left.

    A database that is away is asked again: only a worker that took the run ends our hold on it,
    and every write is fenced. `stopping` tells whether this worker is being shut down.
    """

    def __init__(
        self,
        database: Database,
        run_hold: RunHold,
        lease: timedelta,
        stop: Stop,
        stopping: Callable[[], bool],
    ) -> None:
        self._ledger, self._grip, self._lease = database, run_hold, lease
        self._stop, self._stopping = stop, stopping
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        interval = min(_BEAT_SECONDS, self._lease.total_seconds() / 3)
        while not self._over.wait(interval):
            self._renew()
            if self._stopping():
                self._stop.ask(Why.WORKER_STOPS)

    def _renew(self) -> None:
        try:
            pulse = self._ledger.once(lambda work: lifecycle.beat(work, self._grip, self._lease))
        except (FencedError, NotFoundError):
            self._stop.ask(Why.LOST)
        except Exception:
            # Whatever it is, the next beat may succeed; without beats the run would be lost.
            logger.warning("run %s: a heartbeat failed", self._grip.run_id, exc_info=True)
        else:
            if pulse.cancel_requested:
                self._stop.ask(Why.CANCELLED)
