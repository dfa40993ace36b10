"""Runs several commands in one place by a single call, in turn; each one's output apart.

Every call starts processes on the very node that is measured, and bash is cheaper than most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.ports import CommandOutput
from podmeter.drivers.reading import WHOLE, framed

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOL = "bundle"
_NEXT = "::next::"

#: Arguments: commands separated by ::next::. For each it prints "ran <exit> <length>", a newline,
#: what the command printed and a newline; "end" when all is done. The dot keeps newlines at the
#: end; lengths are in bytes.
_SCRIPT = r"""
LC_ALL=C
command=()
run() {
  said=$("${command[@]}"; echo ".$?")
  code=${said##*.}; said=${said%.*}; command=()
  printf 'ran %d %d\n%s\n' "$code" "${#said}" "$said"
}
for word; do if [ "$word" = ::next:: ]; then run; else command+=("$word"); fi; done
run
echo end
"""
_HEAD = rf"ran ({WHOLE}) ({WHOLE})"


def argv(commands: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Run the commands in turn, whatever each one's exit code."""
    joined: list[str] = []
    for command in commands:
        joined += [_NEXT, *command] if joined else command
    return ("bash", "-c", _SCRIPT, TOOL, *joined)


def parse(output: CommandOutput, expected: int) -> tuple[CommandOutput, ...]:
    """The outputs of all `expected` commands, in order; exit codes are the caller's to judge.

    What all of them wrote to standard error, and their time, are not told apart. Raises ToolError
    where the answer is not whole.
    """
    return tuple(
        CommandOutput(said, output.stderr, int(head[1]), output.seconds)
        for head, said in framed(output, TOOL, _HEAD, expected)
    )
