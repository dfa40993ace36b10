"""Durations as Go prints them: `4.992s`, `1m2.5s`, `75.12µs`."""

from __future__ import annotations

import re

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.drivers.pasted.amounts import NUMBER
from podmeter.drivers.reading import Printed

_WORTH = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_PART = re.compile(rf"({NUMBER})(h|ms|m|s|us|ns)")
#: The sign of micro in Unicode's two forms, and as pages show it that took it for Latin-1.
_MICRO = re.compile("Â?µ|μ|Î¼")


def duration(tool: str, text: str) -> Printed:
    """Seconds. Raises ToolError for what is no duration."""
    plain = _MICRO.sub("u", text)
    parts = _PART.findall(plain)
    if not parts or "".join(number + unit for number, unit in parts) != plain:
        if re.fullmatch(r"0(?:\.0{1,9})?s?", plain):
            return Printed(0.0, 0.0)
        raise ToolError(say("tool_not_number", tool=tool, text=text[:40]))
    value = sum(float(number) * _WORTH[unit] for number, unit in parts)
    number, unit = parts[-1]
    slack = 0.5 * 10.0 ** -len(number.partition(".")[2]) * _WORTH[unit]
    # What a float loses in a product is no digit of the tool's.
    return Printed(float(f"{value:.12g}"), slack)
