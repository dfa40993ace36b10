"""Runs commands in turn, several times, each timed by the monotonic clock where it runs.

For what is too short to be timed from outside: one curl process, one rule added. The program may
take a lock first, and tells the wait for it apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers import program
from podmeter.drivers.reading import WHOLE, framed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter.domain.ports import CommandOutput

_TOOL = "timed"
_NEXT = "::next::"

_HEAD = rf"run ({WHOLE}) ({WHOLE}\.[0-9]{{9}}) ({WHOLE}\.[0-9]{{9}}) ({WHOLE})"


@dataclass(frozen=True, slots=True)
class Timing:
    """One execution: how it ended, its own seconds, seconds waited for the lock, what it said."""

    exit_code: int
    seconds: float
    lock_seconds: float
    stdout: str


def argv(commands: Sequence[Sequence[str]], times: int, lock: str | None = None) -> tuple[str, ...]:
    """Run the commands in turn, `times` times over, each while holding `lock` if there is one."""
    joined: list[str] = []
    for command in commands:
        joined += [_NEXT, *command] if joined else command
    return program.argv(_TOOL, lock or "-", str(times), *joined)


def parse(output: CommandOutput, expected: int) -> tuple[Timing, ...]:
    """All `expected` executions, in order; their exit codes are the caller's to judge.

    Raises ToolError when a command could not be started or what it printed is not whole.
    """
    timings = tuple(
        Timing(int(head[1]), float(head[2]), float(head[3]), said)
        for head, said in framed(output, _TOOL, _HEAD, expected)
    )
    if any(timing.seconds <= 0 for timing in timings):
        raise ToolError(say("tool_odd_number", tool=_TOOL, path="run", value="0"))
    return timings
