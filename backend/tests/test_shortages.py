"""What runs out is said by /readyz, /readyz/parts and /metrics, and no longer than it is so."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import redis
from core.tests.files import files_left
from fastapi.testclient import TestClient

from podmeter.stack import heartbeats, open_files
from podmeter.stack.heartbeats import Part
from podmeter.stack.process import wait_until
from podmeter.stack.shortages import DATABASE_RESOURCES, Resource, Shortage
from podmeter_api.queue_metrics import (
    Figures,
    as_text,
    broker_figures,
    database_figures,
    no_figures,
)
from podmeter_api.readiness import look, own_shortages
from podmeter_api.state import AppState

pytestmark = pytest.mark.services


@pytest.fixture
def full(redis_client: redis.Redis) -> Iterator[redis.Redis]:
    """A Redis without memory, until it has some again."""
    for part in Part:
        heartbeats.beat(redis_client, part, "here")
    redis_client.config_set("maxmemory", 1)
    yield redis_client
    redis_client.config_set("maxmemory", 0)


def short(admin: TestClient) -> dict[str, str]:
    """The metric, by resource."""
    return shown(admin.get("/metrics").text)


def shown(metrics: str) -> dict[str, str]:
    """The metric in a page of all."""
    found = [line for line in metrics.splitlines() if line.startswith("podmeter_short{")]
    return {line.split('"')[1]: line.split()[-1] for line in found}


def test_a_redis_that_refuses_writes(admin: TestClient, full: redis.Redis) -> None:
    for path in ("/readyz", "/readyz/parts"):
        answer = admin.get(path)
        assert answer.status_code == 503
        assert answer.json()["broker"].startswith("refuses to write: ")
        assert set(answer.json()["short"]) == {"broker_writes"}
    # What else it runs out of is not read, nor what processes would report there.
    told = dict.fromkeys(DATABASE_RESOURCES, "0.0") | {"broker_writes": "1.0"}
    # A busy machine may read nothing within 5 s.
    assert wait_until(lambda: short(admin) == told, 30)
    full.config_set("maxmemory", 0)
    assert wait_until(lambda: admin.get("/readyz/parts").status_code == 200, 30)
    assert wait_until(lambda: short(admin) == dict.fromkeys(Resource, "0.0"), 30)


def test_what_was_not_read_is_not_short_nor_has_enough() -> None:
    """It was 0, as if there were enough, where the database did not answer within 5 s."""
    files = Shortage(Resource.FILES, "1000 of 1024 files are open")
    crowded = Shortage(Resource.DATABASE_CONNECTIONS, "98 of 100 connections are in use")
    late = no_figures("database", "got no answer within 5 s")

    def figures(own: list[Shortage], database: Figures, broker: Figures) -> dict[str, str]:
        return shown(as_text(own, database, broker).decode())

    found = figures([], late, Figures(True))
    assert found == dict.fromkeys(set(Resource) - DATABASE_RESOURCES, "0.0")
    found = figures([files], Figures(True), no_figures("broker", "got no answer within 5 s"))
    assert found == dict.fromkeys(DATABASE_RESOURCES, "0.0") | {"files": "1.0"}
    # What was read before the rest could not be is there.
    found = figures([], no_figures("database", "away", [crowded]), Figures(True))
    assert found["database_connections"] == "1.0"
    assert "database_writes" not in found


def test_what_the_role_of_redis_may_not_read_is_missing(
    state: AppState, redis_client: redis.Redis
) -> None:
    """It was 0, as if Redis had enough memory and disk."""
    redis_client.acl_setuser(
        "limited", enabled=True, nopass=True, keys="*", commands=["+@all", "-info"]
    )
    pool = redis_client.connection_pool.connection_kwargs
    where = {"host": pool["host"], "port": pool["port"], "db": pool["db"]}
    try:
        with redis.Redis(**where, username="limited", password="any") as limited:
            figures = broker_figures(replace(state, redis=limited))
    finally:
        redis_client.acl_deluser("limited")
    unread = {Resource.BROKER_MEMORY, Resource.BROKER_DISK}
    found = shown(as_text([], Figures(True), figures).decode())
    assert found == dict.fromkeys(set(Resource) - unread, "0.0")


def test_its_own_shortages_show_while_redis_takes_no_report(
    admin: TestClient, full: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were reported through Redis alone, and so vanished when a full disk stopped it."""
    monkeypatch.setattr(open_files, "limit", lambda: 1)
    answer = admin.get("/readyz/parts")
    assert set(answer.json()["short"]) == {"broker_writes", "files"}
    assert answer.json()["short"]["files"].startswith("api ")
    assert short(admin)["files"] == short(admin)["broker_writes"] == "1.0"


def test_a_process_without_free_files_says_so_and_what_it_cannot_reach(state: AppState) -> None:
    """Any step of connecting may take the last file; an unexpected error answered 500."""
    assert look(state).ready
    for count in range(6):
        state.engine.dispose()
        state.redis.connection_pool.disconnect()
        with files_left(count):
            found = look(state)
            figures = database_figures(state), broker_figures(state)
            lines = as_text(own_shortages(state), *figures).decode().splitlines()
        assert "files" in found.short
        assert 'podmeter_short{resource="files"} 1.0' in lines
        if not count:
            assert found.database == found.broker == "cannot be reached"
            assert 'podmeter_dependency_up{dependency="database"} 0.0' in lines
    assert look(state).ready


def test_what_a_part_runs_out_of_is_no_reason_to_take_the_api_away(
    admin: TestClient, state: AppState
) -> None:
    for part in Part:
        heartbeats.beat(state.redis, part, "here")
    few = Shortage(Resource.FILES, "1000 of 1024 files are open")
    heartbeats.tell(state.redis, Part.RUNS, "a-machine", [few])
    assert admin.get("/readyz").status_code == 200
    answer = admin.get("/readyz/parts")
    assert answer.status_code == 503
    assert answer.json()["short"] == {"files": "runs a-machine: 1000 of 1024 files are open"}
    assert short(admin)["files"] == "1.0"
