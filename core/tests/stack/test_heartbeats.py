"""Signs of life, on a real Redis."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import redis

from podmeter.stack import heartbeats
from podmeter.stack.heartbeats import Health, Part, judged, lives

NOW = 1_800_000_000


def told(**seconds: int) -> dict[bytes, bytes]:
    return {
        name.replace("_", " ").encode(): str(NOW - ago).encode() for name, ago in seconds.items()
    }


def said(beats: dict[bytes, bytes]) -> dict[str, Health]:
    return {f"{life.part} {life.name}".strip(): life.health for life in judged(beats, NOW)}


def test_a_part_that_missed_three_beats_is_silent_since_its_last() -> None:
    found = judged(told(runs_h=5, upkeep_h=21, beat_h=0), NOW)
    assert {life.part: life.health for life in found} == {
        Part.RUNS: Health.OK,
        Part.UPKEEP: Health.SILENT,
        Part.BEAT: Health.OK,
    }
    silent = next(life for life in found if life.part is Part.UPKEEP)
    assert silent.seen == datetime.fromtimestamp(NOW - 21, UTC)


def test_a_part_that_was_never_seen_is_said_to_be() -> None:
    assert said({}) == dict.fromkeys(heartbeats.NEEDED, Health.UNSEEN)
    assert said(told(runs_h=0, beat_h=0)) == {
        "runs h": Health.OK,
        "beat h": Health.OK,
        "upkeep": Health.UNSEEN,
    }


def test_one_of_several_is_missed_for_an_hour_and_the_only_one_for_ever() -> None:
    whole = told(upkeep_h=0, beat_h=0)
    assert said(whole | told(runs_a=0, runs_b=3000))["runs b"] is Health.SILENT
    assert "runs b" not in said(whole | told(runs_a=0, runs_b=4000))
    assert said(whole | told(runs_b=40_000))["runs b"] is Health.SILENT


@pytest.mark.services
class TestOnRedis:
    @pytest.fixture
    def client(self, redis_url: str) -> Iterator[redis.Redis]:
        client = redis.Redis.from_url(redis_url)
        client.delete(heartbeats.KEY)
        yield client
        client.delete(heartbeats.KEY)
        client.close()

    def test_who_beats_is_seen_and_who_leaves_is_not_missed(self, client: redis.Redis) -> None:
        heartbeats.beat(client, Part.RUNS, "h")
        heartbeats.beat(client, Part.API, "h process 1")
        found = {(life.part, life.name): life.health for life in lives(client)}
        assert found[Part.RUNS, "h"] is Health.OK
        assert found[Part.API, "h process 1"] is Health.OK
        heartbeats.leave(client, Part.API, "h process 1")
        assert Part.API not in {life.part for life in lives(client)}
