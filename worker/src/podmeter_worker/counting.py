"""Counting what this process does: noted at once, written to Redis now and then."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter

import redis

from podmeter.stack import counts
from podmeter.stack.counts import Count, Counted

logger = logging.getLogger(__name__)

_PAUSE_SECONDS = 2.0
_PATIENCE_SECONDS = 2.0


class Tally:
    """Never waits for Redis: what cannot be written is written later, or lost with the process."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._noted: Counter[Counted] = Counter()

    def note(self, what: Count, how: str) -> None:
        """Count one more."""
        with self._mutex:
            self._noted[what, how] += 1

    def begin(self, redis_url: str) -> None:
        """Write what is noted from now on, in a thread of this process."""
        timeouts = {
            "socket_timeout": _PATIENCE_SECONDS,
            "socket_connect_timeout": _PATIENCE_SECONDS,
        }
        client = redis.Redis.from_url(redis_url, **timeouts)
        threading.Thread(target=self._go_on, args=(client,), name="tally", daemon=True).start()

    def write(self, client: redis.Redis) -> None:
        """Write what was noted since; it stays noted where Redis is away."""
        with self._mutex:
            noted, self._noted = self._noted, Counter()
        for one, number in noted.items():
            try:
                counts.add(client, {one: number})
            except redis.RedisError as error:
                logger.debug("not counted yet: %s", error)
                with self._mutex:
                    self._noted[one] += number

    def _go_on(self, client: redis.Redis) -> None:
        while True:
            time.sleep(_PAUSE_SECONDS)
            self.write(client)


#: Of this process.
tally = Tally()
