"""A database that cannot be used for a while, as a run sees it."""

import threading
import time

import psycopg
import pytest
from psycopg.errors import DeadlockDetected, DiskFull, StatementTooComplex
from sqlalchemy.exc import OperationalError

from podmeter.domain.run import Outcome
from podmeter.domain.trial import TrialStatus
from podmeter.services.work import Work
from podmeter_worker.runner.database import PATIENCE_SECONDS

from ..bench import TRIALS, Bench

pytestmark = pytest.mark.services


class Failing:
    """Raises an error until a moment. Time passes where somebody sleeps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 0.0
        self.error: type[psycopg.OperationalError] = DiskFull
        self.until = 0.0
        monkeypatch.setattr(time, "monotonic", lambda: self.seconds)
        monkeypatch.setattr(time, "sleep", self.sleep)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def store(self, _: Work) -> float:
        if self.seconds < self.until:
            raise OperationalError("INSERT", {}, self.error())
        return self.seconds


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Failing:
    return Failing(monkeypatch)


def test_a_full_disk_is_waited_for_until_somebody_has_made_room(
    bench: Bench, failing: Failing
) -> None:
    database = bench.database
    failing.until = 20 * 60
    assert database.write(failing.store) == pytest.approx(20 * 60, abs=1)
    assert database.waited_seconds == pytest.approx(20 * 60, abs=1)
    assert database.write(failing.store) == failing.seconds
    assert database.waited_seconds == pytest.approx(20 * 60, abs=1)


@pytest.mark.parametrize(("seconds", "waited"), [(2.0, 0.0), (20.0, 20.0)])
def test_a_disk_that_hangs_is_a_wait_and_a_busy_one_is_not(
    bench: Bench, failing: Failing, seconds: float, waited: float
) -> None:
    database = bench.database
    database.write(lambda _: failing.sleep(seconds))
    assert database.waited_seconds == waited


def test_waits_one_after_the_other_are_as_long_as_one_alone(bench: Bench, failing: Failing) -> None:
    database = bench.database
    failing.until = 1e9
    for _ in range(2):
        with pytest.raises(OperationalError):
            database.write(failing.store)
        assert failing.seconds == pytest.approx(PATIENCE_SECONDS, abs=1)
    # Hours later it is another outage.
    begun = failing.seconds = 1e5
    with pytest.raises(OperationalError):
        database.write(failing.store)
    assert failing.seconds - begun == pytest.approx(PATIENCE_SECONDS, abs=1)


def test_what_never_succeeds_is_not_tried_again(bench: Bench, failing: Failing) -> None:
    failing.until = 1e9
    failing.error = StatementTooComplex
    with pytest.raises(OperationalError):
        bench.database.write(failing.store)
    assert failing.seconds == 0
    failing.error = DeadlockDetected
    with pytest.raises(OperationalError):
        bench.database.write(failing.store)
    assert failing.seconds == pytest.approx(10, abs=1)


def test_a_worker_that_is_asked_to_end_waits_for_seconds(
    bench: Bench, failing: Failing, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing.until = 1e9
    asked_at = 60.0
    stopping = threading.Event()
    monkeypatch.setattr(stopping, "is_set", lambda: failing.seconds >= asked_at)
    bench.stopping = stopping
    with pytest.raises(OperationalError):
        bench.database.write(failing.store)
    assert failing.seconds == pytest.approx(asked_at + 10, abs=1)


def test_a_trial_that_waited_for_the_database_is_void_and_run_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = bench.database
    monkeypatch.setattr(Bench, "database", database)
    held_up = iter([40.0])

    def hold_up(step: str) -> None:
        if step == "trial":
            database.waited_seconds += next(held_up, 0.0)

    bench.steps = hold_up
    run_id = bench.new_run()
    assert bench.lead(run_id)
    void, *others = bench.trials(run_id)
    assert (void.status, void.failure_code) == (TrialStatus.VOID, "held_up")
    assert "waited 40 s for Podmeter's database" in str(void.failure_message)
    assert len(others) == TRIALS
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
