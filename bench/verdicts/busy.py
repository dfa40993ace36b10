"""Processes that keep CPUs busy for as long as this one lives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: It ends with who started it, also where that was killed.
_SPIN = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


@contextmanager
def busy(count: int) -> Iterator[list[int]]:
    """So many of them, by their ids."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(count):
            started.append(subprocess.Popen([sys.executable, "-c", _SPIN]))
        yield [one.pid for one in started]
    finally:
        for one in started:
            one.kill()
        for one in started:
            one.wait()
