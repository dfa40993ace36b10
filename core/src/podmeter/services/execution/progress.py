"""How far a run's cases have come, told from the trials that are stored."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from podmeter.db.models import CaseRecord
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.trials import CaseCounts, TrialRepository
from podmeter.domain.experiment import Repetition
from podmeter.domain.run import CaseStatus, Outcome, outcome_of
from podmeter.services.execution.remaining import Kept
from podmeter.services.runs.lifecycle import Grip
from podmeter.services.runs.recording import set_case
from podmeter.services.work import Work


@dataclass(frozen=True)
class RunEnding:
    """What the cases of a run amount to, with a reason unless all succeeded."""

    outcome: Outcome
    reason: str


def kept_trials(work: Work, organization_id: uuid.UUID, run_id: uuid.UUID) -> set[Kept]:
    """(case key, round, warmup, number) of the trials that need not be measured again."""
    cases = RunRepository(work.session, organization_id).all_cases(run_id)
    keys = {case.id: case.key for case in cases}
    trials = TrialRepository(work.session, organization_id)
    return {(keys[case], *rest) for case, *rest in trials.kept(run_id)}  # type: ignore[misc]


def settle_case(work: Work, grip: Grip, case_id: int, repetition: Repetition) -> None:
    """Call a case succeeded as soon as all its counted trials are there. Raises FencedError."""
    case = work.session.get_one(CaseRecord, case_id)
    counts = TrialRepository(work.session, grip.organization_id).counts(grip.run_id, case_id)
    if _complete(case, counts, repetition) and case.status is not CaseStatus.SUCCEEDED:
        set_case(work, grip, case, CaseStatus.SUCCEEDED)


def settle_all(
    work: Work,
    grip: Grip,
    repetition: Repetition,
    *,
    ended_early: str,
    failures: dict[str, str],
) -> RunEnding:
    """Give every case its final status, and say what they amount to. Raises FencedError.

    `ended_early` is why the run did not go through to its end, '' if it did; `failures` why
    cases could not be measured, by key.
    """
    runs = RunRepository(work.session, grip.organization_id)
    counts = TrialRepository(work.session, grip.organization_id).counts(grip.run_id)
    cases = runs.all_cases(grip.run_id)
    for case in cases:
        if _complete(case, counts, repetition):
            status, reason = CaseStatus.SUCCEEDED, ""
        else:
            status, reason = _why_not(case, counts, repetition, ended_early, failures)
        if (case.status, case.reason) != (status, reason):
            set_case(work, grip, case, status, reason)
    return _ending(cases)


def _complete(case: CaseRecord, counts: dict[int, CaseCounts], repetition: Repetition) -> bool:
    found = counts.get(case.id)
    return found is not None and found.counted >= _planned(case, repetition)


def _planned(case: CaseRecord, repetition: Repetition) -> int:
    return repetition.rounds * (1 if case.once else repetition.trials)


def _why_not(
    case: CaseRecord,
    counts: dict[int, CaseCounts],
    repetition: Repetition,
    ended_early: str,
    failures: dict[str, str],
) -> tuple[CaseStatus, str]:
    found = counts.get(case.id)
    counted = found.counted if found else 0
    so_far = f"{counted} of {_planned(case, repetition)} trials counted"
    if case.key in failures:
        return CaseStatus.FAILED, f"{so_far}; {failures[case.key]}"
    if found and found.failure:
        return CaseStatus.FAILED, f"{so_far}; {found.failure}"
    if ended_early and not found:
        return CaseStatus.SKIPPED, ended_early
    return CaseStatus.FAILED, f"{so_far}; {ended_early or 'the rest was not measured'}"


def _ending(cases: Sequence[CaseRecord]) -> RunEnding:
    outcome = outcome_of(tuple(case.status for case in cases))
    if outcome is Outcome.SUCCEEDED:
        return RunEnding(outcome, "")
    short = [case for case in cases if case.status is not CaseStatus.SUCCEEDED]
    first = next((case.reason for case in short if case.reason), "no reason was given")
    return RunEnding(outcome, f"{len(short)} of {len(cases)} cases did not succeed: {first}")
