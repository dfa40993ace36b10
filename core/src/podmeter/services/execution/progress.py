"""How far a run's cases have come, told from the trials that are stored."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from podmeter.db.models import CaseRecord
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.trials import CaseCounts, TrialRepository
from podmeter.domain.experiment import Repetition
from podmeter.domain.messages import Message, say
from podmeter.domain.planning import Case
from podmeter.domain.run import CaseStatus, Outcome, outcome_of
from podmeter.services.execution.remaining import TrialKey
from podmeter.services.runs.lifecycle import RunHold
from podmeter.services.runs.recording import set_block, set_case
from podmeter.services.work import Work

#: The code of why a case failed: how many of its trials counted, and why not the others.
_COUNTED_SHORT = "counted_short"


@dataclass(frozen=True)
class RunEnding:
    """What the cases of a run amount to, with a reason unless all succeeded."""

    outcome: Outcome
    reason: str


def kept_trials(work: Work, organization_id: uuid.UUID, run_id: uuid.UUID) -> dict[TrialKey, int]:
    """The attempt of each trial that need not be measured again."""
    cases = RunRepository(work.session, organization_id).all_cases(run_id)
    keys = {case.id: case.key for case in cases}
    trials = TrialRepository(work.session, organization_id)
    return {
        (keys[case], round_, warmup, number): attempt
        for (case, round_, warmup, number), attempt in trials.kept(run_id).items()
    }


def measured_cases(work: Work, run_hold: RunHold) -> set[str]:
    """The keys of the cases that have results, of any attempt."""
    counts = TrialRepository(work.session, run_hold.organization_id).counts(run_hold.run_id)
    cases = RunRepository(work.session, run_hold.organization_id).all_cases(run_hold.run_id)
    return {case.key for case in cases if _has_results(case, counts)}


def settle_case(work: Work, run_hold: RunHold, case_id: int, repetition: Repetition) -> None:
    """Call a case succeeded as soon as all its counted trials are there. Raises FencedError."""
    case = work.session.get_one(CaseRecord, case_id)
    counts = TrialRepository(work.session, run_hold.organization_id).counts(
        run_hold.run_id, case_id
    )
    if _complete(case, counts, repetition) and case.status is not CaseStatus.SUCCEEDED:
        set_case(work, run_hold, case, CaseStatus.SUCCEEDED)


def settle_all(
    work: Work,
    run_hold: RunHold,
    repetition: Repetition,
    *,
    ended_early: str,
    failures: dict[str, str],
    rest: str = "",
    rounds: Mapping[str, int] = MappingProxyType({}),
    only_open: bool = False,
) -> RunEnding:
    """Give every case and block its final status, and say what the cases amount to.

    Raises FencedError.

    `ended_early` is why the run did not go through to its end, '' if it did: what was measured
    stands, so the run is partial where anything has results. `failures` say why cases could not be
    measured, by key; `rest` why blocks that are left were not needed. `rounds` are those after
    which cases of single rungs were over, by key. `only_open` leaves cases that are settled as
    they are: who cleans up after another worker does not know after how many rounds that one ended
    the run.
    """
    runs = RunRepository(work.session, run_hold.organization_id)
    counts = TrialRepository(work.session, run_hold.organization_id).counts(run_hold.run_id)
    cases = runs.all_cases(run_hold.run_id)
    for case in cases:
        if only_open and _is_settled(case):
            continue
        own = repetition
        if case.key in rounds:
            own = repetition.model_copy(update={"rounds": rounds[case.key]})
        if _complete(case, counts, own):
            status, reason = CaseStatus.SUCCEEDED, ""
        else:
            status, reason = _why_not(case, counts, own, ended_early, failures)
        if (case.status, case.reason) != (status, reason):
            set_case(work, run_hold, case, status, reason)
    reason = ended_early or rest or "nothing of it was left to measure"
    for block in runs.blocks(run_hold.run_id):
        if block.status is CaseStatus.PENDING:
            set_block(work, run_hold, block, CaseStatus.SKIPPED, reason)
    if ended_early:
        measured = any(_has_results(case, counts) for case in cases)
        return RunEnding(Outcome.PARTIAL if measured else Outcome.FAILED, ended_early)
    return _ending(cases)


def _is_settled(case: CaseRecord) -> bool:
    """Whether a case has its final status.

    One whose trials became void after it had succeeded has not: its reason does not count them.
    """
    if case.status is CaseStatus.FAILED:
        return Message.of(case.reason).code == _COUNTED_SHORT
    return case.status not in (CaseStatus.PENDING, CaseStatus.RUNNING)


def _has_results(case: CaseRecord, counts: Mapping[int, CaseCounts]) -> bool:
    """Whether a trial of the case counted: how long setting up a block took is no result."""
    found = counts.get(case.id)
    sets_up = Case.at(case.point, once=case.once).sets_up
    return found is not None and found.counted > 0 and not sets_up


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
    planned = _planned(case, repetition)

    def short(why: str) -> tuple[CaseStatus, str]:
        return CaseStatus.FAILED, say(_COUNTED_SHORT, counted=counted, planned=planned, why=why)

    if case.key in failures:
        return short(failures[case.key])
    if found and found.failure:
        return short(found.failure)
    if ended_early and not found:
        return CaseStatus.SKIPPED, ended_early
    return short(ended_early or say("rest_not_measured"))


def _ending(cases: Sequence[CaseRecord]) -> RunEnding:
    outcome = outcome_of(tuple(case.status for case in cases))
    if outcome is Outcome.SUCCEEDED:
        return RunEnding(outcome, "")
    short = [case for case in cases if case.status is not CaseStatus.SUCCEEDED]
    first = next((case.reason for case in short if case.reason), say("no_reason"))
    return RunEnding(outcome, say("cases_short", short=len(short), total=len(cases), first=first))
