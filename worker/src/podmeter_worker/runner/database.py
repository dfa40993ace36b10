"""Units of work that are tried again while the database cannot be used."""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podmeter.db.session import is_away, is_conflict
from podmeter.services.work import Work, work_with

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.db.session import Sessions
    from podmeter.jobs import Queue

logger = logging.getLogger(__name__)
T = TypeVar("T")

#: A run waits this long for its database: a failover takes seconds, and a full disk takes the time
#: until somebody has seen it and made room.
PATIENCE_SECONDS = 1800.0
#: Once the worker is asked to end: what is left is done by the next one.
_STOPPING_SECONDS = 10.0
#: Transactions that were in each other's way.
_CONFLICT_SECONDS = 10.0
_PAUSE_SECONDS = 0.5
#: Without failures for so long a failure begins another outage.
_APART_SECONDS = 60.0
#: A write that takes this long waited for a disk that hangs, even if its first try succeeded. On a
#: busy machine one takes a second or two.
_SLOW_SECONDS = 5.0


def _never() -> bool:
    return False


class Database:
    """Opens units of work. What runs in one may run again, so it reads before it writes.

    `stopping` tells whether this worker is being shut down. Safe to use from several threads.
    """

    def __init__(
        self,
        sessions: Sessions,
        queue: Queue,
        stopping: Callable[[], bool] = _never,
    ) -> None:
        self.sessions = sessions
        self.queue = queue
        self.stopping = stopping
        #: How long anything here had to wait for the database, in all.
        self.waited_seconds = 0.0
        self._away_since: float | None = None
        self._failed_at = -math.inf
        self._stopping_since: float | None = None

    def once(self, body: Callable[[Work], T]) -> T:
        """One unit of work, not tried again."""
        try:
            with work_with(self.sessions, self.queue) as work:
                result = body(work)
        except (DBAPIError, PoolTimeoutError) as error:
            if is_away(error):
                at = time.monotonic()
                if self._away_since is None or at > self._failed_at + _APART_SECONDS:
                    self._away_since = at
                self._failed_at = at
            raise
        self._away_since = None
        return result

    def write(self, body: Callable[[Work], T]) -> T:
        """One unit of work. Raises what `body` raises, and the database's error in the end.

        Those who wait for the database one after the other wait as long as one alone.
        """
        begun = time.monotonic()
        failed = False
        while True:
            try:
                result = self.once(body)
            except (DBAPIError, PoolTimeoutError) as error:
                if time.monotonic() >= self._tried_until(error, begun):
                    raise
                logger.warning("the database is away; trying again")
                time.sleep(_PAUSE_SECONDS)
                failed = True
            else:
                took = time.monotonic() - begun
                if failed or took >= _SLOW_SECONDS:
                    self.waited_seconds += took
                return result

    def _tried_until(self, error: Exception, begun: float) -> float:
        """On the monotonic clock, until when a unit of work that began then is tried again."""
        if is_conflict(error):
            return begun + _CONFLICT_SECONDS
        if not is_away(error):
            return begun
        since = begun if self._away_since is None else min(begun, self._away_since)
        until = since + PATIENCE_SECONDS
        if not self.stopping():
            return until
        if self._stopping_since is None:
            self._stopping_since = time.monotonic()
        return min(until, max(begun, self._stopping_since) + _STOPPING_SECONDS)
