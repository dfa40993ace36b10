"""How Celery is set up: JSON, two queues, beat's schedule.

A message says "look at this run", nothing more: what a task does is decided by the database, so a
message may be delivered many times, or be lost. Beat's reaper sends it again then.
"""

from __future__ import annotations

from collections.abc import Sequence

from celery import Celery, signals  # type: ignore[import-untyped]
from kombu.entity import Exchange, Queue

from podmeter import logs
from podmeter.jobs import RUNS_QUEUE, UPKEEP_QUEUE, ForgetExpired, Reap, RenewCredentials
from podmeter.settings import get_settings

REAP_SECONDS = 10.0
RENEW_SECONDS = 60.0
FORGET_SECONDS = 3600.0


@signals.setup_logging.connect  # type: ignore[untyped-decorator]
def _log_as_all_do(*, loglevel: int, **_: object) -> None:
    """Each process of Celery's asks for it; where somebody answers it sets up nothing itself."""
    logs.configure(loglevel, get_settings().log_format)


def make_app(redis_url: str, tasks: Sequence[str] = ("podmeter_worker.tasks",)) -> Celery:
    """The application on a broker; `tasks` are the modules that a worker imports for it."""
    app = Celery("podmeter_worker", broker=redis_url, include=list(tasks))
    app.conf.update(
        task_serializer="json",
        accept_content=["json"],
        result_backend=None,
        task_ignore_result=True,
        task_queues=[_queue(UPKEEP_QUEUE), _queue(RUNS_QUEUE)],
        task_default_queue=UPKEEP_QUEUE,
        # Acknowledged when begun, and fetched only when a process is free (docs/adr/0002).
        task_acks_late=False,
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        # A Redis that refuses writes (disk or memory full, no replica) recovers; the worker waits.
        broker_channel_error_retry=True,
        worker_consumer="podmeter_worker.patience:PatientConsumer",
        # A run continues while Redis restarts; its lease does not depend on it.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        enable_utc=True,
        beat_scheduler="podmeter_worker.heartbeats:BeatingScheduler",
        beat_schedule={
            "reap": _every(Reap.name, REAP_SECONDS),
            "renew-credentials": _every(RenewCredentials.name, RENEW_SECONDS),
            "forget-expired": _every(ForgetExpired.name, FORGET_SECONDS),
        },
    )
    return app


def _queue(name: str) -> Queue:
    return Queue(name, Exchange(name), routing_key=name)  # type: ignore[no-untyped-call]


def _every(name: str, seconds: float) -> dict[str, object]:
    # A late message is useless here: the next one does the same.
    return {
        "task": name,
        "schedule": seconds,
        "options": {"queue": UPKEEP_QUEUE, "expires": seconds},
    }
