"""Doing the parts of a restore each by itself: one that fails holds up only what needs it."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from podmeter.domain.errors import PodmeterError, RunCancelledError
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.services.errors import FencedError
from podmeter_worker.kube.errors import AnotherClusterError, LeaseLostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from podmeter.services.execution.modes import OriginalMode

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

    @property
    def failed(self) -> bool:
        """Whether any part has failed so far."""
        return self._first is not None

    def finish(self) -> None:
        """Raise the first error, if any part failed."""
        if self._first is not None:
            raise self._first


def restore_each(
    saved: Iterable[OriginalMode], cluster: str, restore: Callable[[OriginalMode], None]
) -> None:
    """Restore the original modes, in the order of `modes.to_restore`. Raises the first error.

    A failed kube-proxy leaves the others to the next attempt: it may be paused on every node, and
    restarted agents of the pod network would not reach the API server by its ClusterIP.
    """
    axes = Separately()
    for kept in saved:
        with axes.part(f"restoring {kept.axis} of {cluster}"):
            restore(kept)
        if axes.failed and kept.axis == KUBE_PROXY_MODE and not kept.by_hand:
            break
    axes.finish()
