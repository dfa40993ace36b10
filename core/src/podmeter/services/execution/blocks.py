"""The beginning and the end of a block in the database."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from podmeter.db.base import now
from podmeter.db.models import CaseRecord
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.trials import TrialRepository
from podmeter.domain.messages import say
from podmeter.domain.ports import LogLevel
from podmeter.domain.run import CaseStatus
from podmeter.domain.trial import TrialStatus
from podmeter.services.execution.environment import ClusterIdentity, digest_of
from podmeter.services.runs.lifecycle import RunHold, lock_run
from podmeter.services.runs.recording import (
    announce_trial,
    log,
    note_overhead,
    set_block,
    set_case,
)
from podmeter.services.work import Work

#: The code of why blocks are skipped whose rung needs no more rounds.
RUNG_OVER = "rung_over"


@dataclass
class BlockTimes:
    """Seconds that a block took besides its trials; None for what it did not come to."""

    switching: float | None = None
    preparing: float | None = None
    cleaning: float | None = None


@dataclass(frozen=True)
class Stopped:
    """A block that was begun and did not end, and whether this attempt counted trials in it.

    `standing` is what brought its modes about, as it was when they were first seen.
    """

    position: int
    has_counted: bool
    standing: dict[str, Any]


def begin(work: Work, run_hold: RunHold, position: int) -> int:
    """Note that a block begins; its id. Raises FencedError."""
    block = RunRepository(work.session, run_hold.organization_id).block_at(
        run_hold.run_id, position
    )
    set_block(work, run_hold, block, CaseStatus.RUNNING)
    return block.id


def stand(work: Work, run_hold: RunHold, position: int, standing: dict[str, Any]) -> None:
    """Note how what brings the block's modes about stands. Raises FencedError."""
    lock_run(work, run_hold)
    block = RunRepository(work.session, run_hold.organization_id).block_at(
        run_hold.run_id, position
    )
    block.standing = standing


def prepared(
    work: Work,
    run_hold: RunHold,
    position: int,
    identity: ClusterIdentity,
    fingerprint: dict[str, Any],
    placements: Mapping[str, dict[str, Any] | None],
) -> dict[str, int]:
    """Note what the cluster is like and where each case's ends sit; the cases' ids by key.

    `placements` has the block's cases by key, None where a case has no ends. A cluster that is not
    as it was when the cases were measured before, in an earlier round or attempt, is a warning of
    the run.
    Raises FencedError.
    """
    run = lock_run(work, run_hold)
    runs = RunRepository(work.session, run_hold.organization_id)
    clusters = ClusterRepository(work.session, run_hold.organization_id)
    seen = clusters.record_fingerprint(
        identity.cluster_id, digest_of(fingerprint), fingerprint, now()
    )
    runs.block_at(run_hold.run_id, position).fingerprint_id = seen
    ids = {}
    changed = False
    for case in runs.all_cases(run_hold.run_id):
        if case.key in placements:
            changed = changed or case.fingerprint_id not in (None, seen)
            case.fingerprint_id, case.placement = seen, placements[case.key]
            ids[case.key] = case.id
    warning = say("cluster_changed", cluster=identity.name, block=position)
    if changed and warning not in run.warnings:
        run.warnings = [*run.warnings, warning]
        log(work, run_hold, LogLevel.WARNING, warning)
    work.session.flush()
    return ids


def case_begins(work: Work, run_hold: RunHold, case_id: int) -> None:
    """Note that a case's first trial begins. Raises FencedError."""
    case = work.session.get_one(CaseRecord, case_id)
    if case.status is CaseStatus.PENDING:
        set_case(work, run_hold, case, CaseStatus.RUNNING)


def spent(
    work: Work,
    run_hold: RunHold,
    position: int,
    times: BlockTimes,
    last_overhead: tuple[int, float] | None,
) -> None:
    """Note what a block took besides its trials, and its last trial's overhead.

    Raises FencedError.
    """
    lock_run(work, run_hold)
    block = RunRepository(work.session, run_hold.organization_id).block_at(
        run_hold.run_id, position
    )
    block.switching_seconds = times.switching
    block.preparing_seconds = times.preparing
    block.cleaning_seconds = times.cleaning
    if last_overhead is not None:
        note_overhead(work, run_hold, *last_overhead)


def end(work: Work, run_hold: RunHold, position: int, failure: str) -> None:
    """Note that a block is over: '' or why it failed. Raises FencedError."""
    block = RunRepository(work.session, run_hold.organization_id).block_at(
        run_hold.run_id, position
    )
    status = CaseStatus.FAILED if failure else CaseStatus.SUCCEEDED
    set_block(work, run_hold, block, status, failure)


def skip(
    work: Work, run_hold: RunHold, reason: str, positions: Collection[int] | None = None
) -> None:
    """Note that the blocks at these positions, or all, are not needed any more if they are left.

    Raises FencedError.
    """
    for block in RunRepository(work.session, run_hold.organization_id).blocks(run_hold.run_id):
        wanted = positions is None or block.position in positions
        if wanted and block.status is CaseStatus.PENDING:
            set_block(work, run_hold, block, CaseStatus.SKIPPED, reason)


def stopped(work: Work, run_hold: RunHold) -> list[Stopped]:
    """The blocks that were begun and did not end. Raises FencedError."""
    run = lock_run(work, run_hold)
    runs = RunRepository(work.session, run_hold.organization_id)
    trials = TrialRepository(work.session, run_hold.organization_id)
    return [
        Stopped(block.position, trials.any_kept(block.id, run.attempt), block.standing or {})
        for block in runs.blocks(run_hold.run_id)
        if block.status is CaseStatus.RUNNING
    ]


def ended(work: Work, run_hold: RunHold) -> dict[int, str]:
    """The blocks that ended in this attempt, by position: why they failed, '' where they did not.

    Raises FencedError.
    """
    begun = lock_run(work, run_hold).started_at
    runs = RunRepository(work.session, run_hold.organization_id)
    over = (CaseStatus.SUCCEEDED, CaseStatus.FAILED)
    return {
        block.position: block.reason
        for block in runs.blocks(run_hold.run_id)
        if block.status in over and begun and block.ended_at and block.ended_at >= begun
    }


def void(work: Work, run_hold: RunHold, position: int, code: str, reason: str) -> int:
    """Void what was counted in a block in this attempt, and announce it; how many trials.

    A case that had all its trials has not any more. Raises FencedError.
    """
    run = lock_run(work, run_hold)
    runs = RunRepository(work.session, run_hold.organization_id)
    block = runs.block_at(run_hold.run_id, position)
    trials = TrialRepository(work.session, run_hold.organization_id)
    voided = trials.void_block(block.id, run.attempt, code, reason)
    for trial_id, case_id in voided:
        announce_trial(work, run_hold, trial_id, case_id, TrialStatus.VOID)
    short = {case_id for _, case_id in voided}
    for case in runs.all_cases(run_hold.run_id):
        if case.id in short and case.status is CaseStatus.SUCCEEDED:
            set_case(work, run_hold, case, CaseStatus.FAILED, reason)
    return len(voided)
