"""Putting right what a dead worker, a lost message or an unreachable cluster left.

Called every few seconds, by a thread of the part `upkeep` and by beat's messages; several at a time
do no harm. It depends on the database alone: a broker that is away holds up no recovery.
"""

from __future__ import annotations

import logging
import threading
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from podmeter.db.models import PreflightState
from podmeter.db.repositories.locks import is_free, try_lock
from podmeter.domain.errors import PodmeterError
from podmeter.jobs import RUNS_QUEUE, UPKEEP_QUEUE
from podmeter.logs import bound
from podmeter.services.execution import recovery, retention
from podmeter.stack.counts import Count
from podmeter_worker.cluster_preflight import lock_name
from podmeter_worker.counting import tally
from podmeter_worker.modes.evidence import LeftByHandError
from podmeter_worker.restoring import NodesLeftError, restore_cluster
from podmeter_worker.runner.run_lifecycle import drive_run
from podmeter_worker.worker_pool import WorkerPool

if TYPE_CHECKING:
    from podmeter.services.execution.recovery import Abandoned, Flagged
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
    for run in here.database.write(recovery.abandoned):
        doing.ask(run.organization_id, f"run {run.run_id}", partial(_end_abandoned, here, run))
    for cluster in here.database.write(recovery.flagged):
        key = f"restore {cluster.cluster_id}"
        doing.ask(cluster.organization_id, key, partial(_restore, here, cluster))
    if crew is None:
        doing.wait()
        _send_again(here)
    else:
        # A broker may hang as well as fail.
        crew.ask(None, "send again", partial(_send_again, here))


def forget(here: WorkerState) -> None:
    """Drop what is past its time, in short transactions."""
    here.database.write(retention.forget_expired)
    days = here.settings.raw_output_days
    while here.database.write(lambda work: retention.forget_output(work, days)):
        pass


def _end_abandoned(here: WorkerState, run: Abandoned) -> None:
    """Take the run over, which makes it interrupted, and clean up after it."""
    with bound(run=run.run_id):
        logger.warning("run %s: its worker is gone", run.run_id)
    drive_run(
        here.database,
        lambda handle: here.connect(run.organization_id, handle, _PATIENCE_SECONDS),
        run.organization_id,
        run.run_id,
        holder=here.holder,
        lease=here.lease,
    )
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
    pause = here.database.write(lambda work: recovery.postpone_restore(work, cluster, reason))
    logger.warning("%s still needs restore, tried again in %s: %s", cluster.name, pause, why)


def _send_again(here: WorkerState) -> None:
    """Enqueue what waits in the database while nothing waits in its queue.

    Messages that wait for a free worker are in the queue; where it is empty and something is
    still to be done, its message was lost. Twice does no harm. Without a broker there is no queue:
    it is done once that is back.
    """
    try:
        _fill_queues(here)
    except ConnectionError as error:
        logger.warning("nothing is enqueued again, the broker cannot be reached: %s", error)


def _fill_queues(here: WorkerState) -> None:
    if not here.queue.waiting(RUNS_QUEUE):
        here.database.write(recovery.call_next)
    idle = not here.queue.waiting(UPKEEP_QUEUE)
    for looked in here.database.write(recovery.pending_preflights):
        lost = idle if looked.state is PreflightState.QUEUED else True
        if lost and is_free(here.sessions, lock_name(looked.cluster_id)):
            here.database.write(partial(recovery.requeue_preflight, looked=looked))
