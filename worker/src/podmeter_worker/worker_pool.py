"""Threads that do things beside each other, so that none waits for a slow one, and fairly."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from podmeter.logs import bind

logger = logging.getLogger(__name__)

#: Something that failed is left alone for so long, then for twice as long, and so on.
_FIRST_PAUSE, _LONGEST_PAUSE = 10.0, 600.0


@dataclass(frozen=True)
class _Item:
    owner: Hashable
    key: Hashable
    body: Callable[[], object]


class WorkerPool:
    """At most `most` threads at a time, and of them `most_each` for one owner.

    The organization with the fewest running jobs is next, then the one waiting longest.
    """

    def __init__(self, most: int, most_each: int | None = None) -> None:
        self._most, self._most_each = most, most_each or most
        self._changed = threading.Condition()
        self._waiting: list[_Item] = []
        self._known: set[Hashable] = set()
        self._at_work: Counter[Hashable] = Counter()
        self._failed: dict[Hashable, tuple[int, float]] = {}
        self._closed = False

    def ask(self, owner: Hashable, key: Hashable, body: Callable[[], object]) -> bool:
        """Have `body` called soon; False where `key` waits, is worked on, or failed just now."""
        with self._changed:
            later = self._failed.get(key, (0, 0.0))[1]
            if self._closed or key in self._known or time.monotonic() < later:
                return False
            self._known.add(key)
            self._waiting.append(_Item(owner, key, body))
            self._start()
        return True

    def wait(self) -> None:
        """Until nothing is left to do."""
        with self._changed:
            self._changed.wait_for(lambda: not self._known)

    def close(self) -> None:
        """Start nothing new; running work continues."""
        with self._changed:
            self._closed = True
            self._known -= {item.key for item in self._waiting}
            self._waiting.clear()
            self._changed.notify_all()

    def _start(self) -> None:
        while self._at_work.total() < self._most:
            free = [one for one in self._waiting if self._at_work[one.owner] < self._most_each]
            if not free:
                return
            item = min(free, key=lambda one: self._at_work[one.owner])
            self._waiting.remove(item)
            self._at_work[item.owner] += 1
            threading.Thread(target=self._work, args=(item,), name=f"crew {item.key}").start()

    def _work(self, item: _Item) -> None:
        fault = False
        bind(work=item.key)  # for the thread, which ends with it
        try:
            item.body()
        except Exception:
            fault = True
            logger.exception("%s failed", item.key)
        finally:
            with self._changed:
                self._remember(item.key, fault)
                self._known.discard(item.key)
                self._at_work[item.owner] -= 1
                self._at_work += Counter()  # owners of nothing are forgotten
                self._start()
                self._changed.notify_all()

    def _remember(self, key: Hashable, fault: bool) -> None:
        if not fault:
            self._failed.pop(key, None)
            return
        times = self._failed.get(key, (0, 0.0))[0]
        pause = min(_FIRST_PAUSE * 2 ** min(times, 10), _LONGEST_PAUSE)
        self._failed[key] = (times + 1, time.monotonic() + pause)
