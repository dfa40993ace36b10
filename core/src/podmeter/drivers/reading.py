"""Reading a tool's output strictly: what is not there, or not whole, is a ToolError."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say

if TYPE_CHECKING:
    from podmeter.domain.ports import CommandOutput


def succeeded(tool: str, output: CommandOutput) -> str:
    """Standard output of a command that ended with 0; ToolError with its own words otherwise."""
    if output.exit_code != 0:
        raise ToolError(
            say("tool_ended", tool=tool, exit_code=output.exit_code, said=complaint(output))
        )
    return output.stdout


def complaint(output: CommandOutput) -> str:
    """The last lines a tool wrote, standard error before standard output; never empty."""
    text = output.stderr.strip() or output.stdout.strip() or "it said nothing"
    return " / ".join(text.splitlines()[-3:])[:500]


def json_object(tool: str, text: str) -> dict[str, Any]:
    """The one JSON object that `text` is; a cut one is a ToolError."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ToolError(say("tool_not_json", tool=tool, characters=len(text))) from error
    if not isinstance(document, dict):
        raise ToolError(say("tool_not_object", tool=tool))
    return document


def number(tool: str, document: dict[str, Any], *path: str) -> float:
    """The finite number at `path`; ToolError where there is none."""
    value: Any = document
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ToolError(say("tool_no_number", tool=tool, path=".".join(path)))
    return float(value)
