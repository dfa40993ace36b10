"""Waiting until a switch has taken effect."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from podmeter.domain.errors import ConvergenceError, PermanentError, PodmeterError
from podmeter.domain.messages import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter_worker.modes.switcher import SwitchContext

_POLL_SECONDS = 0.2
#: What takes longer than a moment is said, and then so often.
_SAID_SECONDS = 30.0


def is_right(look: Callable[[], str | None]) -> bool:
    """Whether `look` finds nothing wrong, and nothing that fits no mode.

    Raises where it could not look: that is no reason to restart a network.
    """
    try:
        return look() is None
    except PermanentError:
        return False


def wait_until_right(
    context: SwitchContext, what: str, look: Callable[[], str | None], deadline_seconds: float
) -> None:
    """Wait until `look` finds nothing wrong any more; it says what, or raises, until then.

    The nodes are left at least half of their time: among thousands of Services a look takes seconds
    of a slow one, and what is waited for is done by the same CPUs.

    Raises ConvergenceError with what was wrong last.
    """
    deadline = time.monotonic() + deadline_seconds
    said_at = time.monotonic()
    while True:
        context.check()
        begun = time.monotonic()
        try:
            wrong = look()
        except PodmeterError as error:
            wrong = error.said
        if wrong is None:
            return
        now = time.monotonic()
        if now > deadline:
            raise ConvergenceError(
                say("still_not_for", seconds=deadline_seconds, what=what, wrong=wrong)
            )
        if now - said_at > _SAID_SECONDS:
            said_at, left = now, round(deadline - now)
            context.progress(say("step_waits", what=what, wrong=wrong, seconds=left))
        time.sleep(max(_POLL_SECONDS, now - begun))
