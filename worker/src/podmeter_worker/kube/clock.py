"""The clock for leases: it never goes back, and continues while a process or its machine sleeps."""

from __future__ import annotations

import time

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def clock() -> float:
    """Seconds; a stopped process, and a suspended machine, find that they went by."""
    return time.clock_gettime(_CLOCK)
