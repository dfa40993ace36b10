"""Waiting for somebody to switch a mode by hand, as it is kept with the run."""

from collections.abc import Sequence
from datetime import timedelta

from podmeter.db.base import now
from podmeter.domain.by_hand import Waiting
from podmeter.domain.messages import Message, say
from podmeter.domain.run import RunState
from podmeter.jobs import AdvanceRun
from podmeter.services.execution.environment import ClusterIdentity
from podmeter.services.execution.modes import OriginalMode, to_restore
from podmeter.services.runs.lifecycle import RunHold, announce, lock_run, move, release_run
from podmeter.services.work import Work


def wait(
    work: Work,
    run_hold: RunHold,
    identity: ClusterIdentity,
    axis: str,
    mode: str,
    how: Message,
    *,
    original: bool,
) -> Waiting:
    """Begin to wait, or go on where a worker that is gone did so: the deadline stays the same.

    Raises FencedError.
    """
    run = lock_run(work, run_hold)
    cluster = identity.name
    if run.waiting is not None:
        known = Waiting.model_validate(run.waiting)
        if (known.cluster, known.axis, known.mode) == (cluster, axis, mode):
            return known
    moment = now()
    waiting = Waiting(
        cluster=cluster,
        axis=axis,
        mode=mode,
        how=how,
        seen=None,
        unclear=None,
        original=original,
        since=moment,
        until=moment + timedelta(minutes=identity.by_hand_minutes or 0),
    )
    run.waiting = waiting.model_dump(mode="json")
    code = "waits_for_original" if original else "waits_for_mode"
    reason = say(code, cluster=cluster, axis=axis, mode=mode, how=how)
    if run.state is RunState.WAITING:
        # What it waited for has come meanwhile, and the next is asked for.
        run.reason = reason
        work.session.flush()
        announce(work, run, "state")
    else:
        move(work, run_hold, RunState.WAITING, reason=reason)
    return waiting


def see(
    work: Work, run_hold: RunHold, waiting: Waiting, seen: str | None, unclear: Message | None
) -> Waiting:
    """Note which mode is in effect meanwhile. Raises FencedError."""
    run = lock_run(work, run_hold)
    waiting = waiting.model_copy(update={"seen": seen, "unclear": unclear})
    run.waiting = waiting.model_dump(mode="json")
    work.session.flush()
    announce(work, run, "state")
    return waiting


def end(work: Work, run_hold: RunHold) -> None:
    """Wait no more: the mode is in effect. Raises FencedError."""
    run = lock_run(work, run_hold)
    if run.state is RunState.WAITING:
        move(work, run_hold, RunState.RUNNING)


def leave(work: Work, run_hold: RunHold) -> bool:
    """Let go of a run that waits, for another worker to go on; False for one that does not.

    Raises FencedError.
    """
    run = lock_run(work, run_hold)
    if run.state is not RunState.WAITING or run.cancel_requested_at is not None:
        return False
    release_run(work, run_hold)
    work.later(AdvanceRun(organization_id=run.organization_id, run_id=run.id))
    return True


def switched(work: Work, run_hold: RunHold, identity: ClusterIdentity) -> Sequence[OriginalMode]:
    """What somebody switched by hand for a run, and is asked to restore."""
    organization = run_hold.organization_id
    saved = to_restore(work, organization, identity.cluster_id, identity.cluster_uid)
    return [one for one in saved if one.by_hand]
