"""Keeping a run's lease while it is worked on, and noticing that it must stop."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from podmeter.db.session import is_away
from podmeter.logs import carrying
from podmeter.services.errors import FencedError, NotFoundError
from podmeter.services.runs import lifecycle
from podmeter_worker.kube.clock import clock
from podmeter_worker.runner.stop import Why

if TYPE_CHECKING:
    from datetime import timedelta

    from podmeter.services.runs.lifecycle import RunHold
    from podmeter_worker.runner.database import Database
    from podmeter_worker.runner.stop import Stop
    from podmeter_worker.runner.write_deadline import WriteDeadline

logger = logging.getLogger(__name__)

#: How soon a cancel is noticed at the latest.
_BEAT_SECONDS = 1.0


class Heartbeat:
    """A thread that beats until the context is left.

    A database that is away is asked again: only a worker that took the run ends our hold on it,
    and every write is fenced. `leash` is renewed by each beat that reached the database; `stopping`
    tells whether this worker is being shut down.
    """

    def __init__(
        self,
        database: Database,
        run_hold: RunHold,
        lease: timedelta,
        leash: WriteDeadline,
        stop: Stop,
    ) -> None:
        self._database, self._run_hold, self._lease = database, run_hold, lease
        self._leash, self._stop = leash, stop
        self._failing = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=carrying(self._beat), name="heartbeat", daemon=True)

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
            if self._database.stopping():
                self._stop.ask(Why.WORKER_STOPS)

    def _renew(self) -> None:
        asked_at = clock()
        try:
            pulse = self._database.once(
                lambda work: lifecycle.beat(work, self._run_hold, self._lease)
            )
        except (FencedError, NotFoundError):
            self._stop.ask(Why.LOST)
        except Exception as error:
            # Whatever it is, the next beat may succeed; without beats the run would be lost.
            if not self._failing:
                bug = None if is_away(error) else error
                logger.warning("run %s: heartbeats fail", self._run_hold.run_id, exc_info=bug)
            self._failing = True
        else:
            self._leash.renewed(asked_at)
            if self._failing:
                logger.warning("run %s: heartbeats succeed again", self._run_hold.run_id)
            self._failing = False
            if pulse.cancel_requested:
                self._stop.ask(Why.CANCELLED)
