"""Storing a trial: everything it left, in one transaction."""

import statistics
from dataclasses import dataclass
from datetime import datetime

from podmeter.db.repositories.trials import TrialRepository
from podmeter.domain.planning import PlannedTrial
from podmeter.domain.trial import TrialReport
from podmeter.services.runs.lifecycle import RunHold, lock_run
from podmeter.services.runs.recording import TrialOrigin, note_overhead, store_trial
from podmeter.services.work import Work


@dataclass(frozen=True)
class StoredTrial:
    """A trial that ended, and the rows it belongs to."""

    case_id: int
    block_id: int
    planned: PlannedTrial
    started_at: datetime
    report: TrialReport


@dataclass(frozen=True)
class Overhead:
    """What trials took besides their tools: the median in seconds, and of how many."""

    median_seconds: float
    trials: int


def store(
    work: Work, run_hold: RunHold, ended: StoredTrial, previous_overhead: tuple[int, float] | None
) -> int:
    """Store a trial with its case's and block's progress; its id.

    `previous_overhead` is the id and the overhead in seconds of the trial before: it was known
    only after that was stored, and one transaction for each trial is enough. A commit whose
    answer was lost may have stored this one already; it is found then. Raises FencedError.
    """
    lock_run(work, run_hold)
    trials = TrialRepository(work.session, run_hold.organization_id)
    found = trials.stored_id(ended.case_id, ended.started_at)
    if found is not None:
        return found
    if previous_overhead is not None:
        note_overhead(work, run_hold, *previous_overhead)
    place = TrialOrigin(ended.case_id, ended.block_id, ended.planned, ended.started_at)
    return store_trial(work, run_hold, place, ended.report).id


def overhead(work: Work, run_hold: RunHold) -> Overhead | None:
    """The overhead of the run's counted trials; None where there are none."""
    seconds = TrialRepository(work.session, run_hold.organization_id).overheads(run_hold.run_id)
    return Overhead(statistics.median(seconds), len(seconds)) if seconds else None
