"""What it takes to add and to delete one rule, whatever the backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import timed

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput


@dataclass(frozen=True, slots=True)
class Change:
    """One rule added and deleted: seconds each, the waits for a lock apart."""

    add: float
    delete: float
    lock_waits: tuple[float, float]


def parse(output: CommandOutput, times: int) -> tuple[Change, ...]:
    """All pairs of a backend's `change_argv`; ToolError if any of the commands failed."""
    timings = timed.parse(output, 2 * times)
    for timing in timings:
        if timing.exit_code != 0:
            said = output.stderr.strip() or timing.stdout.strip()
            raise ToolError(say("rule_unchanged", exit_code=timing.exit_code, said=said[-500:]))
    return tuple(
        Change(added.seconds, deleted.seconds, (added.lock_seconds, deleted.lock_seconds))
        for added, deleted in zip(timings[::2], timings[1::2], strict=True)
    )
