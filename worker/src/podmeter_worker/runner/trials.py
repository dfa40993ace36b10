"""Running a prepared block's trials, each stored the moment it ends."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from podmeter.db.base import now
from podmeter.domain.errors import RunCancelledError, UnsafeClusterError
from podmeter.domain.messages import say
from podmeter.domain.node_pairs import NODE_PAIR
from podmeter.domain.trial import HELD_UP, Failure, TrialStatus
from podmeter.services.execution import blocks, progress
from podmeter.services.execution.trials import StoredTrial, store
from podmeter.stack.counts import Count
from podmeter_worker.counting import tally

if TYPE_CHECKING:
    from datetime import datetime

    from podmeter.domain.experiment import Repetition
    from podmeter.domain.planning import Block, PlannedTrial
    from podmeter.domain.trial import TrialReport
    from podmeter.kinds.kind import PreparedBlock
    from podmeter.services.work import Work
    from podmeter_worker.runner.context import RunContext
    from podmeter_worker.runner.tracked_lab import TrackedLab


#: A trial that waited longer for the database is not what it says: a node may have been without
#: rules meanwhile.
_HELD_UP_SECONDS = 1.0


@dataclass(frozen=True)
class Begun:
    """When a trial began: on the wall, and on the worker's monotonic clock."""

    at: datetime = field(default_factory=now)
    clock: float = field(default_factory=time.monotonic)


@dataclass
class TrialQueue:
    """The trials of a block that are still to be run.

    A void trial is run again at once, at most `void_replacements` times for each case and round.
    A failed one is not: its error is kept, and its owner may retry the case.
    """

    block: Block
    block_id: int
    repetition: Repetition
    position: int = 0
    replaced: Counter[str] = field(default_factory=Counter)
    #: The last stored trial and its overhead, which is known only once it is stored.
    overhead: tuple[int, float] | None = None

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self.position >= len(self.block.trials)

    @property
    def set_up(self) -> PlannedTrial | None:
        """The trial that is the block's own set-up, if it is what comes next."""
        if self.over or not self.current.case.sets_up:
            return None
        return self.current

    @property
    def current(self) -> PlannedTrial:
        """The trial to run."""
        return self.block.trials[self.position]

    def is_last_of_its_case(self) -> bool:
        """Whether the current trial is its case's last one in this block."""
        later = self.block.trials[self.position + 1 :]
        return all(trial.case.key != self.current.case.key for trial in later)

    def advance(self, status: TrialStatus) -> None:
        """Go on after a trial that ended so."""
        key = self.current.case.key
        if status is TrialStatus.VOID and self.replaced[key] < self.repetition.void_replacements:
            self.replaced[key] += 1
            return
        self.position += 1


def run_trials(
    run: RunContext,
    lab: TrackedLab,
    ready: PreparedBlock,
    queue: TrialQueue,
    case_ids: dict[str, int],
) -> str | None:
    """Run trials until none is left (None), or until what was prepared is broken (why).

    Raises RunCancelledError, FencedError, and UnsafeClusterError where the run has to stop.
    """
    while not queue.over:
        if run.stop.asked.is_set():
            raise RunCancelledError(say("run_to_stop"))
        lab.settle(run.wait)
        report = _run_one(run, ready, queue, case_ids)
        queue.advance(report.status)
        failure = report.failure
        if failure is not None and failure.code == UnsafeClusterError.code:
            lab.stop(failure.message)
        if failure is not None and failure.temporary and (broken := lab.why_broken()):
            return broken
    return None


def store_set_up(
    run: RunContext,
    queue: TrialQueue,
    case_ids: dict[str, int],
    report: TrialReport,
    begun: Begun,
    held_up: float,
) -> None:
    """Store what setting the block up came to, as its first trial. Raises FencedError.

    For `held_up` seconds of that it waited for the database.
    """
    report = _void_if_held_up(report, held_up)
    case_id = case_ids[queue.current.case.key]
    run.database.write(lambda work: blocks.case_begins(work, run.run_hold, case_id))
    _store(run, queue, case_id, report, begun)
    # Void or not: to set the block up again would be another block.
    queue.position += 1


def _run_one(
    run: RunContext,
    ready: PreparedBlock,
    queue: TrialQueue,
    case_ids: dict[str, int],
) -> TrialReport:
    trial, case_id = queue.current, case_ids[queue.current.case.key]
    begins_case = queue.position == 0 or all(
        earlier.case.key != trial.case.key for earlier in queue.block.trials[: queue.position]
    )
    if begins_case:
        run.database.write(lambda work: blocks.case_begins(work, run.run_hold, case_id))
    begun, held_up = Begun(), run.held_up_seconds
    report = _with_node_pair(ready.run_trial(trial), queue.block.node_pair)
    report = _void_if_held_up(report, run.held_up_seconds - held_up)
    _store(run, queue, case_id, report, begun)
    return report


def _with_node_pair(report: TrialReport, pair: str | None) -> TrialReport:
    """The report with its round's pair of nodes, where pairs change by round."""
    if pair is None:
        return report
    return replace(report, facts=(*report.facts, (NODE_PAIR, pair)))


def _void_if_held_up(report: TrialReport, seconds: float) -> TrialReport:
    """The report without its figures where the trial waited for the database so long.

    One that failed may have failed by that.
    """
    unsafe = report.failure is not None and report.failure.code == UnsafeClusterError.code
    if seconds < _HELD_UP_SECONDS or report.status is TrialStatus.VOID or unsafe:
        return report
    failure = Failure(HELD_UP, say("held_up", seconds=round(seconds)), temporary=True)
    return replace(report, status=TrialStatus.VOID, measurements=(), series=(), failure=failure)


def _store(
    run: RunContext, queue: TrialQueue, case_id: int, report: TrialReport, begun: Begun
) -> None:
    """Store the current trial, and note what it took besides its tools and the cluster."""
    trial, previous, last = queue.current, queue.overhead, queue.is_last_of_its_case()

    def body(work: Work) -> int:
        stored = StoredTrial(case_id, queue.block_id, trial, begun.at, report)
        trial_id = store(work, run.run_hold, stored, previous)
        if last:
            progress.settle_case(work, run.run_hold, case_id, queue.repetition)
        return trial_id

    trial_id = run.database.write(body)
    tally.note(Count.TRIALS, report.status)
    others = report.tool_seconds + report.waited_seconds
    queue.overhead = (trial_id, time.monotonic() - begun.clock - others)
