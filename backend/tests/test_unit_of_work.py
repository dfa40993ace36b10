from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from podmeter.db.session import make_engine
from podmeter.settings import Settings

#: More than there are threads and connections together.
CLIENTS = 60


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"database_pool": 1})


@pytest.fixture
def api_engine(settings: Settings) -> Iterator[Engine]:
    engine = make_engine(settings.require_database_url(), pool_size=settings.database_pool)
    yield engine
    engine.dispose()


def test_more_requests_than_threads_and_connections_are_all_answered(admin: TestClient) -> None:
    with ThreadPoolExecutor(CLIENTS) as clients:
        answers = list(clients.map(lambda _: admin.get("/api/v1/me").status_code, range(CLIENTS)))
    assert answers == [200] * CLIENTS
