"""The run's writes: each one transaction, tried again while the database is away."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podmeter.db.session import is_away
from podmeter.services.work import Work, work_with

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.db.session import Sessions
    from podmeter.jobs import Queue

logger = logging.getLogger(__name__)
T = TypeVar("T")

#: A database is away this long during a restart or a failover; no longer is waited.
PATIENCE_SECONDS = 120.0
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

    def once(self, body: Callable[[Work], T]) -> T:
        """One unit of work, not tried again."""
        with work_with(self.sessions, self.queue) as work:
            return body(work)

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
