"""Saying how far a long step is: one line that changes on a terminal, few lines elsewhere."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

#: Lines of two threads never mix.
_writing = threading.Lock()
_LIVE_SECONDS, _LOG_SECONDS = 0.1, 20.0


class Surroundings(Protocol):
    """What a step is part of, where it is part of something."""

    @property
    def label(self) -> str:
        """Which part of how many, like `[2/7]`."""

    @property
    def alone(self) -> bool:
        """Whether the line that changes on a terminal is this step's."""

    def seconds_left(self, fraction: float) -> float | None:
        """Until everything is done, with that fraction of this part done; None if unknown."""


#: What the steps of this thread are part of.
surroundings: ContextVar[Surroundings | None] = ContextVar("surroundings", default=None)


def say(line: str) -> None:
    """Print a line for the person at the terminal, if somebody still reads."""
    with _writing:
        try:
            print(line, flush=True)  # noqa: T201
        except BrokenPipeError:
            # As after `| head`: what was begun is brought to its end all the same.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)


def duration(seconds: float) -> str:
    """A time for people, like `45 s` or `12 min`."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


class Progress:
    """A step with a count, `total` steps long where that is known."""

    def __init__(self, what: str, total: int | None = None, unit: str = "") -> None:
        self._part_of = surroundings.get()
        self._what = f"{self._part_of.label} {what}" if self._part_of else what
        self._total, self._count, self._unit = total, 0, unit
        self._started = self._reported = time.monotonic()
        alone = self._part_of is None or self._part_of.alone
        self._terminal = sys.stdout.isatty()
        self._live = self._terminal and alone
        if self._live:
            self._draw(f"{self._what} ...")
        else:
            say(f"{self._what} ...")

    def advance(self) -> None:
        """One more of `total`."""
        self._count += 1
        now = time.monotonic()
        if now - self._reported < (_LIVE_SECONDS if self._live else _LOG_SECONDS):
            return
        self._reported = now
        line = f"{self._what}: {self._counted()}, {duration(now - self._started)}{self._left()}"
        if self._live:
            self._draw(line)
        else:
            say(line)

    def _counted(self) -> str:
        of = f" of {self._total}" if self._total else ""
        return f"{self._count}{of} {self._unit}".rstrip()

    def _left(self) -> str:
        if self._part_of is None or not self._total:
            return ""
        left = self._part_of.seconds_left(min(self._count / self._total, 1))
        return "" if left is None else f", about {duration(left)} left in all"

    def _draw(self, line: str) -> None:
        with _writing:
            sys.stdout.write(f"\r\x1b[K{line}")
            sys.stdout.flush()

    def done(self) -> None:
        """Say how long it took."""
        clear = "\r\x1b[K" if self._terminal else ""
        say(f"{clear}{self._what}: {time.monotonic() - self._started:.1f} s")


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what is being done, and how long it took."""
    progress = Progress(what)
    yield
    progress.done()
