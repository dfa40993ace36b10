"""A real worker and its beat say that they go on, and are not missed when asked to end."""

import pytest
import redis

from podmeter.stack import heartbeats
from podmeter.stack.heartbeats import Health, Part

from .conftest import FakeStack

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]


def test_every_part_of_a_worker_is_seen(fakes: FakeStack) -> None:
    client = redis.Redis.from_url(fakes.redis_url)

    def going() -> set[Part]:
        return {life.part for life in heartbeats.lives(client) if life.health is Health.OK}

    assert going() == set()
    worker = fakes.start_worker("--beat", "--schedule", str(fakes.folder / "schedule"))
    fakes.wait(lambda: going() == set(heartbeats.NEEDED), "all parts are seen")
    worker.terminate()
    assert worker.wait(60) == 0
    assert going() <= {Part.BEAT}
