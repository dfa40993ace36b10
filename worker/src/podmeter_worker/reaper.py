"""Putting right what a dead worker, a lost message or an unreachable cluster left.

Called by beat every few seconds and when a worker starts; several at a time do no harm.
"""

from __future__ import annotations

import logging
import threading
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import DBAPIError

from podmeter.db.models import PreflightState
from podmeter.db.repositories.locks import is_free, try_lock
from podmeter.db.session import is_away
from podmeter.domain.errors import PodmeterError
from podmeter.jobs import RUNS_QUEUE, UPKEEP_QUEUE
from podmeter.logs import bound
from podmeter.services.execution import recovery, retention
from podmeter.stack.counts import Count
from podmeter_worker import shutdown
from podmeter_worker.cluster_preflight import lock_name
from podmeter_worker.counting import tally
from podmeter_worker.modes.evidence import LeftByHandError
from podmeter_worker.restoring import NodesLeftError, restore_cluster
from podmeter_worker.runner.run_lifecycle import drive_run
from podmeter_worker.worker_pool import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter.services.execution.recovery import Abandoned, Flagged
    from podmeter.services.work import Work
    from podmeter_worker.state import WorkerState

T = TypeVar("T")
logger = logging.getLogger(__name__)

#: What does not answer is tried again later.
_PATIENCE_SECONDS = 15.0
#: Where nobody else says how many.
_AT_ONCE = 8


def reap(here: WorkerState, crew: WorkerPool | None = None) -> None:
    """End runs whose worker is gone, restore clusters, send lost messages again.

    Each is done by itself: none waits for another one's cluster, or fails with it. With a crew
    given, it continues with that; without, all is done on return.
    """
    doing = crew or WorkerPool(_AT_ONCE)
    gone = _write(here, recovery.abandoned)
    # Where the database was away, the workers get the time of a lease to prolong theirs.
    if not here.database.was_away(here.lease):
        for run in gone:
            doing.ask(run.organization_id, f"run {run.run_id}", partial(_end_abandoned, here, run))
    for cluster in _write(here, recovery.flagged):
        key = f"restore {cluster.cluster_id}"
        doing.ask(cluster.organization_id, key, partial(_restore, here, cluster))
    if crew is None:
        doing.wait()
    _send_again(here)


def forget(here: WorkerState) -> None:
    """Drop what is past its time, in short transactions."""
    _write(here, retention.forget_expired)
    days = here.settings.raw_output_days
    while _write(here, lambda work: retention.forget_output(work, days)):
        pass


def _end_abandoned(here: WorkerState, run: Abandoned) -> None:
    """Take the run over, which makes it interrupted, and clean up after it."""
    with bound(run=run.run_id):
        logger.warning("run %s: its worker is gone", run.run_id)
    try:
        drive_run(
            here.database,
            lambda handle: here.connect(run.organization_id, handle, _PATIENCE_SECONDS),
            run.organization_id,
            run.run_id,
            holder=here.holder,
            lease=here.lease,
            stopping=shutdown.begun,
        )
    except DBAPIError as error:
        if not is_away(error):
            raise
        logger.warning("run %s: not taken over while the database is away", run.run_id)
    else:
        tally.note(Count.RECOVERIES, "ended")


def _restore(here: WorkerState, cluster: Flagged) -> None:
    name = f"restore {cluster.cluster_id}"
    with bound(cluster=cluster.cluster_id), try_lock(here.sessions, name) as got:
        if not got:
            return
        try:
            restore_cluster(
                here.database,
                lambda handle: here.connect(cluster.organization_id, handle, _PATIENCE_SECONDS),
                cluster,
                threading.Event(),
            )
        except (NodesLeftError, LeftByHandError) as error:
            _put_off(here, cluster, error.said, reason=error.said)
        except PodmeterError as error:
            _put_off(here, cluster, error.said)
        except Exception as error:
            _put_off(here, cluster, type(error).__name__)
            raise
        else:
            tally.note(Count.RESTORES, "succeeded")


def _put_off(here: WorkerState, cluster: Flagged, why: str, reason: str = "") -> None:
    tally.note(Count.RESTORES, "failed")
    pause = _write(here, lambda work: recovery.postpone_restore(work, cluster, reason))
    logger.warning("%s still needs restore, tried again in %s: %s", cluster.name, pause, why)


def _send_again(here: WorkerState) -> None:
    """Enqueue what waits in the database while nothing waits in its queue.

    Messages that wait for a free worker are in the queue; where it is empty and something is
    still to be done, its message was lost. Twice does no harm.
    """
    if not here.queue.waiting(RUNS_QUEUE):
        _write(here, recovery.call_next)
    idle = not here.queue.waiting(UPKEEP_QUEUE)
    for looked in _write(here, recovery.pending_preflights):
        lost = idle if looked.state is PreflightState.QUEUED else True
        if lost and is_free(here.sessions, lock_name(looked.cluster_id)):
            _write(here, partial(recovery.requeue_preflight, looked=looked))


def _write(here: WorkerState, body: Callable[[Work], T]) -> T:
    """A worker that is asked to end waits for no database: the next one does the same."""
    return here.database.write(body, stopping=shutdown.begun)
