"""What a container's health check says of the worker in it."""

from collections.abc import Iterator

import pytest
import redis

from podmeter.stack import heartbeats
from podmeter.stack.heartbeats import KEY, SILENT_SECONDS, Part
from podmeter_worker.alive import problem

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
    assert problem(redis.Redis("127.0.0.1", 1), "one") is None
