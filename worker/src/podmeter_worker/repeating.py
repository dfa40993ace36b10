"""Doing something every few seconds in a thread, whatever becomes of the broker."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)


class Repeating:
    """Calls `body` at once, again `seconds` after each of its ends, and as soon as it is woken.

    What it raises is logged. The thread ends with the process.
    """

    def __init__(self, name: str, body: Callable[[], object], seconds: float) -> None:
        self._body, self._seconds = body, seconds
        self._woken, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._repeat, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """Have it done now, or once more if it is being done."""
        self._woken.set()

    def stop(self) -> None:
        """Begin nothing more; what is being done continues."""
        self._over.set()
        self._woken.set()

    def _repeat(self) -> None:
        while not self._over.is_set():
            self._woken.clear()
            try:
                self._body()
            except Exception:
                logger.exception("%s failed", self._thread.name)
            self._woken.wait(self._seconds)
