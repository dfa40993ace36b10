"""What a container's health check says of the worker in it."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from core.tests.away import away

from podmeter.settings import get_settings
from podmeter.stack import heartbeats
from podmeter.stack.heartbeats import KEY, SILENT_SECONDS, Part
from podmeter.stack.shortages import Resource, of_broker
from podmeter_worker import heartbeat_files
from podmeter_worker.alive import problem
from podmeter_worker.broker import make_app
from podmeter_worker.heartbeats import BeatingScheduler, Heartbeat

pytestmark = pytest.mark.services


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    opened = redis.Redis.from_url(redis_url)
    opened.delete(KEY)
    yield opened
    opened.delete(KEY)


def test_a_part_that_goes_on_is_well(client: redis.Redis) -> None:
    heartbeats.beat(client, Part.RUNS, "one")
    assert problem(client, "one") is None


def test_another_machines_sign_of_life_is_not_this_ones(client: redis.Redis) -> None:
    heartbeats.beat(client, Part.RUNS, "one")
    assert problem(client, "another") == "no sign of life from another"


def test_a_silent_part_is_named_though_another_goes_on(client: redis.Redis) -> None:
    heartbeats.beat(client, Part.RUNS, "one")
    second, _ = client.time()
    client.hset(KEY, "upkeep one", second - SILENT_SECONDS - 1)
    assert problem(client, "one") == "silent: upkeep"


def test_where_redis_is_away_the_worker_is_not_to_blame() -> None:
    assert problem(away(), "one") is None


def test_where_redis_refuses_to_write_the_worker_is_not_to_blame(client: redis.Redis) -> None:
    second, _ = client.time()
    client.hset(KEY, "runs one", second - SILENT_SECONDS - 1)
    client.config_set("min-replicas-to-write", 1)
    try:
        assert problem(client, "one") is None
    finally:
        client.config_set("min-replicas-to-write", 0)
    assert problem(client, "one") == "silent: runs"


def test_a_silent_part_is_to_blame_while_redis_is_nearly_full(client: redis.Redis) -> None:
    """It still takes signs of life."""
    second, _ = client.time()
    client.hset(KEY, "runs one", second - SILENT_SECONDS - 1)
    # Not sent as a value, whose buffer Redis would give back at some later moment.
    client.setrange("large", 20 * 2**20 - 1, b"x")
    client.config_set("maxmemory", int(client.info("memory")["used_memory"] / 0.95))
    try:
        assert [one.resource for one in of_broker(client)] == [Resource.BROKER_MEMORY]
        assert problem(client, "one") == "silent: runs"
    finally:
        client.config_set("maxmemory", 0)
        client.delete("large")


def test_a_part_without_redis_says_to_its_machine_that_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = get_settings().model_copy(update={"state_dir": tmp_path})
    monkeypatch.setattr("podmeter_worker.heartbeats.get_settings", lambda: settings)
    Heartbeat(make_app("redis://127.0.0.1:1/0", tasks=()), [Part.RUNS]).beat()
    assert heartbeat_files.all_fresh(heartbeat_files.folder(tmp_path), 60)


def _checked(state: Path) -> subprocess.CompletedProcess[str]:
    """The health check as a container runs it, with a Redis that is not there to be asked."""
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "podmeter_worker.alive"],
        env={**os.environ, "PODMETER_STATE_DIR": str(state), "REDIS_URL": "nonsense"},
        capture_output=True,
        text=True,
    )


def test_where_files_say_that_all_go_on_redis_is_not_asked(tmp_path: Path) -> None:
    for part in Part:
        heartbeat_files.touch(heartbeat_files.folder(tmp_path), part)
    found = _checked(tmp_path)
    assert found.returncode == 0, found.stderr
    imported = {line.rpartition("|")[2].strip() for line in found.stderr.splitlines()}
    assert not imported & {"redis", "pydantic", "celery", "sqlalchemy"}


@pytest.mark.parametrize("old", [True, False])
def test_where_they_do_not_redis_is(old: bool, tmp_path: Path) -> None:
    folder = heartbeat_files.folder(tmp_path)
    heartbeat_files.touch(folder, Part.RUNS)
    heartbeat_files.touch(folder, Part.BEAT)
    if old:
        long_ago = time.time() - SILENT_SECONDS
        os.utime(folder / Part.BEAT, (long_ago, long_ago))
    else:
        for part in (Part.RUNS, Part.BEAT):
            heartbeat_files.remove(folder, part)
    assert _checked(tmp_path).returncode == 1


def test_what_cannot_be_written_is_left_to_redis(tmp_path: Path) -> None:
    (tmp_path / "alive").write_text("in the way")
    heartbeat_files.touch(tmp_path / "alive", Part.RUNS)
    assert not heartbeat_files.all_fresh(tmp_path / "alive", 10)


def test_all_is_due_when_beat_starts_and_it_leaves_no_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    app = make_app("redis://127.0.0.1:1/0", tasks=())
    scheduler = BeatingScheduler(app, schedule_filename=str(tmp_path / "schedule"))
    assert set(scheduler.schedule) == set(app.conf.beat_schedule)
    assert all(entry.is_due().is_due for entry in scheduler.schedule.values())
    assert list(tmp_path.iterdir()) == []
