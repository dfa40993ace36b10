"""One look finds out whether the API can serve, for everyone who asks."""

import asyncio
import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from podmeter.stack.process import wait_until
from podmeter_api import readiness
from podmeter_api.app import create_app
from podmeter_api.readiness import Readiness, unknown
from podmeter_api.shared_look import SharedLook
from podmeter_api.state import AppState

from .conftest import ORIGIN

DEADLINE_S = 30
FINE: dict[str, Any] = {"short": {}, "parts": {}, "lives": []}


@dataclass
class Looks:
    """A look that ends when it is let, and counts itself."""

    free: Event = field(default_factory=Event)
    count: int = 0
    concurrent: int = 0
    most_concurrent: int = 0
    lock: Lock = field(default_factory=Lock)

    def __call__(self, *_: object) -> Readiness:
        with self.lock:
            self.count += 1
            self.concurrent += 1
            self.most_concurrent = max(self.concurrent, self.most_concurrent)
        assert self.free.wait(DEADLINE_S)
        with self.lock:
            self.concurrent -= 1
        return Readiness(database=f"look {self.count}", schema_version="ok", broker="ok", **FINE)


def shared_look(
    look: Callable[[], Readiness],
    deadline_seconds: float = 60.0,
    clock: Callable[[], float] = time.monotonic,
) -> SharedLook[Readiness]:
    return SharedLook(
        look,
        missing=unknown,
        kept_seconds=1.0,
        deadline_seconds=deadline_seconds,
        clock=clock,
    )


async def until(condition: Callable[[], bool]) -> None:
    assert await asyncio.to_thread(wait_until, condition, DEADLINE_S)


def test_all_who_ask_at_once_share_one_look_and_its_result_for_a_while() -> None:
    now = SimpleNamespace(second=100.0)

    async def work() -> None:
        looks = Looks()
        shared = shared_look(looks, clock=lambda: now.second)
        asking = [asyncio.create_task(shared.latest()) for _ in range(500)]
        await until(lambda: looks.count == 1)
        now.second += 3  # a look that takes its time is not joined by a second one
        asking += [asyncio.create_task(shared.latest()) for _ in range(500)]
        await asyncio.sleep(0)
        for one in asking[:10]:
            one.cancel()
        looks.free.set()
        found = await asyncio.wait_for(asyncio.gather(*asking[10:]), DEADLINE_S)
        assert {one.database for one in found} == {"look 1"}
        now.second += 0.9
        assert (await shared.latest()).database == "look 1"
        now.second += 0.2
        assert (await asyncio.wait_for(shared.latest(), DEADLINE_S)).database == "look 2"
        assert looks.most_concurrent == 1

    asyncio.run(work())


def test_a_look_that_fails_is_told_to_all_and_followed_by_another_one() -> None:
    now = SimpleNamespace(second=100.0)
    failures: Iterator[BaseException | None] = iter([ValueError("this one"), None])

    def look() -> Readiness:
        failure = next(failures)
        if failure is not None:
            raise failure
        return Readiness(database="ok", schema_version="ok", broker="ok", **FINE)

    async def work() -> None:
        shared = shared_look(look, clock=lambda: now.second)
        asking = [asyncio.create_task(shared.latest()) for _ in range(3)]
        found = await asyncio.gather(*asking, return_exceptions=True)
        assert [str(one) for one in found] == ["this one"] * 3
        now.second += 1
        assert (await shared.latest()).ready

    asyncio.run(work())


def test_a_look_that_does_not_end_is_said_and_replaced_but_by_few() -> None:
    """PostgreSQL that is stopped while its kernel still acknowledges answers nobody, for ever."""
    now = SimpleNamespace(second=100.0)

    async def work() -> None:
        looks = Looks()
        shared = shared_look(looks, clock=lambda: now.second)
        asking = []
        for count in (1, 2, 3):
            asking.append(asyncio.create_task(shared.latest()))
            await until(lambda: looks.count == count)  # noqa: B023
            now.second += 60
        for _ in range(10):
            found = await shared.latest()
            assert not found.ready
            assert found.database == "unknown: got no answer within 60 s"
            now.second += 60
        assert looks.count == looks.concurrent == 3
        looks.free.set()
        for one in await asyncio.wait_for(asyncio.gather(*asking), DEADLINE_S):
            assert one.database.startswith("look ")
        await until(lambda: looks.concurrent == 0)
        now.second += 2
        assert (await asyncio.wait_for(shared.latest(), DEADLINE_S)).database == "look 4"

    asyncio.run(work())


def test_who_asks_waits_no_longer_than_a_look_may_take() -> None:
    async def work() -> None:
        looks = Looks()
        shared = shared_look(looks, deadline_seconds=0.01)
        asking = [asyncio.create_task(shared.latest()) for _ in range(3)]
        for one in await asyncio.wait_for(asyncio.gather(*asking), DEADLINE_S):
            assert not one.ready
        looks.free.set()

    asyncio.run(work())


def test_who_joins_a_slow_look_late_waits_as_long_as_the_first() -> None:
    now = SimpleNamespace(second=100.0)

    async def work() -> None:
        looks = Looks()
        shared = shared_look(looks, clock=lambda: now.second)
        first = asyncio.create_task(shared.latest())
        await until(lambda: looks.count == 1)
        now.second += 60 - 1e-9
        joined = asyncio.create_task(shared.latest())
        for _ in range(10):
            await asyncio.sleep(0)
        looks.free.set()
        for answer in await asyncio.wait_for(asyncio.gather(first, joined), DEADLINE_S):
            assert answer.database == "look 1"

    asyncio.run(work())


@pytest.fixture
def _no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_no_collector")
def test_nothing_is_kept_of_those_who_ask_while_nothing_answers() -> None:
    """Each left a callback and a kilobyte on the look, as long as the database hung."""
    now = SimpleNamespace(second=100.0)

    async def work() -> None:
        looks = Looks()
        shared = shared_look(looks, deadline_seconds=0.01, clock=lambda: now.second)

        async def ask(count: int) -> int:
            # Not `gather`, which keeps its tasks until garbage is collected.
            asking = {asyncio.create_task(shared.latest()) for _ in range(count)}
            answered, _ = await asyncio.wait(asking)
            assert not any(task.result().ready for task in answered)
            del asking, answered
            return len(gc.get_objects())

        for _ in range(3):
            # Who waits in vain for a look that is not late by its clock.
            before = await ask(10)
            assert await ask(1000) - before < 500
            now.second += 1
        # Who need not wait, since no further look may begin.
        before = await ask(10)
        assert await ask(1000) - before < 500
        assert looks.count == 3
        looks.free.set()

    asyncio.run(work())


def test_a_look_that_cannot_be_started_is_said_and_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def work() -> None:
        looks = Looks()
        looks.free.set()
        shared = shared_look(looks)
        with monkeypatch.context() as full:
            full.setattr(Thread, "start", refuse)
            for _ in range(2):
                found = await asyncio.wait_for(shared.latest(), DEADLINE_S)
                assert not found.ready
                assert found.database == "unknown: can't start new thread"
        assert (await asyncio.wait_for(shared.latest(), DEADLINE_S)).database == "look 1"

    asyncio.run(work())


@contextmanager
def clients(app: FastAPI, count: int) -> Iterator[list[httpx.AsyncClient]]:
    transports = [
        httpx.ASGITransport(app=app, client=(f"192.0.2.{number}", 4711)) for number in range(count)
    ]
    yield [httpx.AsyncClient(transport=one, base_url=ORIGIN, timeout=60) for one in transports]


@pytest.mark.services
def test_many_addresses_that_ask_take_the_api_away_from_nobody(
    state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight of them that asked at once had the kubelet get 503, and the pod taken away."""
    looks = Looks()
    monkeypatch.setattr(readiness, "look", looks)
    app = create_app(state=state)

    async def attack() -> list[httpx.Response]:
        async with app.router.lifespan_context(app):
            with clients(app, 20) as (kubelet, *strangers):
                asking = [
                    asyncio.create_task(one.get("/readyz")) for one in strangers for _ in range(10)
                ]
                await until(lambda: looks.count == 1)
                probe = asyncio.create_task(kubelet.get("/readyz"))
                alive = await asyncio.wait_for(kubelet.get("/healthz"), DEADLINE_S)
                assert alive.status_code == 200
                looks.free.set()
                return await asyncio.wait_for(asyncio.gather(probe, *asking), DEADLINE_S)

    answers = asyncio.run(attack())
    # Nobody is refused: each answer is a look's.
    assert all(one.json()["database"].startswith("look ") for one in answers)
    assert looks.most_concurrent == 1
