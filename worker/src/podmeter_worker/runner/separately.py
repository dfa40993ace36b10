"""Doing the parts of a restore each by itself: one that fails holds up no other."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from podmeter.domain.errors import PodmeterError, RunCancelledError
from podmeter.services.errors import FencedError
from podmeter_worker.kube.errors import AnotherClusterError, LeaseLostError

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

#: After these nothing may be touched any more.
_ENDS_ALL = (FencedError, LeaseLostError, AnotherClusterError, RunCancelledError)


class Separately:
    """Parts that are done one after the other, whichever of them fail; logs each failure."""

    def __init__(self) -> None:
        self._first: PodmeterError | None = None

    @contextmanager
    def part(self, what: str) -> Iterator[None]:
        """Do one part. What it raises is kept for `finish`, except where it ends everything."""
        try:
            yield
        except _ENDS_ALL:
            raise
        except PodmeterError as error:
            logger.warning("%s failed: %s", what, error.said)
            self._first = self._first or error

    def finish(self) -> None:
        """Raise the first error, if any part failed."""
        if self._first is not None:
            raise self._first
