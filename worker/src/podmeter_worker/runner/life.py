"""A run from being taken to its end. This file is the whole story; the others tell its parts."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from podmeter.domain.errors import PodmeterError, RunCancelledError
from podmeter.domain.run import Outcome, RunState
from podmeter.services.errors import FencedError
from podmeter.services.execution import ending, environment, progress, taking, trials
from podmeter.services.execution.progress import RunEnding
from podmeter.services.execution.remaining import left_to_run
from podmeter.services.runs import lifecycle
from podmeter_worker.runner.block import run_block
from podmeter_worker.runner.cleaning import clean
from podmeter_worker.runner.context import RunContext
from podmeter_worker.runner.heartbeat import Heartbeat
from podmeter_worker.runner.ledger import is_away
from podmeter_worker.runner.preflight import cluster_of, preflight
from podmeter_worker.runner.stop import Stop, Why
from podmeter_worker.runner.stopped_blocks import end_stopped_blocks

if TYPE_CHECKING:
    import uuid
    from collections.abc import Callable
    from datetime import timedelta

    from podmeter.services.execution.taking import Taken
    from podmeter_worker.runner.ledger import Ledger
    from podmeter_worker.runner.ports import Connect

logger = logging.getLogger(__name__)

_STOPPED = {
    Why.CANCELLED: RunEnding(Outcome.CANCELLED, "cancelled by its owner"),
    Why.WORKER_STOPS: RunEnding(
        Outcome.INTERRUPTED, "the worker was shut down; resume goes on with what is left"
    ),
}


def lead(
    ledger: Ledger,
    connect: Connect,
    organization_id: uuid.UUID,
    run_id: uuid.UUID,
    *,
    holder: str,
    lease: timedelta,
    stopping: Callable[[], bool],
) -> bool:
    """Take a run if it is its turn and lead it to its end; False if there was nothing to do."""
    taken = ledger.write(lambda work: taking.take(work, organization_id, run_id, holder, lease))
    if taken is None:
        return False
    stop = Stop()
    try:
        with Heartbeat(ledger, taken.grip, lease, stop, stopping):
            _go(ledger, connect, taken, stop)
    except FencedError:
        logger.warning("run %s: another worker has taken it", run_id)
    except RunCancelledError:
        # Only a lost lease ends cleaning.
        logger.warning("run %s: let go of while cleaning up", run_id)
    return True


def _go(ledger: Ledger, connect: Connect, taken: Taken, stop: Stop) -> None:
    grip = taken.grip
    assigned = ledger.write(lambda work: environment.assignment(work, grip))
    run = RunContext(ledger, grip, stop, connect, assigned)
    if taken.state is RunState.PREFLIGHT:
        early = _measure(run)
        end_stopped_blocks(run)
        verdict = _settle(run, early)
        ledger.write(
            lambda work: lifecycle.move(
                work, grip, RunState.CLEANING, verdict.outcome, verdict.reason
            )
        )
    else:
        end_stopped_blocks(run)
        _settle(run, RunEnding(Outcome.INTERRUPTED, "not reached before the run ended"))
    if taken.taken_over:
        run.touched |= {identity.name for identity in assigned.clusters}
    faults = clean(run)
    _finish(run, faults)


def _measure(run: RunContext) -> RunEnding | None:
    """Preflight and blocks; why the run ends before its end, or None."""
    try:
        preflight(run)
        run.ledger.write(lambda work: lifecycle.move(work, run.grip, RunState.RUNNING))
        _run_blocks(run)
    except RunCancelledError:
        if run.stop.why is Why.LOST or run.stop.why is None:
            raise FencedError("another worker has taken the run") from None
        return _STOPPED[run.stop.why]
    except FencedError:
        raise
    except PodmeterError as error:
        return RunEnding(Outcome.FAILED, str(error))
    except Exception as error:
        if is_away(error):
            raise  # nothing could be written either; the reaper ends the run
        # A bug of ours ends the run like any other failure: cleaned up, with its reason.
        logger.exception("run %s failed", run.grip.run_id)
        return RunEnding(Outcome.FAILED, f"internal error: {type(error).__name__}; see the log")
    return None


def _run_blocks(run: RunContext) -> None:
    grip = run.grip
    kept = run.ledger.write(
        lambda work: progress.kept_trials(work, grip.organization_id, grip.run_id)
    )
    for block in left_to_run(run.assignment.blocks, kept):
        if run.stop.asked.is_set():
            raise RunCancelledError("the run is to stop")
        identity = cluster_of(run, block.modes)
        with run.held_link(identity, run.stop.asked) as link:
            run_block(run, link, identity, block)


def _settle(run: RunContext, early: RunEnding | None) -> RunEnding:
    """Give every case its final status; the outcome of the whole."""
    repetition = run.assignment.spec.repetition
    verdict = run.ledger.write(
        lambda work: progress.settle_all(
            work,
            run.grip,
            repetition,
            ended_early=early.reason if early else "",
            failures=run.failures,
        )
    )
    return early or verdict


def _finish(run: RunContext, faults: list[str]) -> None:
    if measured := run.ledger.write(lambda work: trials.overhead(work, run.grip)):
        run.info(f"overhead: median {measured.median_seconds:.3f} s over {measured.trials} trials")
    run.ledger.write(lambda work: ending.finish(work, run.grip, "; ".join(faults)))
