"""How long a worker may still change a cluster: less long than its lease on the run, by far.

A worker that was stopped, or whose machine was, does not know that another one has taken its run.
Its own clock tells it that this may be so.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from podmeter.domain.messages import say
from podmeter.services.errors import FencedError
from podmeter_worker.kube.clock import clock
from podmeter_worker.runner.database import PATIENCE_SECONDS

if TYPE_CHECKING:
    from datetime import timedelta

    from podmeter_worker.runner.stop import Stop

#: What the way of a request to the API server may take, in parts of the lease.
_MARGIN = 1 / 5
_WOKEN_SECONDS = 10.0
_LOOK_SECONDS = 0.1


class WriteDeadline:
    """The lease counts from `asked_at`, before the request. Safe to use from several threads."""

    def __init__(self, lease: timedelta, stop: Stop, asked_at: float) -> None:
        self._seconds = lease.total_seconds() * (1 - _MARGIN)
        self._stop = stop
        self._until = asked_at + self._seconds
        self._renewed = threading.Condition()
        #: How long anything had to wait here, in all.
        self.waited_seconds = 0.0
        self._waiting, self._waiting_since = 0, 0.0

    def renewed(self, asked_at: float) -> None:
        """The lease was renewed, as of this moment."""
        with self._renewed:
            self._until = max(self._until, asked_at + self._seconds)
            self._renewed.notify_all()

    def require(self) -> None:
        """Return while the run is certainly ours; past that, wait until a heartbeat says so again.

        A database that is away may come back, and with it the lease. Raises FencedError when the
        heartbeat says that the run is another worker's, or nothing for long.
        """
        with self._renewed:
            if clock() >= self._until:
                self._wait()
            if not self._stop.lost.is_set() and clock() < self._until:
                return
        raise FencedError(say("run_taken"))

    def _wait(self) -> None:
        # A machine that was asleep is given the time of a few heartbeats.
        deadline = max(self._until + PATIENCE_SECONDS, clock() + _WOKEN_SECONDS)
        if not self._waiting:
            self._waiting_since = clock()
        self._waiting += 1
        try:
            while not self._stop.lost.is_set() and self._until <= clock() < deadline:
                self._renewed.wait(_LOOK_SECONDS)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self.waited_seconds += clock() - self._waiting_since
