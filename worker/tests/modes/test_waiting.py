"""Waiting for a switch leaves the nodes time to do it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from podmeter.domain.errors import ConvergenceError, LabError, PreconditionError
from podmeter_worker.modes import waiting
from podmeter_worker.modes.switcher import SwitchContext

SITE = cast(SwitchContext, SimpleNamespace(check=lambda: None))


class Clock:
    """Time that passes while it is slept, and while somebody looks."""

    def __init__(self) -> None:
        self.now, self.slept = 100.0, list[float]()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def looks(self, *seconds: float) -> Callable[[], str | None]:
        """Looks that take so long; the last of them finds nothing wrong."""
        left = list(seconds)

        def look() -> str | None:
            self.now += left.pop(0)
            return "not yet" if left else None

        return look


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(waiting, "time", cast(Any, made))
    return made


def test_a_quick_node_is_looked_at_often_and_a_slow_one_half_of_the_time(clock: Clock) -> None:
    waiting.wait_until_right(SITE, "it", clock.looks(0.05, 0.05, 3.0, 0.05), 60)
    assert clock.slept == [0.2, 0.2, 3.0]


def test_what_stays_wrong_is_told_after_the_deadline(clock: Clock) -> None:
    with pytest.raises(ConvergenceError, match="not yet"):
        waiting.wait_until_right(SITE, "it", clock.looks(*[1.0] * 20), 8)
    assert clock.now <= 100 + 8 + 2


def test_what_cannot_be_seen_is_not_taken_for_wrong() -> None:
    """Where something is wrong a network is restarted."""

    def failing(error: Exception) -> Callable[[], str | None]:
        def look() -> str | None:
            raise error

        return look

    assert waiting.is_right(lambda: None)
    assert not waiting.is_right(lambda: "through eth0")
    assert not waiting.is_right(failing(PreconditionError("through two devices")))
    with pytest.raises(LabError):
        waiting.is_right(failing(LabError("the API server could not be reached")))
