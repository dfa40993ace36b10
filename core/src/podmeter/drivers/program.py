"""`podmeter-measure`, the program that measuring pods run besides the tools.

Its source is `images/bench/measure`; the bench image has it at `/usr/local/bin`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput

NAME = "podmeter-measure"
#: What it prints as its version: `interfaceVersion` of its `main.go`, which says when it rises.
INTERFACE = 1
VERSION_ARGV = (NAME, "version")


def argv(command: str, *arguments: str) -> tuple[str, ...]:
    """One of the program's commands."""
    return (NAME, command, *arguments)


def is_current(output: CommandOutput) -> bool:
    """Whether the answer to `VERSION_ARGV` is of a program with all that the worker needs."""
    found = re.fullmatch(rf"{NAME} ([0-9]{{1,6}})\n", output.stdout)
    return output.exit_code == 0 and found is not None and int(found[1]) >= INTERFACE
