"""A cancel at any moment goes through cleaning, and nothing of the run stays behind."""

import pytest
from core.tests.sampling import sampled

from podmeter.domain.run import CaseStatus, Outcome, RunState
from podmeter.domain.trial import TrialStatus

from ..bench import SWITCHING, Bench

pytestmark = pytest.mark.services

#: Each step of a run that switches modes, and the state it is taken in.
STEPS = {
    "looking": RunState.PREFLIGHT,
    "preparing": RunState.RUNNING,
    "trial": RunState.RUNNING,
    "saved": RunState.RUNNING,
    "patched": RunState.RUNNING,
    "rolling": RunState.RUNNING,
    "switched": RunState.RUNNING,
}


@pytest.mark.parametrize("at", sampled(STEPS, 3))
def test_a_cancel_is_obeyed_at_each_step(bench: Bench, at: str) -> None:
    states: list[RunState] = []

    def cancel(step: str) -> None:
        if step == at and not states:
            states.append(bench.run(run_id).state)
            bench.cancel(run_id)
            # The heartbeat notices by itself; the step runs until then.
            assert bench.stop.wait(60)

    bench.steps = cancel
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert states == [STEPS[at]]
    assert (run.state, run.outcome) == (RunState.FINISHED, Outcome.CANCELLED)
    assert run.reason == "cancelled by its owner"
    assert bench.cluster.is_clean
    assert all(saved.restored_at for saved in bench.saved_modes(run_id))
    kept = [trial for trial in bench.trials(run_id) if trial.status is TrialStatus.COUNTED]
    if at in ("looking", "preparing", "trial"):
        assert kept == []
        assert {case.status for case in bench.cases(run_id)} == {CaseStatus.SKIPPED}
    else:
        # The first block was through, in the mode that stood.
        assert len(kept) == 4
        statuses = [case.status for case in bench.cases(run_id)]
        assert statuses.count(CaseStatus.SUCCEEDED) == 2
        assert statuses.count(CaseStatus.SKIPPED) == 2


@pytest.mark.parametrize("at", ["restoring", "sweeping"])
def test_a_cancel_while_cleaning_changes_nothing(bench: Bench, at: str) -> None:
    def cancel(step: str) -> None:
        if step == at:
            bench.cancel(run_id)

    bench.steps = cancel
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert bench.cluster.is_clean


def test_a_queued_run_that_is_cancelled_touches_nothing(bench: Bench) -> None:
    run_id = bench.new_run()
    bench.cancel(run_id)
    assert not bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.CANCELLED
    assert bench.cluster.now()["n"] == 0


def test_a_worker_that_is_shut_down_leaves_a_clean_cluster(bench: Bench) -> None:
    def shut_down(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == 3:
            bench.stopping.set()
            assert bench.stop.wait(60)

    bench.steps = shut_down
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.INTERRUPTED
    assert "shut down" in run.reason
    assert len(bench.trials(run_id)) == 3
    assert bench.cluster.is_clean
