"""Runs several commands in one place by a single call, in turn; each one's output apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.ports import CommandOutput
from podmeter.drivers import program
from podmeter.drivers.reading import WHOLE, framed

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOL = "bundle"
_NEXT = "::next::"

_HEAD = rf"ran ({WHOLE}) ({WHOLE})"


def argv(commands: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Run the commands in turn, whatever each one's exit code."""
    joined: list[str] = []
    for command in commands:
        joined += [_NEXT, *command] if joined else command
    return program.argv(TOOL, *joined)


def parse(output: CommandOutput, expected: int) -> tuple[CommandOutput, ...]:
    """The outputs of all `expected` commands, in order; exit codes are the caller's to judge.

    What all of them wrote to standard error, and their time, are not separated. Raises ToolError
    where the answer is not whole.
    """
    return tuple(
        CommandOutput(said, output.stderr, int(head[1]), output.seconds)
        for head, said in framed(output, TOOL, _HEAD, expected)
    )
