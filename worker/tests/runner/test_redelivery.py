"""The same task delivered again, at the same time or later, and a lease lost in the middle."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from core.tests.sampling import sampled
from sqlalchemy import update

from podmeter.db.base import now
from podmeter.db.models import Run
from podmeter.domain.ports import LogLevel
from podmeter.domain.run import Outcome, RunState
from podmeter.services.errors import FencedError
from podmeter.services.execution import claiming, recovery
from podmeter.services.runs import recording
from podmeter_worker.runner import run_lifecycle

from ..bench import SWITCHING, TRIALS, Bench

pytestmark = pytest.mark.services


def wait(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def test_a_task_delivered_after_the_end_does_nothing(bench: Bench) -> None:
    run_id = bench.new_run()
    assert bench.lead(run_id)
    assert not bench.lead(run_id)
    assert len(bench.trials(run_id)) == TRIALS


def test_a_task_delivered_twice_at_once_is_done_by_one(bench: Bench) -> None:
    run_id = bench.new_run()
    barrier = threading.Barrier(4)
    done: list[bool] = []

    def deliver(number: int) -> None:
        barrier.wait(60)
        done.append(bench.lead(run_id, holder=f"worker {number}"))

    threads = [threading.Thread(target=deliver, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(done) == [False, False, False, True]
    assert len(bench.trials(run_id)) == TRIALS
    assert bench.cluster.now()["n"] == 1


def test_a_task_delivered_while_the_run_is_worked_on_does_nothing(bench: Bench) -> None:
    answers: list[bool] = []

    def deliver(step: str) -> None:
        if step == "trial" and not answers:
            answers.append(bench.lead(run_id, holder="another"))

    bench.steps = deliver
    run_id = bench.new_run()
    bench.lead(run_id)
    assert answers == [False]
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert len(bench.trials(run_id)) == TRIALS


#: Each step of a run that switches modes.
STEPS = ["looking", "preparing", "trial", "saved", "patched", "restoring"]


@pytest.mark.parametrize("at", sampled(STEPS, 2))
def test_a_worker_whose_run_was_taken_over_stops_and_writes_nothing(bench: Bench, at: str) -> None:
    """It is paused for longer than its lease; another worker ends the run meanwhile."""
    paused, go_on = threading.Event(), threading.Event()

    def pause(step: str) -> None:
        if step == at and threading.current_thread() is first and not paused.is_set():
            paused.set()
            assert go_on.wait(60)

    bench.steps = pause
    run_id = bench.new_run(SWITCHING)
    raised: list[BaseException] = []

    def lead() -> None:
        try:
            bench.lead(run_id, holder="first")
        except BaseException as error:
            raised.append(error)

    # Paused means all of it: a process that is stopped has no heartbeat either.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(run_lifecycle, "Heartbeat", _NoHeartbeat)
        first = threading.Thread(target=lead)
        first.start()
        assert paused.wait(60)
    bench.give_up(run_id)
    assert bench.lead(run_id, holder="second")
    ended = bench.run(run_id)
    events, trials = len(bench.events(run_id)), len(bench.trials(run_id))
    assert ended.state is RunState.FINISHED
    expected = Outcome.SUCCEEDED if at == "restoring" else Outcome.INTERRUPTED
    assert ended.outcome is expected

    go_on.set()
    first.join(60)
    assert not first.is_alive()
    assert raised == []
    after = bench.run(run_id)
    assert (after.outcome, after.reason, after.last_event) == (
        ended.outcome,
        ended.reason,
        ended.last_event,
    )
    assert (len(bench.events(run_id)), len(bench.trials(run_id))) == (events, trials)


class _NoHeartbeat:
    def __init__(self, *_: object) -> None: ...

    def __enter__(self) -> "_NoHeartbeat":
        return self

    def __exit__(self, *_: object) -> None: ...


def test_a_heartbeat_keeps_the_lease_and_notices_its_loss(bench: Bench) -> None:
    bench.lease = timedelta(seconds=3)
    seen: list[bool] = []

    def hold_longer_than_the_lease(step: str) -> None:
        if step == "trial" and not seen:
            taken_until = bench.run(run_id).lease_expires_at
            assert taken_until is not None
            wait(lambda: now() > taken_until, "the lease it took would be over")
            wait(lambda: bench.run(run_id).lease_expires_at != taken_until, "it is renewed")
            seen.append(bench.lead(run_id, holder="another"))
            with bench.sessions.begin() as session:
                session.execute(update(Run).where(Run.id == run_id).values(fencing_token=10**9))
            assert bench.stop.wait(60)

    bench.steps = hold_longer_than_the_lease
    run_id = bench.new_run()
    bench.lead(run_id)
    assert seen == [False]
    assert bench.run(run_id).state is RunState.RUNNING  # the other one's now
    assert bench.trials(run_id) == []


def test_a_run_that_is_being_changed_has_a_worker(bench: Bench) -> None:
    """As by a heartbeat whose commit waits for a disk that hangs."""
    run_id, organization = bench.new_run(), bench.owner.organization_id
    over = timedelta(seconds=-1)
    bench.database.write(lambda w: claiming.claim(w, organization, run_id, "old", over))
    with bench.sessions.begin() as hanging:
        hanging.get_one(Run, run_id, with_for_update=True)
        bench.database.write(recovery.abandoned)
    assert bench.run(run_id).lease_found_expired_at is None
    bench.database.write(recovery.abandoned)
    assert bench.run(run_id).lease_found_expired_at is not None


def test_every_write_of_the_old_worker_is_refused(bench: Bench) -> None:
    run_id, organization = bench.new_run(), bench.owner.organization_id
    old = bench.database.write(
        lambda w: claiming.claim(w, organization, run_id, "old", bench.lease)
    )
    bench.give_up(run_id)
    new = bench.database.write(
        lambda w: claiming.claim(w, organization, run_id, "new", bench.lease)
    )
    assert old is not None
    assert new is not None
    assert new.run_hold.token > old.run_hold.token
    with pytest.raises(FencedError):
        bench.database.write(lambda w: recording.log(w, old.run_hold, LogLevel.INFO, "still here"))
