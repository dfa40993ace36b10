"""conntrack: forgetting the connections of an earlier trial, so that none fills the table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podmeter.drivers import program
from podmeter.drivers.reading import ended, whole

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput


def forget_argv(destination: str, port: int) -> tuple[str, ...]:
    """Delete the tracked TCP connections first sent to `destination`:`port`.

    It would print each of them; only their number is wanted, which it writes to standard error.
    """
    return program.argv(
        "complaints",
        "conntrack",
        "-D",
        "-p",
        "tcp",
        "--orig-dst",
        destination,
        "--dport",
        str(port),
    )


_TOOL = "conntrack -D"
_DELETED = r"conntrack v\S+ \(conntrack-tools\): (\S+) flow entries have been deleted\."


def parse_forgotten(output: CommandOutput) -> int:
    """How many were deleted. conntrack ends with 1 when there was none, which is no fault."""
    told = [line for line in output.stdout.split("\n") if "flow entries" in line]
    found = re.fullmatch(_DELETED, told[0]) if len(told) == 1 else None
    if found is None or (output.exit_code != 0 and found[1] != "0"):
        raise ended(_TOOL, output)
    return whole(_TOOL, found[1])
