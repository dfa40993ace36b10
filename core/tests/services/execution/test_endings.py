"""How trials, cases and blocks end, and that it is reported."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from podmeter.db.base import now
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.experiment import Repetition
from podmeter.domain.messages import plain
from podmeter.domain.planning import Case, PlannedTrial
from podmeter.domain.run import CaseStatus, Outcome, Reopening, RunState
from podmeter.domain.trial import TrialReport, TrialStatus
from podmeter.services.accounts.principal import Principal
from podmeter.services.execution import blocks, claiming, progress, rungs
from podmeter.services.runs import lifecycle, read, recording, run_control
from podmeter.services.runs.lifecycle import RunHold
from podmeter.services.work import Work

from ..builders import queue_run
from .test_claiming import LEASE

pytestmark = pytest.mark.services
ONE_TRIAL = Repetition(rounds=1, warmup=0, trials=1, seconds=1, void_replacements=0, seed=1)


def begun(work: Work, owner: Principal) -> tuple[uuid.UUID, RunHold]:
    run_id = queue_run(work, owner)
    taken = claiming.claim(work, owner.organization_id, run_id, "a worker", LEASE)
    assert taken is not None
    lifecycle.move(work, taken.run_hold, RunState.PREFLIGHT)
    lifecycle.move(work, taken.run_hold, RunState.RUNNING)
    return run_id, taken.run_hold


def told(work: Work, owner: Principal, run_id: uuid.UUID, type_: str) -> list[dict[str, Any]]:
    found, _ = read.events_after(work, owner.organization_id, run_id, 0)
    return [event.content for event in found if event.type == type_]


def statuses(work: Work, owner: Principal, run_id: uuid.UUID) -> tuple[list[Any], list[Any]]:
    runs = RunRepository(work.session, owner.organization_id)
    found = runs.all_cases(run_id), runs.blocks(run_id)
    return [one.status for one in found[0]], [one.status for one in found[1]]


def test_trials_that_are_void_after_the_fact_are_told(work: Work, owner: Principal) -> None:
    run_id, run_hold = begun(work, owner)
    runs = RunRepository(work.session, owner.organization_id)
    case, block = runs.all_cases(run_id)[0], runs.blocks(run_id)[0]
    blocks.begin(work, run_hold, block.position)
    ids = []
    for number in (1, 2):
        planned = PlannedTrial(Case.at(case.point), round=1, number=number)
        place = recording.TrialOrigin(case.id, block.id, planned, now())
        report = TrialReport(status=TrialStatus.COUNTED, seconds=1, tool_seconds=1)
        ids.append(recording.store_trial(work, run_hold, place, report).id)
    recording.set_case(work, run_hold, case, CaseStatus.SUCCEEDED)
    assert blocks.void(work, run_hold, block.position, "mode_reverted", "vxlan stands") == 2
    assert told(work, owner, run_id, "trial")[-2:] == [
        {"trial": one, "case": case.id, "status": "void"} for one in ids
    ]
    assert told(work, owner, run_id, "case")[-1] == {
        "case": case.id,
        "status": "failed",
        "reason": plain("vxlan stands"),
    }


def test_a_block_that_never_ran_is_skipped_with_the_reason(work: Work, owner: Principal) -> None:
    run_id, run_hold = begun(work, owner)
    progress.settle_all(work, run_hold, ONE_TRIAL, ended_early="no path", failures={})
    cases, found = statuses(work, owner, run_id)
    assert {*cases, *found} == {CaseStatus.SKIPPED}
    said = told(work, owner, run_id, "block")
    assert len(said) == len(found)
    assert all(one["status"] == "skipped" for one in said)
    assert all(one["reason"] == plain("no path") for one in said)


def test_a_skipped_block_takes_no_time_but_that_of_an_earlier_attempt(
    work: Work, owner: Principal
) -> None:
    run_id, run_hold = begun(work, owner)
    runs = RunRepository(work.session, owner.organization_id)
    interrupted, *others = runs.blocks(run_id)
    blocks.begin(work, run_hold, interrupted.position)
    blocks.end(work, run_hold, interrupted.position, "stopped")
    interrupted.started_at = now() - timedelta(days=1)
    interrupted.ended_at = interrupted.started_at + timedelta(seconds=10)
    work.session.flush()
    runs.requeue_unfinished(run_id)
    progress.settle_all(work, run_hold, ONE_TRIAL, ended_early="no path", failures={})
    assert interrupted.status is CaseStatus.SKIPPED
    assert rungs.spent_seconds(work, run_hold) == {interrupted.position: 10.0}
    assert others
    assert {block.ended_at for block in others} == {None}


def test_what_a_cancel_in_the_queue_left_is_skipped_and_taken_up_again(
    work: Work, owner: Principal
) -> None:
    run_id = queue_run(work, owner)
    run = run_control.cancel(work, owner, run_id)
    assert run.outcome is Outcome.CANCELLED
    cases, found = statuses(work, owner, run_id)
    assert {*cases, *found} == {CaseStatus.SKIPPED}
    said = told(work, owner, run_id, "case") + told(work, owner, run_id, "block")
    assert len(said) == len(cases) + len(found)
    assert [one["reason"] for one in said] == [plain(run.reason)] * len(said)
    run_control.take_up(work, owner, run_id, Reopening.RESUME)
    work.session.expire_all()
    cases, found = statuses(work, owner, run_id)
    assert {*cases, *found} == {CaseStatus.PENDING}
