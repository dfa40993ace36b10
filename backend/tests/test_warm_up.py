import asyncio
import gc
import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event
from sqlalchemy.pool import QueuePool

from podmeter.db.session import make_engine, make_sessions
from podmeter_api.app import lifespan
from podmeter_api.state import AppState
from podmeter_api.warm_up import UNTIL_PREPARED, connect, warm_up

#: Of a route that only warming up asks for here.
COUNTED = 'podmeter_http_requests_total{method="GET",route="/api/v1/runs"'


@pytest.fixture(autouse=True, scope="module")
def _thaw() -> Iterator[None]:
    """Leave collections of garbage as the root conftest.py has them."""
    kept = gc.get_threshold()
    yield
    gc.set_threshold(*kept)
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@pytest.fixture
def api_engine(database_url: str) -> Iterator[Engine]:
    """An engine of each test's own, whose connections and statements it counts."""
    engine = make_engine(database_url)
    yield engine
    engine.dispose()


def warm(app: FastAPI) -> None:
    """As a process does that begins to serve."""

    async def begin() -> None:
        async with lifespan(app):
            await warm_up(app, app.state.podmeter)

    asyncio.run(begin())


def test_it_connects_to_the_database_as_often_as_asked(state: AppState) -> None:
    asked: list[str] = []
    event.listen(
        state.engine, "before_cursor_execute", lambda *arguments: asked.append(arguments[2])
    )
    connect(state, 3)
    assert isinstance(state.engine.pool, QueuePool)
    assert state.engine.pool.checkedin() == 3
    assert {asked.count(one) for one in asked} == {3 * UNTIL_PREPARED}
    assert any("measurements" in one for one in asked)


def test_what_it_writes_is_undone(state: AppState, admin: TestClient) -> None:
    asked: list[str] = []
    event.listen(
        state.engine, "before_cursor_execute", lambda *arguments: asked.append(arguments[2])
    )
    connect(state, 1)
    assert any("INSERT INTO comparisons" in one for one in asked)
    assert admin.get("/api/v1/comparisons").json()["items"] == []


def test_the_api_s_own_requests_are_not_counted(
    app: FastAPI, state: AppState, admin: TestClient
) -> None:
    before = admin.get("/metrics").text
    warm(app)
    counted = [line for line in before.splitlines() if line.startswith(COUNTED)]
    after = admin.get("/metrics").text
    assert [line for line in after.splitlines() if line.startswith(COUNTED)] == counted


def test_the_api_starts_without_a_database(
    app: FastAPI, state: AppState, caplog: pytest.LogCaptureFixture
) -> None:
    away = make_engine("postgresql+psycopg://nobody:x@/none?host=/nonexistent")
    app.state.given = replace(state, engine=away, sessions=make_sessions(away))
    with caplog.at_level(logging.WARNING):
        warm(app)
    assert "the first requests will connect" in caplog.text
