"""The worker: `python -m podmeter_worker`, or one part of it, `python -m podmeter_worker runs`.

`runs` measures, a process for each run at a time; `upkeep` looks after clusters and recovers, in
threads, so that it never waits behind a run; `beat` says when. Together they are forked from one
process, so that what they import is in memory once.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from importlib import import_module
from socket import gethostname
from typing import TYPE_CHECKING

from celery.concurrency import get_implementation  # type: ignore[import-untyped]
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import configure_mappers

from podmeter.db.session import make_engine
from podmeter.jobs import RUNS_QUEUE, UPKEEP_QUEUE
from podmeter.settings import MissingSettingError, Settings, get_settings
from podmeter.stack import open_files
from podmeter.stack.errors import StackError
from podmeter.stack.fork import Fork, run_forked
from podmeter_worker.broker import REAP_SECONDS, make_app
from podmeter_worker.repeating import Repeating
from podmeter_worker.upkeep import Upkeep

if TYPE_CHECKING:
    from collections.abc import Callable

    from celery import Celery  # type: ignore[import-untyped]

_UPKEEP_THREADS = 4
#: A run that is asked to stop restores the cluster's modes first.
STOP_SECONDS = 120.0
#: What each process would import for itself when it starts.
_LATE = (
    "billiard.popen_fork",
    "billiard.sharedctypes",
    "billiard.synchronize",
    "celery.app.amqp",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.backends.base",
    "celery.concurrency.prefork",
    "celery.concurrency.thread",
    "celery.events",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.strategy",
    "cffi.cparser",
    "kombu.transport.redis",
    "podmeter_worker.patience",
)


def main() -> None:
    """Run what was asked for until a signal says stop."""
    parser = argparse.ArgumentParser(prog="podmeter_worker", description=__doc__)
    parser.add_argument("part", nargs="?", choices=tuple(_PARTS), help="alone; without it, all")
    part: str | None = parser.parse_args().part
    try:
        settings = get_settings()
        # Each run has connections to its pods, and all of its parts inherit this.
        open_files.raise_limit()
        if part is not None:
            _PARTS[part](settings)
        else:
            run_forked(_members(settings))
    except (MissingSettingError, StackError) as error:
        sys.exit(f"podmeter: {error}")


def _members(settings: Settings) -> list[Fork]:
    """All parts, in the order they start, once everything is imported."""
    _app().loader.import_default_modules()
    for module in _LATE:
        import_module(module)
    _warm_up(settings)
    return [Fork(name, partial(run, settings), STOP_SECONDS) for name, run in _PARTS.items()]


def _warm_up(settings: Settings) -> None:
    """Make what each process would make for itself to ask the database; keep no connection."""
    configure_mappers()
    engine = make_engine(settings.require_database_url())
    try:
        with engine.connect():
            pass
    except SQLAlchemyError:
        pass  # each process waits for it by itself
    engine.dispose()


def _app() -> Celery:
    from podmeter_worker.celery_app import app

    return app


def _runs(settings: Settings) -> None:
    _work(settings, RUNS_QUEUE, "runs", "prefork", settings.worker_concurrency)


def _upkeep(settings: Settings) -> None:
    """Messages are taken at once: crews of threads do what they say. It reaps without any."""
    from podmeter_worker import tasks

    tasks.upkeep = Upkeep.of(settings)
    tasks.reaping = Repeating("reaping", tasks.reap_here, REAP_SECONDS)
    tasks.reaping.start()
    try:
        _work(settings, UPKEEP_QUEUE, "upkeep", "threads", _UPKEEP_THREADS)
    finally:
        tasks.reaping.stop()
        tasks.upkeep.close()


# Not through Celery's command line, which brings a terminal's prompt with it, 10 MB in each.
def _work(settings: Settings, queue: str, name: str, pool: str, concurrency: int) -> None:
    worker = _app().Worker(
        hostname=f"{name}@{gethostname()}",
        queues=[queue],
        pool_cls=get_implementation(pool),
        concurrency=concurrency,
        without_gossip=True,
        without_mingle=True,
        loglevel=settings.log_level,
        # Its banner ends it where standard output has no room.
        quiet=True,
    )
    worker.start()
    sys.exit(worker.exitcode)


def _beat(settings: Settings) -> None:
    """It sends names by a schedule and needs none of the code behind them."""
    app = make_app(settings.require_redis_url(), tasks=())
    app.Beat(loglevel=settings.log_level, quiet=True).run()


_PARTS: dict[str, Callable[[Settings], None]] = {"runs": _runs, "upkeep": _upkeep, "beat": _beat}


if __name__ == "__main__":
    main()
