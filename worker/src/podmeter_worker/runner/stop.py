"""Why a run must stop before its end, noticed by the heartbeat and obeyed everywhere."""

from __future__ import annotations

import threading
from enum import StrEnum


class Why(StrEnum):
    """What ends a run early."""

    CANCELLED = "cancelled"
    WORKER_STOPS = "worker_stops"
    CLUSTER_LOST = "cluster_lost"
    LOST = "lost"


class Stop:
    """The first reason counts, except that `LOST` outweighs the others.

    `asked` ends what measures. `lost` ends cleaning too: another worker has the run now, and
    nothing may be touched any more.
    """

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.lost = threading.Event()
        self._lock = threading.Lock()
        self._why: Why | None = None

    @property
    def why(self) -> Why | None:
        """The reason, None while there is none."""
        return self._why

    def ask(self, why: Why) -> None:
        """End the run."""
        with self._lock:
            if self._why is None or why is Why.LOST:
                self._why = why
        if why is Why.LOST:
            self.lost.set()
        self.asked.set()
