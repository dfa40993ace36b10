"""conntrack: forgetting the connections of an earlier trial, so that none fills the table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.reading import complaint

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput


def forget_argv(destination: str, port: int) -> tuple[str, ...]:
    """Delete the tracked TCP connections first sent to `destination`:`port`.

    It would print each of them; only their number is wanted, which it writes to standard error.
    """
    return (
        "sh",
        "-c",
        'exec conntrack "$@" 2>&1 >/dev/null',
        "conntrack",
        "-D",
        "-p",
        "tcp",
        "--orig-dst",
        destination,
        "--dport",
        str(port),
    )


def parse_forgotten(output: CommandOutput) -> int:
    """How many were deleted. conntrack ends with 1 when there was none, which is no fault."""
    found = re.search(r"(\d+) flow entries have been deleted", output.stdout)
    if found is None or (output.exit_code != 0 and found[1] != "0"):
        raise ToolError(
            say(
                "tool_ended",
                tool="conntrack -D",
                exit_code=output.exit_code,
                said=complaint(output),
            )
        )
    return int(found[1])
