"""Retry and resume go on with what is missing, and keep what is there."""

import uuid

import pytest
from core.tests.sampling import sampled

from podmeter.domain.errors import LabError
from podmeter.domain.run import Outcome, Reopening
from podmeter.domain.trial import TrialStatus
from podmeter.services.run_results.runs import load
from podmeter.services.work import work_with

from ..bench import SWITCHING, TRIALS, Bench
from ..fake_link import FakeLink

pytestmark = pytest.mark.services


def run_in_part(bench: Bench) -> uuid.UUID:
    """A run whose connection broke once, in one trial: the rest was measured."""
    broken: list[str] = []

    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == 4 and not broken:
            broken.append(step)
            raise LabError("the connection broke")

    bench.steps = steps
    run_id = bench.new_run()
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.PARTIAL
    return run_id


def test_a_retry_measures_what_failed_and_nothing_else(bench: Bench) -> None:
    run_id = run_in_part(bench)
    before = bench.trials(run_id)

    bench.take_up(run_id, Reopening.RETRY)
    bench.lead(run_id)

    run, trials = bench.run(run_id), bench.trials(run_id)
    assert (run.outcome, run.attempt) == (Outcome.SUCCEEDED, 2)
    assert [trial.id for trial in trials[:TRIALS]] == [trial.id for trial in before]
    again = trials[TRIALS:]
    # The case's pods are new, so it is warmed up again, under the next number.
    assert [(trial.status, trial.number) for trial in again] == [
        (TrialStatus.WARMUP, 2),
        (TrialStatus.COUNTED, before[4].number),
    ]
    assert {trial.case_id for trial in again} == {before[4].case_id}
    environment = run.environment
    assert environment is not None
    assert sorted(environment["attempts"]) == ["1", "2"]


def test_what_an_earlier_attempt_measured_keeps_its_environment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its figures would be compared as if measured on the cluster as it is now."""
    run_id = run_in_part(bench)
    (before,) = {case.fingerprint_id for case in bench.cases(run_id)}
    usual = FakeLink.fingerprint
    monkeypatch.setattr(
        FakeLink,
        "fingerprint",
        lambda link, seat=None: usual(link, seat).model_copy(
            update={"kubernetes_version": "v1.35.0"}
        ),
    )
    bench.take_up(run_id, Reopening.RETRY)
    bench.lead(run_id)

    (block,) = bench.blocks(run_id)
    assert block.fingerprint_id != before
    with work_with(bench.sessions, bench.queue) as work:
        (found,) = load(work, bench.owner.organization_id, [run_id]).values()
    again = {trial.case_id for trial in bench.trials(run_id)[TRIALS:]}
    assert {case.id: case.fingerprints for case in found.cases} == {
        case.id: frozenset(
            {block.fingerprint_id} if case.id in again else {before, block.fingerprint_id}
        )
        for case in found.cases
    }


@pytest.mark.parametrize("after", sampled([1, 3, 5, 6, 8, 11], 2))
def test_a_resume_goes_on_where_an_interruption_left(bench: Bench, after: int) -> None:
    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == after:
            bench.stopping.set()
            assert bench.stop.wait(60)

    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    kept = [trial.id for trial in bench.trials(run_id)]
    assert len(kept) == after

    bench.stopping.clear()
    bench.steps = lambda step: None
    bench.take_up(run_id, Reopening.RESUME)
    bench.lead(run_id)

    trials = bench.trials(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert [trial.id for trial in trials[:after]] == kept
    counted = [(trial.case_id, trial.number) for trial in trials if trial.status == "counted"]
    assert len(counted) == len(set(counted)) == 8
    assert bench.cluster.is_clean
