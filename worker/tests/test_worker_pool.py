"""Threads beside each other: fair among owners, none waiting for a slow one, failures put off."""

import threading
from collections.abc import Iterator
from functools import partial

import pytest

from podmeter_worker.worker_pool import WorkerPool


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Whatever waits for it is let go with the test."""
    event = threading.Event()
    yield event
    event.set()


def test_a_slow_one_holds_up_nobody_else(over: threading.Event) -> None:
    crew, done = WorkerPool(4, 2), threading.Event()
    for number in range(10):
        crew.ask("slow", number, lambda: over.wait(60))
    crew.ask("quick", "q", done.set)
    assert done.wait(30)


def test_one_owner_has_no_more_than_its_share(over: threading.Event) -> None:
    crew, begun, two, other = WorkerPool(8, 2), list[int](), threading.Event(), threading.Event()

    def body(number: int) -> None:
        begun.append(number)
        if len(begun) == 2:
            two.set()
        over.wait(60)

    for number in range(6):
        crew.ask("one", number, partial(body, number))
    assert two.wait(30)
    crew.ask("other", "o", other.set)
    assert other.wait(30)
    assert sorted(begun) == [0, 1]


def test_whoever_has_fewest_at_work_is_next() -> None:
    crew, order, go = WorkerPool(1), [], threading.Event()
    crew.ask("a", 0, lambda: go.wait(30))
    for number in range(1, 3):
        crew.ask("a", number, lambda number=number: order.append(f"a{number}"))  # type: ignore[misc]
    crew.ask("b", 3, lambda: order.append("b"))
    go.set()
    crew.wait()
    assert sorted(order) == ["a1", "a2", "b"]
    assert order.index("a1") < order.index("a2")


def test_what_is_known_is_not_asked_for_twice(over: threading.Event) -> None:
    crew = WorkerPool(1)
    assert crew.ask("a", "key", lambda: over.wait(60))
    assert not crew.ask("a", "key", lambda: over.wait(60))
    assert crew.ask("a", "waits", lambda: None)
    assert not crew.ask("a", "waits", lambda: None)
    over.set()
    crew.wait()
    assert crew.ask("a", "key", lambda: None)
    crew.wait()


def test_one_that_fails_is_put_off_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("podmeter_worker.worker_pool.time.monotonic", lambda: now[0])
    crew, tries = WorkerPool(2), []

    def fails() -> None:
        tries.append(now[0])
        raise KeyError("of a cluster")

    for _ in range(100):
        crew.ask("a", "fails", fails)
        crew.wait()
        assert crew.ask("a", "other", lambda: None)
        crew.wait()
        now[0] += 5.0
    assert tries == [1000.0, 1010.0, 1030.0, 1070.0, 1150.0, 1310.0]


def test_nothing_is_begun_after_the_close(over: threading.Event) -> None:
    crew, done = WorkerPool(1), []
    crew.ask("a", 1, lambda: over.wait(60))
    crew.ask("a", 2, lambda: done.append(2))
    crew.close()
    over.set()
    crew.wait()
    assert not crew.ask("a", 3, lambda: done.append(3))
    assert done == []
