"""A worker that is stopped for longer than its lease, while another one ends its run, and woken."""

import os
import signal

import pytest

from podmeter.db.base import now
from podmeter.domain.run import Outcome, RunState

from .conftest import FakeStack
from .test_killed_worker import spec_on

pytestmark = [pytest.mark.services, pytest.mark.timeout(900)]
STEPS = ("preparing", "trial", "saved", "patched", "rolling", "restoring", "sweeping")


@pytest.mark.full
def test_a_woken_worker_changes_nothing_and_takes_nothing(fakes: FakeStack) -> None:
    fakes.extra["PODMETER_LEASE_SECONDS"] = "5"
    runs = {}
    for step in STEPS:
        fakes.add_cluster(step)
        fakes.hold_at(step, step)
        runs[step] = fakes.start_run(None, spec_on(step))
    stopped = fakes.start_worker(f"--concurrency={len(STEPS)}")
    for step in STEPS:
        fakes.wait(lambda step=step: fakes.is_held(step), f"it stands at {step}")  # type: ignore[misc]
    os.killpg(stopped.pid, signal.SIGSTOP)
    try:
        for step in STEPS:
            expires = fakes.run(runs[step]).lease_expires_at
            assert expires is not None
            fakes.wait(lambda expires=expires: now() > expires, "its lease is over")  # type: ignore[misc]
            fakes.let_go(step)
        fakes.start_worker()

        def all_over() -> bool:
            fakes.call_reaper()
            return all(fakes.run(run).state is RunState.FINISHED for run in runs.values())

        fakes.wait(all_over, "another worker ends the runs", 240)
        for step in STEPS:
            assert fakes.cluster_named(step).is_clean, step
            # As after another change of it: what the stopped one was about to do is seen.
        ended = {step: fakes.run(run).last_event for step, run in runs.items()}
    finally:
        os.killpg(stopped.pid, signal.SIGCONT)

    def ended_by_all() -> bool:
        # Each says that it lets go of its run, in whichever way it found out.
        return fakes.log_text().count("another worker has taken it") + fakes.log_text().count(
            "let go of while cleaning up"
        ) >= len(STEPS)

    fakes.wait(ended_by_all, "the woken worker lets go of every run")
    for step in STEPS:
        assert fakes.cluster_named(step).is_clean, step
        assert fakes.run(runs[step]).last_event == ended[step], step
    # It takes the next run as any worker does.
    fakes.add_cluster("next")
    run = fakes.wait_finished(fakes.start_run(None, spec_on("next")))
    assert run.outcome is Outcome.SUCCEEDED
