import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import Engine

from podmeter.db.session import make_engine
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.redis import EmbeddedRedis


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's own account may pass through while the tests run as root.

    Not below pytest's: every pytest that starts closes that to other accounts.
    """
    with tempfile.TemporaryDirectory(prefix="podmeter-tests-") as name:
        yield Path(name)


@pytest.fixture
def postgres(folder: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(folder / "postgres", "a-password", durable=False)
    yield server
    server.stop()


@pytest.fixture
def redis(folder: Path) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(folder / "redis", "a-password")
    yield server
    server.stop()


@pytest.fixture
def engine_of() -> Iterator[object]:
    with ExitStack() as stack:

        def made(server: EmbeddedPostgres) -> Engine:
            engine = make_engine(server.url())
            stack.callback(engine.dispose)
            return engine

        yield made
