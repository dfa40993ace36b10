"""A worker's consumer that waits where Redis refuses commands, instead of asking without pause."""

from __future__ import annotations

import time

from celery.worker.consumer import Consumer  # type: ignore[import-untyped]

#: Celery itself would connect six times a second, and log each time.
PAUSE_SECONDS = 2.0


class PatientConsumer(Consumer):  # type: ignore[misc]
    """As Celery's; a Redis that answers with an error is asked again after a pause.

    Where Redis is away Celery itself waits: it connects again after longer and longer pauses.
    """

    def on_connection_error_before_connected(self, exc: Exception) -> None:
        """Redis refuses to be used."""
        super().on_connection_error_before_connected(exc)
        self._pause_after(exc)

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Redis refuses a command, or the connection is lost."""
        super().on_connection_error_after_connected(exc)
        self._pause_after(exc)

    def _pause_after(self, error: Exception) -> None:
        if isinstance(error, self.channel_errors):
            time.sleep(PAUSE_SECONDS)
