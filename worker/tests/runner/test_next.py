"""Which run a free worker takes, and what its log lines and its counts say of it."""

import logging
import uuid
from collections.abc import Iterator, Mapping
from functools import partial

import pytest
import redis
from core.tests.away import away

from podmeter import logs
from podmeter.domain.run import Outcome, RunState
from podmeter.stack import counts
from podmeter.stack.counts import Count
from podmeter_worker import counting
from podmeter_worker.counting import Tally
from podmeter_worker.runner import block, run_lifecycle, trials
from podmeter_worker.runner.heartbeat import Heartbeat
from podmeter_worker.runner.run_lifecycle import drive_next_run

from ..bench import TRIALS, Bench

pytestmark = pytest.mark.services


@pytest.fixture
def tally(monkeypatch: pytest.MonkeyPatch) -> Tally:
    """A tally of the test's own."""
    own = Tally()
    for module in (counting, block, run_lifecycle, trials):
        monkeypatch.setattr(module, "tally", own)
    return own


def next_one(bench: Bench, named: uuid.UUID) -> bool:
    return drive_next_run(
        bench.database,
        lambda organization_id: partial(bench.connect, organization_id),
        bench.owner.organization_id,
        named,
        holder="a worker",
        lease=bench.lease,
    )


def test_the_run_that_waited_longest_is_led_whichever_was_named(bench: Bench) -> None:
    first = bench.start_run(bench.add_cluster("a", "uid-a"))
    second = bench.start_run(bench.add_cluster("b", "uid-b"))
    assert next_one(bench, second)
    assert bench.run(first).outcome is Outcome.SUCCEEDED
    assert bench.run(second).state is RunState.QUEUED
    assert next_one(bench, first)
    assert bench.run(second).outcome is Outcome.SUCCEEDED
    assert not next_one(bench, second)


def test_where_one_has_to_be_put_back_the_next_one_is_led(bench: Bench) -> None:
    busy = bench.start_run(bench.add_cluster("a", "uid-a"))
    free = bench.start_run(bench.add_cluster("b", "uid-b"))
    with bench.clusters["uid-a"].change() as state:
        state["lease"] = "77f0/9"
    assert next_one(bench, busy)
    assert bench.run(free).outcome is Outcome.SUCCEEDED
    put_back = bench.run(busy)
    assert (put_back.state, put_back.holder) == (RunState.QUEUED, None)
    assert getattr(put_back.reason, "code", "") == "waits_for_cluster"
    # It is not asked for again and again, but where it is meant.
    assert not next_one(bench, free)
    with bench.clusters["uid-a"].change() as state:
        state["lease"] = None
    assert next_one(bench, busy)
    assert bench.run(busy).outcome is Outcome.SUCCEEDED


def test_a_worker_that_ends_takes_none(bench: Bench) -> None:
    run_id = bench.new_run()
    bench.stopping.set()
    assert not next_one(bench, run_id)
    assert bench.run(run_id).holder is None


class About(logging.Handler):
    """Keeps what each record is about, as a formatter would see it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, Mapping[str, str]]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append((record.getMessage(), dict(logs.about())))


@pytest.fixture
def heard() -> Iterator[About]:
    handler = About()
    logger = logging.getLogger()
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def test_every_line_of_a_run_names_it_and_its_cluster(
    bench: Bench, heard: About, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the worker itself, of its threads, and of whatever it calls."""
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id)
    speak = logging.getLogger("a.library").warning
    bench.steps = lambda step: speak("in a cluster: %s", step)
    beat = Heartbeat._renew

    def beats(self: Heartbeat) -> None:
        speak("a beat")
        beat(self)

    monkeypatch.setattr(Heartbeat, "_renew", beats)
    monkeypatch.setattr("podmeter_worker.runner.heartbeat._BEAT_SECONDS", 0.001)
    assert next_one(bench, run_id)
    own = [(text, about) for text, about in heard.found if text.startswith(("in a", "a beat"))]
    assert {text.partition(":")[0] for text, _ in own} == {"in a cluster", "a beat"}
    for text, about in own:
        assert about["run"] == str(run_id), text
        if text.startswith("in a cluster"):
            assert about["cluster"] == str(cluster_id), text
    assert logs.about() == {}


def test_what_was_done_is_counted(bench: Bench, tally: Tally, redis_url: str) -> None:
    run_id = bench.new_run()
    assert next_one(bench, run_id)
    with redis.Redis.from_url(redis_url) as client:
        client.delete(counts.KEY)
        # What cannot be written is kept.
        tally.write(away())
        assert counts.read(client) == {}
        tally.write(client)
        found = counts.read(client)
        tally.write(client)
        assert counts.read(client) == found
        client.delete(counts.KEY)
    assert found[Count.RUNS, "succeeded"] == 1
    assert sum(number for (what, _), number in found.items() if what is Count.TRIALS) == TRIALS
    assert found[Count.BLOCKS, "succeeded"] == len(bench.blocks(run_id))
