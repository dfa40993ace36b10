"""Enqueueing by task name: the API is a producer only and imports no worker code."""

from celery import Celery  # type: ignore[import-untyped]
from kombu.exceptions import OperationalError

from podmeter.jobs import Job


class CeleryQueue:
    """Sends jobs to Celery's broker."""

    def __init__(self, redis_url: str) -> None:
        self.celery = Celery(
            "podmeter_api",
            broker=redis_url,
            set_as_current=False,
        )
        self.celery.conf.update(
            task_serializer="json",
            accept_content=["json"],
            task_ignore_result=True,
            broker_connection_timeout=2,
            broker_transport_options={"socket_timeout": 5, "socket_connect_timeout": 2},
        )

    def send(self, job: Job) -> None:
        """Enqueue a job. Raises ConnectionError when the broker cannot be reached."""
        try:
            self.celery.send_task(job.name, kwargs=job.payload(), queue=job.queue, retry=False)
        except OperationalError as error:
            raise ConnectionError(str(error)) from error

    def close(self) -> None:
        """Let go of the connections to the broker."""
        self.celery.close()
