"""What is done every few seconds is done again, whatever happens to it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from podmeter_worker.repeating import Repeating

#: Of anything that should take no time.
DEADLINE = 60.0
#: Longer than any test.
NEVER = 3600.0


class Counted:
    """How often it was done."""

    def __init__(self, then: Callable[[int], None] = lambda number: None) -> None:
        self.number, self._then = 0, then
        self._changed = threading.Condition()

    def __call__(self) -> None:
        with self._changed:
            self.number += 1
            self._changed.notify_all()
        self._then(self.number)

    def reaches(self, number: int) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self.number >= number, DEADLINE)


def test_it_is_done_at_once_and_again_though_it_fails() -> None:
    def fail(number: int) -> None:
        raise ConnectionError("the broker is away")

    counted = Counted(fail)
    repeating = Repeating("counting", counted, 0.01)
    repeating.start()
    assert counted.reaches(3)
    repeating.stop()


def test_it_is_done_as_soon_as_it_is_woken() -> None:
    counted = Counted()
    repeating = Repeating("counting", counted, NEVER)
    repeating.start()
    assert counted.reaches(1)
    repeating.wake()
    assert counted.reaches(2)
    repeating.stop()


def test_it_is_done_once_more_if_it_is_woken_meanwhile() -> None:
    """What came up since it looked would be missed otherwise."""
    woken = threading.Event()
    counted = Counted(lambda number: None if number > 1 else assert_set(woken))
    repeating = Repeating("counting", counted, NEVER)
    repeating.start()
    assert counted.reaches(1)
    repeating.wake()
    woken.set()
    assert counted.reaches(2)
    repeating.stop()


def assert_set(event: threading.Event) -> None:
    assert event.wait(DEADLINE)


def test_once_it_is_stopped_nothing_more_is_done() -> None:
    going, counted = threading.Event(), Counted(lambda number: assert_set(going))
    repeating = Repeating("counting", counted, 0.0)
    repeating.start()
    assert counted.reaches(1)
    repeating.stop()
    going.set()
    repeating._thread.join(DEADLINE)
    assert not repeating._thread.is_alive()
    assert counted.number == 1
