"""The end of a run: finished, let go of, and the next one called."""

from collections.abc import Sequence

from podmeter.domain.messages import say
from podmeter.domain.run import Outcome, RunState
from podmeter.services.execution.recovery import call_next
from podmeter.services.runs import lifecycle
from podmeter.services.runs.lifecycle import RunHold
from podmeter.services.work import Work


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
