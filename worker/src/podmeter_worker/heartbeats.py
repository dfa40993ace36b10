"""The worker's parts say that they go on: from the very loops that do their work."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import redis
from celery import bootsteps  # type: ignore[import-untyped]
from celery.beat import Scheduler  # type: ignore[import-untyped]

from podmeter.jobs import RUNS_QUEUE, UPKEEP_QUEUE
from podmeter.settings import get_settings
from podmeter.stack import heartbeats
from podmeter.stack.heartbeats import BEAT_SECONDS, Part
from podmeter.stack.own_shortages import OwnShortages
from podmeter_worker import heartbeat_files

if TYPE_CHECKING:
    from celery import Celery
    from celery.worker.consumer import Consumer  # type: ignore[import-untyped]

logger = logging.getLogger(__name__)

#: Less than a part may be silent; it must not stand still where Redis does.
_PATIENCE_SECONDS = 2.0
_PARTS = {RUNS_QUEUE: Part.RUNS, UPKEEP_QUEUE: Part.UPKEEP}


class Heartbeat:
    """The signs of life of some parts in this process, over a connection of their own."""

    def __init__(self, app: Celery, parts: list[Part]) -> None:
        self._parts, self._name = parts, heartbeats.name_of()
        state_dir = get_settings().state_dir
        self._own = OwnShortages(state_dir)
        self._files = heartbeat_files.folder(state_dir)
        self._redis = redis.Redis.from_url(
            app.conf.broker_url,
            socket_timeout=_PATIENCE_SECONDS,
            socket_connect_timeout=_PATIENCE_SECONDS,
        )

    def beat(self) -> None:
        """Say that all go on; to this machine alone where Redis is away or refuses to write."""
        for part in self._parts:
            heartbeat_files.touch(self._files, part)
        short = self._own.look()
        try:
            for part in self._parts:
                heartbeats.beat(self._redis, part, self._name)
                heartbeats.tell(self._redis, part, self._name, short)
        except (redis.RedisError, OSError) as error:
            logger.info("no sign of life: %s", error)

    def leave(self) -> None:
        """Say that they are not to be missed."""
        for part in self._parts:
            heartbeat_files.remove(self._files, part)
        try:
            for part in self._parts:
                heartbeats.leave(self._redis, part, self._name)
        except redis.RedisError as error:
            logger.info("no word of an end: %s", error)


class HeartbeatStep(bootsteps.StartStopStep):  # type: ignore[misc]
    """Of a worker's consumer: beats by the timer of the loop that takes messages."""

    requires = ("celery.worker.consumer.connection:Connection",)

    def __init__(self, consumer: Consumer, **given: Any) -> None:
        self._timed: Any = None
        queues = consumer.app.amqp.queues.consume_from
        self._pulse = Heartbeat(consumer.app, [_PARTS[name] for name in queues if name in _PARTS])
        super().__init__(consumer, **given)

    def start(self, consumer: Consumer) -> None:
        """Beat now, and from now on."""
        self._pulse.beat()
        self._timed = consumer.timer.call_repeatedly(BEAT_SECONDS, self._pulse.beat)

    def stop(self, consumer: Consumer) -> None:
        """Beat no more: the connection is gone, or the worker ends."""
        if self._timed is not None:
            self._timed.cancel()
            self._timed = None

    def shutdown(self, consumer: Consumer) -> None:
        """It ends as it was asked to."""
        self.stop(consumer)
        self._pulse.leave()


class BeatingScheduler(Scheduler):  # type: ignore[misc]
    """Celery's scheduler, which says so whenever it has looked what is due.

    Everything is due when it starts. So it needs no file to remember when it sent what, and ends
    neither of a full disk nor of a damaged file.
    """

    def __init__(self, app: Celery, *args: Any, **given: Any) -> None:
        self._pulse = Heartbeat(app, [Part.BEAT])
        super().__init__(app, *args, **given)

    def setup_schedule(self) -> None:
        """As the parent's, with every entry due."""
        super().setup_schedule()
        for entry in self.schedule.values():
            entry.last_run_at -= timedelta(seconds=entry.schedule.seconds)

    def tick(self, *args: Any, **given: Any) -> float:
        """As the parent's; the seconds until the next one."""
        self._pulse.beat()
        return min(float(super().tick(*args, **given)), BEAT_SECONDS)

    def close(self) -> None:
        """It ends as it was asked to."""
        super().close()
        self._pulse.leave()
