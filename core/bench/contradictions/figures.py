"""Whether a text contradicts what a parser made of it, by other means than the parser's own.

Each function beside this file takes the text and the parser's answer and gives what is wrong, or
nothing. They read with `split`, `float` and Python's plain JSON, and look for the figures by what
they mean.
"""

from __future__ import annotations

import math


def far(one: float, other: float, share: float = 1e-4) -> bool:
    """Whether two figures that are to be one are not, or are none at all."""
    if not (math.isfinite(one) and math.isfinite(other)):
        return True
    return abs(one - other) > share * max(abs(one), abs(other))


def faults(**checks: bool) -> str:
    """The names of the checks that are wrong."""
    return ", ".join(name for name, is_wrong in checks.items() if is_wrong)
