"""Waiting for a condition, never for a fixed time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from podmeter.domain.errors import ConvergenceError
from podmeter.domain.messages import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.domain.ports import Lab

T = TypeVar("T")


def until(
    lab: Lab,
    what: str,
    condition: Callable[[], T | None],
    *,
    deadline_seconds: float,
    poll_seconds: float = 0.25,
) -> T:
    """Ask `condition` again and again until it gives something true, and return that.

    Raises ConvergenceError, saying what was waited for, once the deadline has passed, and
    RunCancelledError as soon as the run is cancelled.
    """
    deadline = lab.monotonic() + deadline_seconds
    while True:
        lab.check_cancelled()
        if answer := condition():
            return answer
        if lab.monotonic() >= deadline:
            raise ConvergenceError(say("still_not", seconds=deadline_seconds, what=what))
        lab.sleep(poll_seconds)


def steadily(lab: Lab, condition: Callable[[], bool], seconds: float) -> Callable[[], bool]:
    """A condition for `until`: that `condition` has held for so long, each time it was asked."""
    since: float | None = None

    def held() -> bool:
        nonlocal since
        if not condition():
            since = None
            return False
        if since is None:
            since = lab.monotonic()
        return lab.monotonic() - since >= seconds

    return held
