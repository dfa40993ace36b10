"""PostgreSQL and Redis end and come back while a run is measured, or refuse to write."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import redis

from podmeter.db.base import now
from podmeter.db.migrate import migrate
from podmeter.db.session import make_engine, make_sessions
from podmeter.domain.run import Outcome
from podmeter.jobs import Reap
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.process import wait_until
from podmeter.stack.redis import EmbeddedRedis

from ..bench import TRIALS
from .conftest import FakeStack
from .test_killed_worker import spec_on

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]
MIGRATIONS = Path(__file__).parents[3] / "migrations"


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(tmp_path / "postgres", "for-tests")
    server.start()
    migrate(MIGRATIONS, server.url())
    yield server
    server.stop()


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(tmp_path / "redis", "for-tests")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own(
    postgres: EmbeddedPostgres, redis_server: EmbeddedRedis, tmp_path: Path
) -> Iterator[FakeStack]:
    """A stack whose servers nobody else uses, so they may be ended."""
    engine = make_engine(postgres.url())
    stack = FakeStack(make_sessions(engine), postgres.url(), redis_server.url(), tmp_path)
    stack.use_fakes()
    # A lease that outlives the restart on a busy machine, too: the run is nobody else's.
    stack.extra["PODMETER_LEASE_SECONDS"] = "120"
    yield stack
    stack.stop()
    engine.dispose()


@pytest.mark.full
def test_a_run_goes_on_through_a_restart_of_both(
    own: FakeStack, postgres: EmbeddedPostgres, redis_server: EmbeddedRedis
) -> None:
    own.add_cluster("c")
    own.hold_at("c", "trial")
    run_id = own.start_run(None, spec_on("c"))
    own.start_worker("--beat")
    own.wait(lambda: own.is_held("c"), "a trial runs")
    holder = own.run(run_id).holder

    redis_server.stop()
    postgres.stop()
    own.let_go("c")  # the trial ends while there is no database to store it in
    postgres.start()
    redis_server.start()

    run = own.wait_finished(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert len(own.trials(run_id)) == 2 * TRIALS
    assert holder is not None
    assert run.attempt == 1
    assert own.cluster_named("c").is_clean
    # The same worker takes the next run too.
    assert own.wait_finished(own.start_run(None, spec_on("c"))).outcome is Outcome.SUCCEEDED


def test_a_run_goes_on_though_the_database_is_away_for_longer_than_its_lease(
    own: FakeStack, postgres: EmbeddedPostgres
) -> None:
    own.extra["PODMETER_LEASE_SECONDS"] = "5"
    own.add_cluster("c")
    own.hold_at("c", "trial")
    run_id = own.start_run(None, spec_on("c"))
    own.start_worker("--beat")
    own.wait(lambda: own.is_held("c"), "a trial runs")

    postgres.stop()
    stopped_at = now()
    own.let_go("c")
    lease = timedelta(seconds=5)
    own.wait(lambda: now() > stopped_at + 2 * lease, "the lease has run out for long")
    # The reaper waits for the database too, and asks more often than the run's heartbeat.
    assert "the database is away" in own.log_text()
    postgres.start()

    run = own.wait_finished(run_id)
    assert (run.outcome, run.reason, run.attempt) == (Outcome.SUCCEEDED, "", 1)
    assert own.cluster_named("c").is_clean


def test_a_run_goes_on_while_redis_refuses_to_write(
    own: FakeStack, redis_server: EmbeddedRedis
) -> None:
    own.add_cluster("c")
    own.hold_at("c", "trial")
    run_id = own.start_run(None, spec_on("c"))
    worker = own.start_worker("--beat")
    own.wait(lambda: own.is_held("c"), "a trial runs")

    with redis.Redis.from_url(redis_server.url()) as client:
        # It has no replica. On a full disk it refuses the same commands.
        client.config_set("min-replicas-to-write", 1)

        def refused(command: str) -> int:
            stats = client.info("commandstats").get(f"cmdstat_{command}", {})
            return int(stats.get("rejected_calls", 0))

        # To wait for a message is a write.
        own.wait(lambda: refused("brpop"), "it is refused a message")
        own.wait(lambda: own.log_text().count("Cannot connect") >= 3, "it tries again")
        own.let_go("c")
        own.wait(lambda: len(own.trials(run_id)) == 2 * TRIALS, "all trials are stored")
        waiting = own.start_run(None, spec_on("c"))
        client.config_set("min-replicas-to-write", 0)

    run = own.wait_finished(run_id)
    assert (run.outcome, run.reason, run.attempt) == (Outcome.SUCCEEDED, "", 1)
    assert len(own.trials(run_id)) == 2 * TRIALS
    assert own.cluster_named("c").is_clean
    # Beat brings the run whose message was refused, and the same worker takes it.
    assert own.wait_finished(waiting).outcome is Outcome.SUCCEEDED
    assert worker.poll() is None
    # It waited between its tries.
    assert "Frequent restarts" not in own.log_text()


def test_a_killed_run_is_put_right_though_redis_is_away(
    own: FakeStack, redis_server: EmbeddedRedis
) -> None:
    """Its modes stand half switched, and nobody can be sent a message about it."""
    own.extra["PODMETER_LEASE_SECONDS"] = "10"
    own.add_cluster("c")
    own.hold_at("c", "rolling")
    run_id = own.start_run(None, spec_on("c"))
    worker = own.start_worker()
    own.wait(lambda: own.is_held("c"), "a mode is being switched")
    own.kill(worker)
    own.let_go("c")
    redis_server.stop()

    own.start_upkeep()
    run = own.wait_finished(run_id)
    assert run.outcome is Outcome.INTERRUPTED
    assert own.cluster_named("c").is_clean


def test_a_worker_that_leads_nothing_ends_in_seconds_though_the_database_is_away(
    own: FakeStack, postgres: EmbeddedPostgres
) -> None:
    worker = own.start_worker()
    own.wait(lambda: "ready." in own.log_text(), "it takes messages")
    postgres.stop()
    # What beat says every few seconds: to look for runs whose worker is gone.
    own.send(Reap())
    own.wait(lambda: "the database is away" in own.log_text(), "it asks for the database")
    worker.terminate()
    assert wait_until(lambda: worker.poll() is not None, 30)
