"""A worker's whole process group is killed at each step; the next worker puts everything right."""

import uuid
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from podmeter.db.models import CaseRecord, SavedMode
from podmeter.domain.run import Outcome, Reopening, RunState
from podmeter.services.runs import run_control
from podmeter.services.work import work_with

from ..bench import SWITCHING, SWITCHING_TRIALS
from .conftest import FakeStack

pytestmark = [pytest.mark.services, pytest.mark.timeout(900)]

#: Each named step, the state it is taken in, and how many trials are stored by then.
STEPS = {
    "looking": (RunState.PREFLIGHT, 0),
    "preparing": (RunState.RUNNING, 0),
    "trial": (RunState.RUNNING, 0),
    "saved": (RunState.RUNNING, 6),
    "patched": (RunState.RUNNING, 6),
    "rolling": (RunState.RUNNING, 6),
    "switched": (RunState.RUNNING, 6),
    "restoring": (RunState.CLEANING, 12),
    "restored": (RunState.CLEANING, 12),
    "sweeping": (RunState.CLEANING, 12),
    "swept": (RunState.CLEANING, 12),
}


def spec_on(cluster: str) -> dict[str, Any]:
    return {**SWITCHING, "axes": {**SWITCHING["axes"], "cluster": [cluster]}}


@pytest.mark.full
def test_nothing_is_lost_whatever_step_the_worker_is_killed_at(fakes: FakeStack) -> None:
    runs: dict[str, uuid.UUID] = {}
    for step in STEPS:
        fakes.add_cluster(step)
        fakes.hold_at(step, step)
        runs[step] = fakes.start_run(None, spec_on(step))
    worker = fakes.start_worker(f"--concurrency={len(STEPS)}")
    for step in STEPS:
        fakes.wait(lambda step=step: fakes.is_held(step), f"it stands at {step}")  # type: ignore[misc]
    stored = {step: [trial.id for trial in fakes.trials(runs[step])] for step in STEPS}

    fakes.kill(worker)

    for step, (state, trials) in STEPS.items():
        assert (fakes.run(runs[step]).state, len(stored[step])) == (state, trials), step
        fakes.let_go(step)
    fakes.start_worker("--concurrency=4")

    def all_over() -> bool:
        fakes.call_reaper()
        return all(fakes.run(run).state is RunState.FINISHED for run in runs.values())

    fakes.wait(all_over, "all runs are ended", 240)
    for step, (state, _) in STEPS.items():
        run = fakes.run(runs[step])
        if state is RunState.CLEANING:
            assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, ""), step
        else:
            assert run.outcome is Outcome.INTERRUPTED, step
            assert run.reason.startswith(
                f"the worker stopped responding while the run was in state {state}"
            ), step
        assert [trial.id for trial in fakes.trials(runs[step])] == stored[step], step
        assert fakes.cluster_named(step).is_clean, step
        with fakes.sessions() as session:
            query = select(SavedMode).where(SavedMode.run_id == run.id)
            assert all(saved.restored_at for saved in session.scalars(query)), step
            unsettled = select(CaseRecord).where(
                CaseRecord.run_id == run.id, CaseRecord.status.in_(["pending", "running"])
            )
            assert session.scalars(unsettled).all() == [], step

    interrupted = [step for step, (state, _) in STEPS.items() if state is not RunState.CLEANING]
    for step in interrupted:
        with work_with(fakes.sessions, fakes.queue) as work:
            run_control.take_up(work, fakes.owner, runs[step], Reopening.RESUME)
    for step in interrupted:
        run = fakes.wait_finished(runs[step])
        assert run.outcome is Outcome.SUCCEEDED, (step, run.reason)
        after = fakes.trials(run.id)
        assert [trial.id for trial in after[: len(stored[step])]] == stored[step]
        assert len(after) == SWITCHING_TRIALS, step
        assert fakes.cluster_named(step).is_clean


def test_beat_finds_what_a_killed_worker_left_without_being_asked(fakes: FakeStack) -> None:
    fakes.add_cluster("c")
    fakes.hold_at("c", "patched")
    run_id = fakes.start_run(None, spec_on("c"))
    worker = fakes.start_worker()
    fakes.wait(lambda: fakes.is_held("c"), "the mode is patched")
    fakes.kill(worker)
    fakes.let_go("c")
    fakes.start_worker("--beat")
    run = fakes.wait_finished(run_id)
    assert run.outcome is Outcome.INTERRUPTED
    assert fakes.cluster_named("c").is_clean


def test_a_worker_that_is_asked_to_end_cleans_up_first(fakes: FakeStack) -> None:
    fakes.add_cluster("c")
    fakes.hold_at("c", "switched")
    run_id = fakes.start_run(None, spec_on("c"))
    worker = fakes.start_worker()
    fakes.wait(lambda: fakes.is_held("c"), "the mode is switched")
    worker.terminate()
    fakes.wait(lambda: fakes.is_stopping("c"), "the run knows that it must stop")
    fakes.let_go("c")
    assert worker.wait(60) == 0
    run = fakes.run(run_id)
    assert (run.state, run.outcome) == (RunState.FINISHED, Outcome.INTERRUPTED)
    assert "shut down" in run.reason
    assert fakes.cluster_named("c").is_clean


@pytest.mark.full
def test_a_measuring_process_ends_with_its_worker(fakes: FakeStack) -> None:
    """The worker alone is killed, as by the kernel that is out of memory: not its group."""
    fakes.add_cluster("c")
    fakes.hold_at("c", "trial")
    run_id = fakes.start_run(None, spec_on("c"))
    worker = fakes.start_worker()
    fakes.wait(lambda: fakes.is_held("c"), "a trial runs")
    measuring = children_of(worker.pid)
    assert measuring
    worker.kill()
    worker.wait(60)
    fakes.wait(
        lambda: not any(map(lives, measuring)),
        "its processes are gone",
        20,
    )
    fakes.let_go("c")
    fakes.start_worker()

    def over() -> bool:
        fakes.call_reaper()
        return fakes.run(run_id).state is RunState.FINISHED

    fakes.wait(over, "another worker ends the run")
    assert fakes.run(run_id).outcome is Outcome.INTERRUPTED
    assert fakes.cluster_named("c").is_clean


def children_of(pid: int) -> list[int]:
    """The processes that a process has forked."""
    listed = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for path in listed for word in path.read_text().split()]


def lives(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
