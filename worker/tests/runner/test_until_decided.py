"""A run until decided ends once it is decided, and so does a resumed one."""

import uuid
from dataclasses import replace
from typing import Any

import pytest
from bench.scripted.commands import Argv, tool_of
from sqlalchemy import update

from podmeter.db.models import MeasurementRecord
from podmeter.domain.errors import InvalidSpecError
from podmeter.domain.ports import CommandOutput, CommandUsage, ExecTarget
from podmeter.domain.run import CaseStatus, Outcome, Reopening, RunState

from ..bench import SPEC, SWITCHING, Bench
from ..fake_lab import FakeLab
from ..killed import Killed, killed_at

pytestmark = pytest.mark.services

UNTIL: dict[str, Any] = {
    **SWITCHING,
    "repetition": {
        "trials": 1,
        "seconds": 1,
        "warmup": 0,
        "until_decided": {"difference": 0.1, "most_minutes": 60},
    },
}

#: What is decided is what pods lose against their nodes.
LOSSES: dict[str, Any] = {**UNTIL, "axes": SPEC["axes"]}


def set_one_round_apart(bench: Bench, run_id: uuid.UUID) -> None:
    """Let the modes differ in the first round alone: no look decides what varies so much."""
    pods = {case.id for case in bench.cases(run_id) if case.point["path"] == "pod-pod"}
    first = next(trial.id for trial in bench.trials(run_id) if trial.case_id in pods)
    of_it = update(MeasurementRecord).where(MeasurementRecord.trial_id == first)
    with bench.sessions.begin() as session:
        session.execute(of_it.values(value=MeasurementRecord.value * 3))


def test_it_ends_once_every_case_is_decided(bench: Bench) -> None:
    """What the fake cluster measures never varies, so six rounds show it to be the same."""
    run_id = bench.new_run(UNTIL)
    assert bench.lead(run_id)
    run, blocks = bench.run(run_id), bench.blocks(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.SUCCEEDED}
    assert max(block.round for block in blocks) > 6
    for block in blocks:
        skipped = block.status is CaseStatus.SKIPPED
        assert skipped is (block.round > 6)
        assert not skipped or block.reason == "all main cases were decided after 6 rounds"
    assert "after 6 rounds 1 of 1 main cases are decided" in bench.log(run_id)
    assert len(bench.trials(run_id)) == 6 * 4
    assert bench.cluster.is_clean


def test_taken_up_again_it_looks_at_all_that_is_there(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == 9:
            bench.stopping.set()
            assert bench.stop.wait(60)

    bench.steps = steps
    run_id = bench.new_run(UNTIL)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    bench.stopping.clear()
    bench.steps = lambda step: None
    bench.take_up(run_id, Reopening.RESUME)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert len(bench.trials(run_id)) == 6 * 4


def test_cleaned_up_by_another_worker_its_cases_stay_succeeded(bench: Bench) -> None:
    """That worker has not seen that the run ended after six of its rounds."""
    bench.steps = killed_at("restoring")
    run_id = bench.new_run(UNTIL)
    with pytest.raises(Killed):
        bench.lead(run_id)
    before = bench.run(run_id)
    assert (before.state, before.outcome) == (RunState.CLEANING, Outcome.SUCCEEDED)
    bench.give_up(run_id)
    bench.steps = lambda step: None
    bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.state, run.outcome, run.reason) == (RunState.FINISHED, Outcome.SUCCEEDED, "")
    found = {(case.status, case.reason) for case in bench.cases(run_id)}
    assert found == {(CaseStatus.SUCCEEDED, "")}
    assert bench.cluster.is_clean


def test_asked_to_conclude_it_ends_with_its_next_look(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == 5:
            set_one_round_apart(bench, run_id)
            bench.conclude(run_id)

    bench.steps = steps
    run_id = bench.new_run(UNTIL)
    bench.lead(run_id)
    run, blocks = bench.run(run_id), bench.blocks(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert max(block.round for block in blocks) > 6
    for block in blocks:
        assert (block.status is CaseStatus.SKIPPED) is (block.round > 6)
        if block.round > 6:
            assert block.reason.startswith("concluded on request after 6 rounds")
    assert bench.cluster.is_clean


def test_without_modes_it_ends_once_losses_are_decided(bench: Bench) -> None:
    run_id = bench.new_run(LOSSES)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert "after 6 rounds 1 of 1 main cases are decided" in bench.log(run_id)
    assert len(bench.trials(run_id)) == 6 * 2


def limited_by_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """iperf3's one thread is busy all the time."""
    execute = FakeLab.execute

    def busy(lab: FakeLab, place: ExecTarget, argv: Argv, **options: Any) -> CommandOutput:
        output = execute(lab, place, argv, **options)
        if tool_of(argv) != "iperf3":
            return output
        return replace(output, seconds=3.0, usage=CommandUsage(2.95, 0.0))

    monkeypatch.setattr(FakeLab, "execute", busy)


def test_what_the_client_limits_is_not_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same run as the first one would be the same; no more rounds can show that."""
    limited_by_the_client(monkeypatch)
    run_id = bench.new_run(UNTIL)
    assert bench.lead(run_id)
    blocks = bench.blocks(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    skipped = {block.reason for block in blocks if block.round > 6}
    (why,) = skipped
    assert why.startswith("after 6 rounds, 1 of 1 cases are undecided")
    assert "the client is at its limit" in why
    assert "after 6 rounds 0 of 1 main cases are decided" in bench.log(run_id)


def test_losses_that_the_client_limits_are_not_waited_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited_by_the_client(monkeypatch)
    run_id = bench.new_run(LOSSES)
    bench.lead(run_id)
    assert "after 6 rounds 0 of 1 main cases are decided" in bench.log(run_id)
    assert len(bench.trials(run_id)) == 6 * 2


def test_a_run_that_compares_nothing_is_refused(bench: Bench) -> None:
    pods_alone = {**LOSSES, "axes": {**SPEC["axes"], "path": ["pod-pod"]}}
    with pytest.raises(InvalidSpecError) as refused:
        bench.new_run(pods_alone)
    (problem,) = refused.value.problems
    assert (problem.pointer, problem.message.code) == (
        "/repetition/until_decided",
        "nothing_to_decide",
    )
