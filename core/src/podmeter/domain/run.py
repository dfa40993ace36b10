"""The life of a run: its states, its outcome, and which changes are allowed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from podmeter.domain.errors import TransitionError
from podmeter.domain.messages import say


class RunState(StrEnum):
    """Where a run is."""

    QUEUED = "queued"
    PREFLIGHT = "preflight"
    RUNNING = "running"
    WAITING = "waiting"
    CLEANING = "cleaning"
    FINISHED = "finished"


class Outcome(StrEnum):
    """How a finished run ended."""

    SUCCEEDED = "succeeded"
    PARTIAL = "partial"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


class CaseStatus(StrEnum):
    """Where a case of a run is; `skipped` cases never began, which is not a failure."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"


class Reopening(StrEnum):
    """Why a finished run is queued again: its failed cases, or what an interruption left."""

    RETRY = "retry"
    RESUME = "resume"


class Step(StrEnum):
    """What an owner can do with a run; `start` is a new run of its experiment."""

    CANCEL = "cancel"
    CONCLUDE = "conclude"
    RETRY = "retry"
    RESUME = "resume"
    DELETE = "delete"
    START = "start"


#: Everything ends through cleaning, a cancel in the queue included: another worker may have
#: begun to prepare in the meantime.
ALLOWED: dict[RunState, frozenset[RunState]] = {
    RunState.QUEUED: frozenset({RunState.PREFLIGHT, RunState.CLEANING}),
    RunState.PREFLIGHT: frozenset({RunState.RUNNING, RunState.CLEANING}),
    RunState.RUNNING: frozenset({RunState.WAITING, RunState.CLEANING}),
    RunState.WAITING: frozenset({RunState.RUNNING, RunState.CLEANING}),
    RunState.CLEANING: frozenset({RunState.FINISHED}),
    RunState.FINISHED: frozenset(),
}

REOPENED_AFTER: dict[Reopening, frozenset[Outcome]] = {
    Reopening.RETRY: frozenset({Outcome.PARTIAL, Outcome.FAILED}),
    Reopening.RESUME: frozenset({Outcome.INTERRUPTED, Outcome.CANCELLED}),
}


@dataclass(frozen=True, slots=True)
class RunStatus:
    """State, and from cleaning on the outcome with its reason ('' only for `succeeded`).

    In the queue the reason is what the run waits for besides its turn, '' if for nothing else;
    `waiting` is for a mode that somebody switches by hand, and the reason says which.
    """

    state: RunState = RunState.QUEUED
    outcome: Outcome | None = None
    reason: str = ""
    attempt: int = 1


def transition(
    status: RunStatus, to: RunState, outcome: Outcome | None = None, reason: str = ""
) -> RunStatus:
    """The status after going to `to`.

    Entering `cleaning` needs the outcome the run is heading for, so that a crash while cleaning
    still knows why. `finished` keeps it unless a new one is given (cleaning itself failed).
    Every outcome but `succeeded` needs a reason. Raises TransitionError.
    """
    if to not in ALLOWED[status.state]:
        raise TransitionError(say("run_cannot_go", state=status.state, to=to))
    if to in (RunState.PREFLIGHT, RunState.RUNNING, RunState.WAITING):
        if outcome is not None:
            raise TransitionError(say("run_no_outcome_yet", to=to))
        return replace(status, state=to, reason=reason if to is RunState.WAITING else "")
    if outcome is None:
        if status.outcome is None:
            raise TransitionError(say("run_outcome_needed", to=to))
        outcome, reason = status.outcome, reason or status.reason
    if outcome is not Outcome.SUCCEEDED and not reason:
        raise TransitionError(say("run_reason_needed", outcome=outcome))
    return replace(status, state=to, outcome=outcome, reason=reason)


def steps(status: RunStatus) -> tuple[Step, ...]:
    """What can be done with a run where it stands."""
    if status.state is not RunState.FINISHED:
        return (Step.CANCEL,)
    again = [Step(why) for why, after in REOPENED_AFTER.items() if status.outcome in after]
    return (*again, Step.START, Step.DELETE)


def reopen(status: RunStatus, why: Reopening) -> RunStatus:
    """The status of the next attempt, queued. Raises TransitionError with what can be done."""
    if status.state is not RunState.FINISHED or status.outcome not in REOPENED_AFTER[why]:
        ended = status.outcome if status.state is RunState.FINISHED else status.state
        raise TransitionError(say("run_not_taken_up", ended=ended, why=why), steps(status))
    return RunStatus(attempt=status.attempt + 1)


def outcome_of(statuses: tuple[CaseStatus, ...]) -> Outcome:
    """What the cases of a run that went through to its end amount to."""
    succeeded = sum(status is CaseStatus.SUCCEEDED for status in statuses)
    if succeeded and succeeded == len(statuses):
        return Outcome.SUCCEEDED
    return Outcome.PARTIAL if succeeded else Outcome.FAILED
