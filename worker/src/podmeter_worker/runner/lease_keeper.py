"""Prolonging the Lease in a cluster while a run works there."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from podmeter.domain.errors import PodmeterError

if TYPE_CHECKING:
    from podmeter_worker.runner.ports import ClusterLink

logger = logging.getLogger(__name__)

_SECONDS = 10.0


class LeaseKeeper:
    """A thread of its own until the context is left: an API server may take long to answer."""

    def __init__(self, link: ClusterLink, name: str) -> None:
        self._link, self._name = link, name
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep, name=f"lease-{name}", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._over.wait(_SECONDS):
            try:
                self._link.prolong()
            except PodmeterError as error:
                # The database decides who has the cluster; the Lease tells other Podmeters.
                logger.warning("the Lease in %s was not prolonged: %s", self._name, error)
