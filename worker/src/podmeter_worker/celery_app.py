"""The Celery application: `celery --app podmeter_worker.celery_app worker` or `beat`."""

from __future__ import annotations

import gc
import os
import signal

from celery import signals  # type: ignore[import-untyped]

from podmeter.jobs import Reap
from podmeter.settings import get_settings
from podmeter.stack.bound import bind
from podmeter_worker import shutdown
from podmeter_worker.broker import make_app
from podmeter_worker.heartbeats import HeartbeatStep
from podmeter_worker.queue import CeleryQueue

app = make_app(get_settings().require_redis_url())
app.steps["consumer"].add(HeartbeatStep)
#: The process whose pool the measuring processes are.
_parent = os.getpid()


@signals.celeryd_after_setup.connect  # type: ignore[untyped-decorator]
def _before_the_pool_forks(**_: object) -> None:
    """A collection writes to what it looks at, which unshares its page."""
    global _parent
    _parent = os.getpid()
    shutdown.renew()
    gc.collect()
    gc.freeze()


@signals.worker_process_init.connect  # type: ignore[untyped-decorator]
def _end_with_the_worker(**_: object) -> None:
    """A measuring process would not notice: it works on, and the next worker begins beside it."""
    bind(_parent, signal.SIGKILL)


@signals.worker_ready.connect  # type: ignore[untyped-decorator]
def _recover_at_start(**_: object) -> None:
    CeleryQueue(app).send(Reap())


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]
def _tell_the_pool(**_: object) -> None:
    shutdown.begin()
