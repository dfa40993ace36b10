"""Enqueueing from the worker, and whether anything waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

if TYPE_CHECKING:
    from celery import Celery  # type: ignore[import-untyped]

    from podmeter.jobs import Job


class CeleryQueue:
    """Sends jobs to the broker."""

    def __init__(self, celery: Celery) -> None:
        self._celery = celery

    def send(self, job: Job) -> None:
        """Enqueue a job. Raises ConnectionError when the broker cannot be reached."""
        try:
            self._celery.send_task(job.name, kwargs=job.payload(), queue=job.queue, retry=False)
        except OperationalError as error:
            raise ConnectionError(str(error)) from error

    def waiting(self, queue: str) -> int:
        """How many messages no worker has fetched yet. Raises ConnectionError."""
        try:
            with self._celery.connection_for_read() as connection:
                # Declared, not just looked for: in Redis an empty queue is not there.
                found = connection.default_channel.queue_declare(queue)
        except (OperationalError, RedisError) as error:
            raise ConnectionError(str(error)) from error
        return int(found.message_count)
