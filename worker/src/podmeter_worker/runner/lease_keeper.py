"""Prolonging the Lease in a cluster while something is done there."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from podmeter.domain.errors import PodmeterError
from podmeter.logs import carrying
from podmeter_worker.kube.errors import LeaseLostError

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

_SECONDS = 10.0


class LeaseKeeper:
    """A thread of its own until the context is left: an API server may take long to answer.

    `lost` is called, once, when the Lease is gone or another one's.
    """

    def __init__(
        self,
        prolong: Callable[[], None],
        name: str,
        lost: Callable[[], None] = lambda: None,
        seconds: float = _SECONDS,
    ) -> None:
        self._prolong, self._name, self._lost, self._seconds = prolong, name, lost, seconds
        self._over = threading.Event()
        self._thread = threading.Thread(
            target=carrying(self._keep), name=f"lease-{name}", daemon=True
        )

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._over.wait(self._seconds):
            try:
                self._prolong()
            except LeaseLostError as error:
                logger.warning("the Lease in %s is lost: %s", self._name, error)
                self._lost()
                return
            except PodmeterError as error:
                # The database decides who has the cluster; the Lease tells other Podmeters.
                logger.warning("the Lease in %s was not prolonged: %s", self._name, error)
