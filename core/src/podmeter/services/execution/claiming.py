"""Taking a run: one that waits its turn, or one whose worker is gone."""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from podmeter.db.repositories.leases import LeaseRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.messages import say
from podmeter.domain.run import Outcome, RunState
from podmeter.services.runs import lifecycle
from podmeter.services.runs.lifecycle import RunHold
from podmeter.services.work import Work


@dataclass(frozen=True)
class ClaimedRun:
    """A run that is now this worker's: in the queue still, in `cleaning`, or in `waiting`, where
    somebody else's worker left it.

    `taken_over` says that another worker had it before, who may have left anything anywhere.
    """

    run_hold: RunHold
    state: RunState
    taken_over: bool


def claim_next(
    work: Work, organization_id: uuid.UUID, run_id: uuid.UUID, holder: str, lease: timedelta
) -> ClaimedRun | None:
    """Take the run that comes next, now that a worker is free and a message named one.

    A place to measure goes to the organization that has fewest runs in progress, of several such to
    the least recently served, and there to the longest waiting run. The
    run that is named is taken itself where it was begun, or must be cancelled.
    """
    leases = LeaseRepository(work.session)
    leases.lock_queue()
    run = RunRepository(work.session, organization_id).get(run_id)
    if run and (run.state is not RunState.QUEUED or run.cancel_requested_at is not None):
        taken = claim(work, organization_id, run_id, holder, lease)
        if taken is not None:
            return taken
    run = leases.fairest(run_id)
    return claim(work, run.organization_id, run.id, holder, lease) if run else None


def claim(
    work: Work, organization_id: uuid.UUID, run_id: uuid.UUID, holder: str, lease: timedelta
) -> ClaimedRun | None:
    """Take a run and return what to do with it; None if there is nothing to do now.

    A queued run whose turn has come is checked by its worker, which begins its preflight or
    requeues it; it goes to cleaning if its owner cancelled it.
    A run that another worker began and let go of without a word was interrupted: it goes to
    cleaning, since the cluster may be in any condition. One in cleaning is cleaned again. One that
    waited for somebody to switch a mode keeps waiting: nothing was done meanwhile.
    """
    run = RunRepository(work.session, organization_id).get(run_id)
    if run is None:
        return None
    if run.state is RunState.QUEUED and LeaseRepository(work.session).awaits_restore(run_id):
        return None
    run_hold = lifecycle.take(work, organization_id, run_id, holder, lease)
    if run_hold is None:
        return None
    run = lifecycle.lock_run(work, run_hold)
    taken_over = run.state is not RunState.QUEUED
    if run.state is RunState.QUEUED:
        if run.cancel_requested_at is not None:
            reason = say("cancelled_before")
            lifecycle.move(work, run_hold, RunState.CLEANING, Outcome.CANCELLED, reason)
    elif run.state is RunState.WAITING and run.cancel_requested_at is not None:
        reason = say("cancelled_by_owner")
        lifecycle.move(work, run_hold, RunState.CLEANING, Outcome.CANCELLED, reason)
    elif run.state not in (RunState.CLEANING, RunState.WAITING):
        reason = say("worker_gone", state=run.state)
        lifecycle.move(work, run_hold, RunState.CLEANING, Outcome.INTERRUPTED, reason)
    return ClaimedRun(run_hold, run.state, taken_over)
