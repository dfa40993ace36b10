"""Telling the processes that measure when their worker is shut down."""

from __future__ import annotations

import multiprocessing

#: Made before the pool forks, so that every process of it sees the same one.
_event = multiprocessing.Event()


def renew() -> None:
    """Have an event of this worker's own, where others were forked from the same process."""
    global _event
    _event = multiprocessing.Event()


def begin() -> None:
    """The worker was asked to end: runs stop after what they are doing, and are cleaned up."""
    _event.set()


def begun() -> bool:
    """Whether the worker was asked to end."""
    return _event.is_set()
