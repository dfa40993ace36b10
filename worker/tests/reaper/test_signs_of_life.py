"""A real worker and its beat say that they go on, and are not missed when asked to end."""

import subprocess
import sys

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
    worker = fakes.start_worker("--beat")
    fakes.wait(lambda: going() == set(heartbeats.NEEDED), "all parts are seen")
    worker.terminate()
    assert worker.wait(60) == 0
    assert going() <= {Part.BEAT}


def test_beat_alone_is_not_missed_once_it_was_asked_to_end(fakes: FakeStack) -> None:
    client = redis.Redis.from_url(fakes.redis_url)

    def health() -> set[Health]:
        return {life.health for life in heartbeats.lives(client) if life.part is Part.BEAT}

    beat = subprocess.Popen(
        [sys.executable, "-m", "podmeter_worker", "beat"],
        env={**fakes.environment(), "PODMETER_STATE_DIR": str(fakes.folder)},
        cwd=fakes.folder,
    )
    try:
        fakes.wait(lambda: health() == {Health.OK}, "beat is seen")
        beat.terminate()
        assert beat.wait(60) == 0
        assert health() == {Health.UNSEEN}
    finally:
        beat.kill()
        beat.wait()
