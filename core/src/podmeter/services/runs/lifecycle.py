"""Leading a run through its life: taken by a worker, kept alive, moved on, given back.

Every change is one conditional UPDATE with the fencing token; anyone who gets FencedError has lost
the run to another worker and must stop.
"""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from podmeter.db.base import now
from podmeter.db.models import Run
from podmeter.db.repositories.journal import JournalRepository
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.messages import plain, say
from podmeter.domain.run import Outcome, RunState, RunStatus, transition
from podmeter.services.errors import FencedError, NotFoundError
from podmeter.services.work import Work


@dataclass(frozen=True)
class RunHold:
    """A worker's hold on a run: the token that all its writes carry."""

    organization_id: uuid.UUID
    run_id: uuid.UUID
    token: int


@dataclass(frozen=True)
class HeartbeatReply:
    """What a heartbeat tells: whether the run's owner asked to cancel."""

    cancel_requested: bool


def status_of(run: Run) -> RunStatus:
    """The run's status in the domain's words."""
    return RunStatus(run.state, run.outcome, run.reason, run.attempt)


def take(
    work: Work, organization_id: uuid.UUID, run_id: uuid.UUID, holder: str, lease: timedelta
) -> RunHold | None:
    """Take a run that nobody holds, and its clusters; None if it must wait or has finished.

    A queued run waits its turn: for all runs queued before it on a cluster it needs. One that
    was begun is taken again as soon as its lease has run out.
    """
    leases = LeaseRepository(work.session)
    leases.lock_queue()
    run = RunRepository(work.session, organization_id).get(run_id, lock=True)
    if run is None or run.state is RunState.FINISHED:
        return None
    if run.state is RunState.QUEUED and leases.waits_its_turn(run):
        return None
    if not leases.claim_clusters(run, leases.real_clusters(run.id)):
        return None
    token = leases.take(run, holder, lease)
    return RunHold(organization_id, run_id, token) if token is not None else None


def beat(work: Work, run_hold: RunHold, lease: timedelta) -> HeartbeatReply:
    """Keep the run for another `lease`. Raises FencedError."""
    if not LeaseRepository(work.session).renew(run_hold.run_id, run_hold.token, lease):
        raise FencedError(say("run_taken"))
    run = RunRepository(work.session, run_hold.organization_id).get(run_hold.run_id)
    return HeartbeatReply(cancel_requested=run is not None and run.cancel_requested_at is not None)


def lock_run(work: Work, run_hold: RunHold) -> Run:
    """The run, locked until the commit, for writing what belongs to it. Raises FencedError."""
    run = RunRepository(work.session, run_hold.organization_id).get(run_hold.run_id, lock=True)
    if run is None:
        raise NotFoundError("run")
    if run.fencing_token != run_hold.token:
        raise FencedError(say("run_taken"))
    return run


def move(
    work: Work, run_hold: RunHold, to: RunState, outcome: Outcome | None = None, reason: str = ""
) -> Run:
    """Take the run on to another state. Raises FencedError, TransitionError."""
    run = lock_run(work, run_hold)
    transition_run(work, run, to, outcome, reason, fencing_token=run_hold.token)
    return run


def release_run(work: Work, run_hold: RunHold) -> None:
    """Let go of the run; of its clusters too if it has finished. Raises FencedError."""
    run = lock_run(work, run_hold)
    if not LeaseRepository(work.session).release(run, run_hold.token):
        raise FencedError(say("run_taken"))


def wait(work: Work, run_hold: RunHold, reason: str) -> Run:
    """Say what a run waits for where it is; '' if for nothing any more. Raises FencedError."""
    run = lock_run(work, run_hold)
    if run.reason != reason:
        run.reason = reason
        work.session.flush()
        announce(work, run, "state")
    return run


def requeue_run(work: Work, run_hold: RunHold, reason: str) -> None:
    """Let go of a run that waits in the queue for more than its turn; `reason` says for what.

    Raises FencedError.
    """
    run = wait(work, run_hold, reason)
    if not LeaseRepository(work.session).requeue(run, run_hold.token):
        raise FencedError(say("run_taken"))


def transition_run(
    work: Work,
    run: Run,
    to: RunState,
    outcome: Outcome | None = None,
    reason: str = "",
    *,
    fencing_token: int | None,
) -> None:
    """Write a transition that the domain allows, and announce it.

    Raises TransitionError; FencedError if the run changed since it was read.
    """
    new = transition(status_of(run), to, outcome, reason)
    runs = RunRepository(work.session, run.organization_id)
    if not runs.change_status(run, new, fencing_token=fencing_token):
        raise FencedError(say("run_changed"))
    if to is not RunState.WAITING:
        run.waiting = None
    if to is RunState.PREFLIGHT:
        run.started_at = now()  # each attempt has its own
    if to is RunState.FINISHED:
        run.finished_at = now()
    work.session.flush()
    announce(work, run, "state")


def announce(work: Work, run: Run, event: str, **more: str) -> None:
    """Add an event with the run's status."""
    content = {
        "state": run.state,
        "outcome": run.outcome,
        "reason": plain(run.reason),
        "attempt": run.attempt,
        **more,
    }
    JournalRepository(work.session, run.organization_id).add_event(run.id, event, content)
