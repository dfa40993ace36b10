"""Limits of the load of runs on a cluster: how they are typed and shown."""

from __future__ import annotations

import re
from typing import Any

from podmeter_cli.exits import UsageError
from podmeter_cli.quantities import quantity

_NONE = "none"
_FACTORS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def read_limit(text: str) -> int | None:
    """`1.5G` is 1,500,000,000; `none` is None, unlimited. Raises UsageError."""
    if text == _NONE:
        return None
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([kMGT]?)", text)
    value = round(float(found[1]) * _FACTORS[found[2]]) if found else 0
    if value < 1:
        raise UsageError(
            f"{text} is not a limit: write a number such as 2000, 500M or 1.5G, or none"
        )
    return value


def limit_line(cluster: dict[str, Any]) -> str:
    """What runs may send."""
    rate, bandwidth = cluster["max_requests_per_second"], cluster["max_bandwidth_bits_per_second"]
    limits = [
        f"{rate:,} requests/s" if rate is not None else "",
        quantity(bandwidth, "bit/s") if bandwidth is not None else "",
    ]
    return f"  Runs may send at most: {', '.join(filter(None, limits)) or 'unlimited'}"
