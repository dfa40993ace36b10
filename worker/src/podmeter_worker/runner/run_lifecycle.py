"""A run from being taken to its end. This file is the whole story; the others tell its parts."""

from __future__ import annotations

import logging
import uuid
from dataclasses import replace
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from podmeter.db.base import now
from podmeter.db.session import is_temporary
from podmeter.domain.errors import PodmeterError, RunCancelledError
from podmeter.domain.experiment import FIRST_LOOK
from podmeter.domain.messages import Message, say
from podmeter.domain.run import Outcome, RunState
from podmeter.logs import bound
from podmeter.services.errors import FencedError
from podmeter.services.execution import (
    by_hand,
    claiming,
    ending,
    environment,
    progress,
    trials,
)
from podmeter.services.execution.blocks import ended as blocks_ended
from podmeter.services.execution.progress import RunEnding
from podmeter.services.execution.remaining import left_to_run
from podmeter.services.experiments.rungs import rung_of
from podmeter.services.runs import lifecycle
from podmeter.services.runs.lifecycle import lock_run
from podmeter.services.runs.time_left import time_left
from podmeter.stack.counts import Count
from podmeter_worker.counting import tally
from podmeter_worker.kube.clock import clock
from podmeter_worker.runner.block import run_block
from podmeter_worker.runner.by_hand import ask_back
from podmeter_worker.runner.cleaning import clean
from podmeter_worker.runner.context import RunContext
from podmeter_worker.runner.failing_blocks import FailingBlocks, why_alike
from podmeter_worker.runner.heartbeat import Heartbeat
from podmeter_worker.runner.interim_looks import run_is_over, rung_is_over, why_no_further
from podmeter_worker.runner.run_preflight import cluster_of, preflight
from podmeter_worker.runner.stop import Stop, Why
from podmeter_worker.runner.stopped_blocks import end_stopped_blocks
from podmeter_worker.runner.waiting import why_wait
from podmeter_worker.runner.write_deadline import WriteDeadline

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from podmeter.domain.planning import Block
    from podmeter.services.execution.claiming import ClaimedRun
    from podmeter.services.experiments.rungs import Rung
    from podmeter_worker.runner.database import Database
    from podmeter_worker.runner.ports import Connect

logger = logging.getLogger(__name__)

#: Between two lines that say how long the run still measures.
_TELL_SECONDS = 60.0
#: The name of none.
NO_RUN = uuid.UUID(int=0)
_STOPPED = {
    Why.CANCELLED: RunEnding(Outcome.CANCELLED, say("cancelled_by_owner")),
    Why.WORKER_STOPS: RunEnding(Outcome.INTERRUPTED, say("worker_shut_down")),
    Why.CLUSTER_LOST: RunEnding(Outcome.INTERRUPTED, say("cluster_lost")),
}


def drive_run(
    database: Database,
    connect: Connect,
    organization_id: uuid.UUID,
    run_id: uuid.UUID,
    *,
    holder: str,
    lease: timedelta,
) -> bool:
    """Take a run if it is its turn and lead it to its end; False if there was nothing to do."""
    asked_at = clock()
    taken = database.write(
        lambda work: claiming.claim(work, organization_id, run_id, holder, lease)
    )
    if taken is None:
        return False
    with bound(run=run_id):
        _drive(database, connect, taken, asked_at, lease)
    return True


def drive_next_run(
    database: Database,
    connect_for: Callable[[uuid.UUID], Connect],
    organization_id: uuid.UUID,
    run_id: uuid.UUID,
    *,
    holder: str,
    lease: timedelta,
) -> bool:
    """Take the run that comes next, which may be another than the one named, and lead it.

    If it goes back to the queue, the next one is taken. False if there was nothing to do.
    """
    named = run_id
    while not database.stopping():
        asked_at = clock()
        take_next = partial(
            claiming.claim_next,
            organization_id=organization_id,
            run_id=named,
            holder=holder,
            lease=lease,
        )
        taken = database.write(take_next)
        if taken is None:
            return False
        connect = connect_for(taken.run_hold.organization_id)
        with bound(run=taken.run_hold.run_id):
            if _drive(database, connect, taken, asked_at, lease):
                return True
        named = NO_RUN
    return False


def _drive(
    database: Database,
    connect: Connect,
    taken: ClaimedRun,
    asked_at: float,
    lease: timedelta,
) -> bool:
    """Lead a run; False if it went back to the queue."""
    run_id = taken.run_hold.run_id
    stop = Stop()
    leash = WriteDeadline(lease, stop, asked_at)
    try:
        with Heartbeat(database, taken.run_hold, lease, leash, stop):
            return _run_to_end(database, connect, taken, stop, leash)
    except FencedError:
        logger.warning("run %s: another worker has taken it", run_id)
    except RunCancelledError:
        # Only a lost lease ends cleaning.
        logger.warning("run %s: let go of while cleaning up", run_id)
    return True


def _run_to_end(
    database: Database, connect: Connect, taken: ClaimedRun, stop: Stop, leash: WriteDeadline
) -> bool:
    run_hold = taken.run_hold
    assigned = database.write(lambda work: environment.assignment(work, run_hold))
    run = RunContext(database, run_hold, stop, leash, connect, assigned)
    if taken.taken_over:
        _recall_failures(run)
    if taken.state in (RunState.QUEUED, RunState.WAITING):
        if taken.state is RunState.QUEUED:
            if why := why_wait(run):
                database.write(lambda work: lifecycle.requeue_run(work, run_hold, why))
                return False
            database.write(lambda work: lifecycle.move(work, run_hold, RunState.PREFLIGHT))
        early = _measure(run, begun=taken.state is RunState.WAITING)
        if run.stop.why is Why.WORKER_STOPS and database.write(
            lambda work: by_hand.leave(work, run_hold)
        ):
            return True
        end_stopped_blocks(run)
        verdict = _settle(run, early)
        database.write(
            lambda work: lifecycle.move(
                work, run_hold, RunState.CLEANING, verdict.outcome, verdict.reason
            )
        )
    else:
        end_stopped_blocks(run)
        _settle(run, say("not_reached"), only_open=True)
    if taken.taken_over:
        run.touched |= {identity.name for identity in assigned.clusters}
    faults = clean(run)
    _finish(run, faults)
    return True


def _recall_failures(run: RunContext) -> None:
    """Why blocks of this attempt failed before this worker took it: the reason of their cases."""
    ended = run.database.write(lambda work: blocks_ended(work, run.run_hold))
    run.failures |= {
        case.key: ended[block.index]
        for block in run.assignment.blocks
        if ended.get(block.index)
        for case in block.cases
    }


def _measure(run: RunContext, *, begun: bool) -> RunEnding | Message | None:
    """Preflight and blocks; why the run ends before its end, or None.

    The reason alone where the outcome depends on which results are valid: those of a block that
    was stopped are not yet checked. A run that was `begun` waited for somebody to switch a mode,
    and continues with that.
    """
    early: Message | None = None
    try:
        if not begun:
            preflight(run)
            run.database.write(lambda work: lifecycle.move(work, run.run_hold, RunState.RUNNING))
        early = _run_blocks(run)
        if early is not None:
            # Whichever worker sees the original modes again measures no more.
            run.database.write(partial(ending.end_early, run_hold=run.run_hold, why=early))
        ask_back(run)
        return early
    except RunCancelledError:
        if run.stop.why is Why.LOST or run.stop.why is None:
            raise FencedError(say("run_taken")) from None
        return _STOPPED[run.stop.why]
    except FencedError:
        raise
    except PodmeterError as error:
        return early or error.said
    except Exception as error:
        if is_temporary(error):
            raise  # nothing could be written either; the reaper ends the run
        # A bug of ours ends the run like any other failure: cleaned up, with its reason.
        logger.exception("run %s failed", run.run_hold.run_id)
        return early or say("internal_error", type=type(error).__name__)


def _run_blocks(run: RunContext) -> Message | None:
    """Run what is left; why that ends before all is measured, or None."""
    run_hold = run.run_hold
    if (why := run.database.write(lambda work: ending.why_early(work, run_hold))) is not None:
        return why
    kept = run.database.write(
        lambda work: progress.kept_trials(work, run_hold.organization_id, run_hold.run_id)
    )
    ended = run.database.write(lambda work: blocks_ended(work, run_hold))
    left = left_to_run(run.assignment.blocks, kept)
    blocks = [block for block in left if block.index not in ended]
    on = [cluster_of(run, block.modes) for block in blocks]
    looked: dict[Rung, int] = {}
    told_at = clock() - _TELL_SECONDS
    ladders = [axis.name for axis in run.assignment.spec.axes if axis.ladder]
    failing = FailingBlocks(run.assignment.blocks, ladders)
    for number, (block, identity) in enumerate(zip(blocks, on, strict=True), 1):
        if run.stop.asked.is_set():
            raise RunCancelledError(say("run_to_stop"))
        rung = rung_of(run.assignment.spec, block)
        if rung in run.rungs_over:
            continue
        if rung and block.round == 1 and (late := why_no_further(run, rung)) is not None:
            return late
        # The block begins a round, so all before it are whole.
        whole = block.round - 1
        if (
            run.assignment.spec.repetition.until_decided
            and whole >= FIRST_LOOK
            and whole > looked.get(rung, 0)
        ):
            looked[rung] = whole
            if rung and rung_is_over(run, rung, whole):
                continue
            if not rung and run_is_over(run, whole):
                return None
        _tell_block(run, block)
        if clock() - told_at >= _TELL_SECONDS:
            told_at = clock()
            _tell_time_left(run)
        with run.held_link(identity, run.stop.asked, patient=True) as link:
            followed = replace(block, followed=identity in on[number:])
            failure = run_block(run, link, identity, followed)
        if (unsafe := run.why_unsafe) is not None:
            return unsafe
        if failing.fail_alike(block, Message.of(failure) if failure else None):
            measured = run.database.write(lambda work: progress.measured_cases(work, run_hold))
            return why_alike(run.assignment, block, failure, measured)
    return None


def _tell_block(run: RunContext, block: Block) -> None:
    """Say in the log which block begins: on a long climb that is where the run is."""
    modes = [say("log_mode", axis=axis, value=value) for axis, value in block.modes]
    run.info(
        say(
            "log_block",
            block=block.index + 1,
            blocks=len(run.assignment.blocks),
            round=block.round,
            rounds=run.assignment.spec.repetition.rounds,
            modes=modes or say("log_modes_as_they_are"),
        )
    )


def _tell_time_left(run: RunContext) -> None:
    """Say in the log how long the run still measures, in minutes: short ones say nothing."""
    run_hold, planned = run.run_hold, run.assignment.blocks
    left = run.database.write(
        lambda work: time_left(work, run_hold.organization_id, lock_run(work, run_hold), planned)
    )
    seconds = 0.0 if left is None else left.seconds(now())
    if seconds > _TELL_SECONDS:
        at_most = run.assignment.spec.repetition.until_decided is not None
        code = "log_time_left_at_most" if at_most else "log_time_left"
        run.info(say(code, minutes=ceil(seconds / 60)))


def _settle(
    run: RunContext, early: RunEnding | Message | None, *, only_open: bool = False
) -> RunEnding:
    """Give every case its final status; the outcome of the whole.

    `only_open` leaves the cases that have theirs.
    """
    ended_early = early.reason if isinstance(early, RunEnding) else early or ""
    repetition, rest = run.assignment.spec.repetition, ""
    if run.concluded is not None:
        repetition = repetition.model_copy(update={"rounds": run.concluded.rounds})
        rest = run.concluded.why or ""
    rounds = {
        case.key: seen.rounds
        for block in run.assignment.blocks
        if (seen := run.rungs_over.get(rung_of(run.assignment.spec, block))) is not None
        for case in block.cases
    }
    verdict = run.database.write(
        lambda work: progress.settle_all(
            work,
            run.run_hold,
            repetition,
            ended_early=ended_early,
            failures=run.failures,
            rest=rest,
            rounds=rounds,
            only_open=only_open,
        )
    )
    return early if isinstance(early, RunEnding) else verdict


def _finish(run: RunContext, faults: list[str]) -> None:
    if measured := run.database.write(lambda work: trials.overhead(work, run.run_hold)):
        seconds = f"{measured.median_seconds:.3f}"
        run.info(say("log_overhead", seconds=seconds, trials=measured.trials))
    outcome = run.database.write(lambda work: ending.finish(work, run.run_hold, faults))
    tally.note(Count.RUNS, str(outcome))
