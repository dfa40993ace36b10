"""The run's writes: each one transaction, tried again while the database is away."""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podmeter.db.session import is_away
from podmeter.services.work import Work, work_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from podmeter.db.session import Sessions
    from podmeter.jobs import Queue

logger = logging.getLogger(__name__)
T = TypeVar("T")

#: A run waits this long for its database: a failover takes seconds, and a full disk takes the time
#: until somebody has seen it and made room.
PATIENCE_SECONDS = 1800.0
_PAUSE_SECONDS = 0.5


def _never() -> bool:
    return False


class Database:
    """Opens units of work. What runs in one may run again, so it reads before it writes."""

    def __init__(
        self, sessions: Sessions, queue: Queue, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self.sessions = sessions
        self.queue = queue
        self._patience = patience_seconds
        self._away_at = -math.inf

    def was_away(self, within: timedelta) -> bool:
        """Whether it could not be used lately: others could not prolong their leases then."""
        return time.monotonic() < self._away_at + within.total_seconds()

    def once(self, body: Callable[[Work], T]) -> T:
        """One unit of work, not tried again."""
        try:
            with work_with(self.sessions, self.queue) as work:
                return body(work)
        except DBAPIError as error:
            if is_away(error):
                self._away_at = time.monotonic()
            raise

    def write(self, body: Callable[[Work], T], *, stopping: Callable[[], bool] = _never) -> T:
        """One unit of work. Raises what `body` raises, and the database's error in the end.

        Once `stopping` it is not tried again: for what another worker can do as well, later.
        """
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return self.once(body)
            except (DBAPIError, PoolTimeoutError) as error:
                if not is_away(error) or stopping() or time.monotonic() > deadline:
                    raise
                logger.warning("the database is away; trying again")
                time.sleep(_PAUSE_SECONDS)
