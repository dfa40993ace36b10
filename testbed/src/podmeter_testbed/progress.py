"""Saying how far a long step is: one line that changes on a terminal, few lines elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


def say(line: str) -> None:
    """Print a line for the person at the terminal, if somebody still reads."""
    try:
        print(line, flush=True)  # noqa: T201
    except BrokenPipeError:
        # As after `| head`: what was begun is brought to its end all the same.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class Progress:
    """A step with a count, `total` steps long where that is known."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what, self._total, self._count = what, total, 0
        self._started = self._said = time.monotonic()
        self._live = sys.stdout.isatty()
        if not self._live:
            say(f"{what} ...")

    def advance(self) -> None:
        """One more of `total`."""
        self._count += 1
        now = time.monotonic()
        if now - self._said < (0.1 if self._live else 20):
            return
        self._said = now
        of = f"/{self._total}" if self._total else ""
        line = f"{self._what}: {self._count}{of}, {now - self._started:.0f} s"
        if self._live:
            sys.stdout.write(f"\r\x1b[K{line}")
            sys.stdout.flush()
        else:
            say(line)

    def done(self) -> None:
        """Say how long it took."""
        clear = "\r\x1b[K" if self._live else ""
        say(f"{clear}{self._what}: {time.monotonic() - self._started:.1f} s")


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what is being done, and how long it took."""
    progress = Progress(what)
    yield
    progress.done()
