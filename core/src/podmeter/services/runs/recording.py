"""Storing what a run yields, the moment it is there."""

import zlib
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from podmeter.db.base import now
from podmeter.db.models import (
    Block,
    CaseRecord,
    InvocationRecord,
    MeasurementRecord,
    Run,
    SeriesRecord,
    Trial,
)
from podmeter.db.repositories.journal import JournalRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.trials import TrialRepository
from podmeter.domain.messages import plain
from podmeter.domain.planning import PlannedTrial
from podmeter.domain.ports import LogLevel
from podmeter.domain.run import CaseStatus
from podmeter.domain.trial import TrialReport, TrialStatus
from podmeter.services.runs.lifecycle import RunHold, lock_run
from podmeter.services.work import Work


@dataclass(frozen=True)
class TrialOrigin:
    """Where a trial belongs: its case's and block's rows, its plan, when it began."""

    case_id: int
    block_id: int
    planned: PlannedTrial
    started_at: datetime


def store_trial(work: Work, run_hold: RunHold, place: TrialOrigin, report: TrialReport) -> Trial:
    """Store a trial that ended, and announce it.

    Raises FencedError; IntegrityError when this very trial is stored and counted already.
    """
    run = lock_run(work, run_hold)
    failure = report.failure
    trial = Trial(
        organization_id=run_hold.organization_id,
        run_id=run_hold.run_id,
        case_id=place.case_id,
        block_id=place.block_id,
        round=place.planned.round,
        number=place.planned.number,
        warmup=place.planned.warmup,
        attempt=run.attempt,
        status=report.status,
        failure_code=failure.code if failure else None,
        failure_message=failure.message if failure else "",
        failure_temporary=failure.temporary if failure else None,
        warnings=list(report.warnings),
        facts=dict(report.facts),
        seconds=report.seconds,
        tool_seconds=report.tool_seconds,
        started_at=place.started_at,
    )
    trials = TrialRepository(work.session, run_hold.organization_id)
    trials.add(trial, _invocations(report), _measurements(report), _series(report))
    announce_trial(work, run_hold, trial.id, trial.case_id, trial.status)
    return trial


def announce_trial(
    work: Work, run_hold: RunHold, trial_id: int, case_id: int, status: TrialStatus
) -> None:
    """Tell of a trial that was stored, or that is void after the fact."""
    _event(work, run_hold, "trial", trial=trial_id, case=case_id, status=status)


def note_overhead(work: Work, run_hold: RunHold, trial_id: int, seconds: float) -> None:
    """Note how long a trial took besides its tool, once its storing is over. In seconds."""
    lock_run(work, run_hold)
    TrialRepository(work.session, run_hold.organization_id).set_overhead(trial_id, seconds)


def set_case(
    work: Work, run_hold: RunHold, case: CaseRecord, status: CaseStatus, reason: str = ""
) -> None:
    """Change a case's status and announce it. Raises FencedError."""
    lock_run(work, run_hold)
    case.status, case.reason = status, reason
    work.session.flush()
    _event(work, run_hold, "case", case=case.id, status=status, reason=plain(reason))


def set_block(
    work: Work, run_hold: RunHold, block: Block, status: CaseStatus, reason: str = ""
) -> None:
    """Change a block's status and announce it. Raises FencedError.

    A block that is skipped keeps the times of the attempt that began it, if any.
    """
    lock_run(work, run_hold)
    if status is CaseStatus.RUNNING:
        block.started_at, block.ended_at = now(), None
    elif block.status is CaseStatus.RUNNING:
        block.ended_at = now()
    block.status, block.reason = status, reason
    work.session.flush()
    _event(work, run_hold, "block", block=block.position, status=status, reason=plain(reason))


def skip_all(work: Work, run: Run, reason: str) -> None:
    """Tell of a run that ended before any worker took it: none of its cases and blocks began."""
    runs = RunRepository(work.session, run.organization_id)
    journal = JournalRepository(work.session, run.organization_id)
    said = {"status": CaseStatus.SKIPPED, "reason": plain(reason)}
    for case in runs.all_cases(run.id):
        if case.status is CaseStatus.PENDING:
            case.status, case.reason = CaseStatus.SKIPPED, reason
            journal.add_event(run.id, "case", {"case": case.id, **said})
    for block in runs.blocks(run.id):
        if block.status is CaseStatus.PENDING:
            block.status, block.reason = CaseStatus.SKIPPED, reason
            journal.add_event(run.id, "block", {"block": block.position, **said})


def log(work: Work, run_hold: RunHold, level: LogLevel, message: str) -> None:
    """Add a line to the run's log and announce it. Raises FencedError."""
    run = lock_run(work, run_hold)
    journal = JournalRepository(work.session, run_hold.organization_id)
    journal.add_line(run_hold.run_id, run.attempt, level, message)
    _event(work, run_hold, "log", level=level, message=plain(message))


def _event(work: Work, run_hold: RunHold, type_: str, **content: JsonValue) -> None:
    journal = JournalRepository(work.session, run_hold.organization_id)
    journal.add_event(run_hold.run_id, type_, dict(content))


def _invocations(report: TrialReport) -> list[InvocationRecord]:
    return [
        InvocationRecord(
            position=position,
            tool=one.tool,
            version=one.version,
            argv=list(one.argv),
            place=one.place,
            exit_code=one.exit_code,
            seconds=one.seconds,
            stdout=compress(one.stdout),
            stderr=compress(one.stderr),
        )
        for position, one in enumerate(report.invocations)
    ]


def _measurements(report: TrialReport) -> list[MeasurementRecord]:
    return [
        MeasurementRecord(metric=one.metric, subject=one.subject, value=one.value)
        for one in report.measurements
    ]


def _series(report: TrialReport) -> list[SeriesRecord]:
    return [
        SeriesRecord(
            metric=one.metric,
            subject=one.subject,
            offsets=list(one.offsets),
            values=list(one.values),
        )
        for one in report.series
    ]


def compress(text: str) -> bytes:
    """Raw output as it is kept; text that is not UTF-8 was escaped when it was decoded."""
    return zlib.compress(text.encode("utf-8", "surrogateescape"))


def decompress(kept: bytes | None) -> str | None:
    """The raw output again; None once its retention has passed."""
    if kept is None:
        return None
    return zlib.decompress(kept).decode("utf-8", "replace")
