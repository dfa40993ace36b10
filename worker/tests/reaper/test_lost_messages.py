"""Messages that the broker lost or delivers twice, and what waits behind a run."""

import pytest
import redis

from podmeter.domain.run import Outcome, RunState
from podmeter.jobs import RUNS_QUEUE, AdvanceRun, Reap

from ..bench import TRIALS
from .conftest import FakeStack
from .test_killed_worker import spec_on

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]


def test_a_lost_run_is_started_by_the_reaper_and_registrations_of_one_cluster_take_turns(
    fakes: FakeStack,
) -> None:
    """With one worker: starting it takes most of the time of each."""
    fakes.add_cluster("c")
    run_id = fakes.start_run(None, spec_on("c"))
    redis.Redis.from_url(fakes.redis_url).flushdb()
    fakes.start_worker()
    assert fakes.wait_finished(run_id).outcome is Outcome.SUCCEEDED
    fakes.add_registration("again", "c")
    fakes.hold_at("c", "trial")
    first = fakes.start_run(None, spec_on("c"))
    second = fakes.start_run(None, spec_on("again"))
    fakes.wait(lambda: fakes.is_held("c"), "the first is measured")
    assert fakes.run(second).state is RunState.QUEUED
    fakes.let_go("c")
    assert fakes.wait_finished(first).outcome is Outcome.SUCCEEDED
    # Called by the end of the first, not by any reaper.
    assert fakes.wait_finished(second).outcome is Outcome.SUCCEEDED


@pytest.mark.full
def test_a_message_delivered_many_times_is_one_run(fakes: FakeStack) -> None:
    fakes.add_cluster("c")
    run_id = fakes.start_run(None, spec_on("c"))
    for _ in range(10):
        fakes.send(AdvanceRun(organization_id=fakes.owner.organization_id, run_id=run_id))
    fakes.start_worker("--concurrency=4")
    fakes.wait_finished(run_id)
    fakes.wait(lambda: fakes.queue.waiting(RUNS_QUEUE) == 0, "all messages are taken")
    assert len(fakes.trials(run_id)) == 2 * TRIALS


@pytest.mark.full
def test_the_reaper_does_not_pile_up_messages_for_runs_that_wait(fakes: FakeStack) -> None:
    """Two places to measure, both taken; the third run's message waits in the queue once."""
    runs = {}
    for name in ("a", "b", "c"):
        fakes.add_cluster(name)
        fakes.hold_at(name, "trial")
        runs[name] = fakes.start_run(None, spec_on(name))
    fakes.start_worker("--queues", RUNS_QUEUE)
    fakes.start_worker("--queues", "podmeter-upkeep")
    fakes.wait(lambda: fakes.is_held("a") and fakes.is_held("b"), "two are measured")
    before = fakes.queue.waiting(RUNS_QUEUE)
    for _ in range(5):
        fakes.send(Reap())
    fakes.wait(lambda: fakes.log_text().count("podmeter.reap[") >= 10, "the reaper went round")
    assert fakes.queue.waiting(RUNS_QUEUE) == before == 1
    for name in runs:
        fakes.let_go(name)
    for run_id in runs.values():
        assert fakes.wait_finished(run_id).outcome is Outcome.SUCCEEDED
