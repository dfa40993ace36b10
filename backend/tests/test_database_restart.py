"""PostgreSQL ends and comes back while the API is asked."""

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from podmeter.db.migrate import migrate
from podmeter.db.session import make_engine
from podmeter.settings import Settings
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.process import wait_until

pytestmark = pytest.mark.services
CLIENTS = 4
RESTARTS = 5


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[EmbeddedPostgres]:
    """A server that nobody else uses, so it may be ended."""
    server = EmbeddedPostgres(tmp_path / "postgres", "for-tests", durable=False)
    server.start()
    migrate(Settings(_env_file=None).migrations_dir, server.url())
    yield server
    server.stop()


@pytest.fixture
def database_url(postgres: EmbeddedPostgres) -> str:
    return postgres.url()


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = make_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def api_engine(database_url: str) -> Iterator[Engine]:
    engine = make_engine(database_url)
    yield engine
    engine.dispose()


class Askers:
    """Clients that ask without a pause, and what they were answered."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.answers: Counter[tuple[int, str | None]] = Counter()
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self._ask) for _ in range(CLIENTS)]

    def __enter__(self) -> "Askers":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()

    def _ask(self) -> None:
        while not self.over.is_set():
            answer = self.client.get("/api/v1/me")
            self.answers[answer.status_code, answer.headers.get("Retry-After")] += 1


def test_the_first_request_after_a_restart_is_served(
    admin: TestClient, postgres: EmbeddedPostgres
) -> None:
    for _ in range(RESTARTS):
        assert admin.get("/api/v1/me").status_code == 200
        postgres.stop()
        postgres.start()
        assert admin.get("/api/v1/me").status_code == 200


@pytest.mark.full
def test_while_the_database_is_away_requests_are_told_to_come_again(
    admin: TestClient, postgres: EmbeddedPostgres
) -> None:
    away = (503, "2")
    with Askers(admin) as askers:
        for _ in range(RESTARTS):
            before = askers.answers[away]
            postgres.stop()
            assert wait_until(lambda: askers.answers[away] > before, 60)  # noqa: B023
            postgres.start()
            served = askers.answers[200, None]
            assert wait_until(lambda: askers.answers[200, None] > served, 60)  # noqa: B023
    assert set(askers.answers) == {(200, None), away}
