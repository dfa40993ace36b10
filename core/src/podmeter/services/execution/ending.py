"""The end of a run: measured no more, finished, let go of, and the next one called."""

from collections.abc import Sequence

from podmeter.domain.messages import Message, say
from podmeter.domain.run import Outcome, RunState
from podmeter.services.execution import blocks
from podmeter.services.execution.recovery import call_next
from podmeter.services.runs import lifecycle
from podmeter.services.runs.lifecycle import RunHold
from podmeter.services.work import Work


def end_early(work: Work, run_hold: RunHold, why: Message) -> None:
    """Measure no more in this attempt: the blocks that are left are skipped. Raises FencedError."""
    lifecycle.lock_run(work, run_hold).ended_early = why
    blocks.skip(work, run_hold, why)


def why_early(work: Work, run_hold: RunHold) -> Message | None:
    """Why this attempt measures no more, or None. Raises FencedError."""
    why = lifecycle.lock_run(work, run_hold).ended_early
    return Message.of(why) if why else None


def finish(work: Work, run_hold: RunHold, faults: Sequence[str]) -> Outcome | None:
    """End a run that was cleaned up; `faults` is what could not be, for each cluster.

    Notifies runs that wait for its clusters. A finished run stays unchanged.
    Gives its outcome.
    Raises FencedError.
    """
    run = lifecycle.lock_run(work, run_hold)
    if run.state is RunState.FINISHED:
        return run.outcome
    outcome, reason = run.outcome, run.reason
    if faults:
        # What was measured stands; but a cluster that is not as before is no full success.
        outcome = Outcome.PARTIAL if outcome is Outcome.SUCCEEDED else outcome
        said = say("several", several=faults)
        reason = say("ended_and_faults", reason=reason, faults=said) if reason else said
    lifecycle.move(work, run_hold, RunState.FINISHED, outcome, reason)
    lifecycle.release_run(work, run_hold)
    call_next(work, run.id)
    return outcome
