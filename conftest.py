"""Fixtures for all packages: a real PostgreSQL and Redis, started once for the whole test run."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import psycopg
import pytest
from core.tests import sampling
from sqlalchemy import Connection, Engine, text
from sqlalchemy.orm import Session

from podmeter.db.base import Base
from podmeter.db.migrate import migrate
from podmeter.db.session import Sessions, make_engine, make_sessions
from podmeter.stack.postgres import EmbeddedPostgres
from podmeter.stack.redis import EmbeddedRedis

# No example is timed: it would fail beside other busy processes.
hypothesis.settings.register_profile("podmeter", deadline=None)
hypothesis.settings.load_profile("podmeter")

MIGRATIONS = Path(__file__).parent / "migrations"
TEMPLATE = "podmeter_template"


def pytest_configure() -> None:
    """One seed for all processes of a test run."""
    sampling.choose_seed()


def pytest_report_header() -> str:
    """Say which part of the sampled tests runs, and how to run the same part again."""
    if sampling.takes_all():
        return "sampled tests: all cases"
    return f"sampled tests: {sampling.SEED}={sampling.seed()} repeats this choice"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[EmbeddedPostgres]:
    """A PostgreSQL with the migrated template database."""
    with tempfile.TemporaryDirectory(prefix="podmeter-tests-") as folder:
        server = EmbeddedPostgres(Path(folder) / "postgres", "for-tests", durable=False)
        server.start()
        try:
            create_database(server, TEMPLATE)
            migrate(MIGRATIONS, server.url(TEMPLATE))
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of a Redis of this test run's own."""
    with tempfile.TemporaryDirectory(prefix="podmeter-tests-") as folder:
        server = EmbeddedRedis(Path(folder) / "redis", "for-tests")
        server.start()
        try:
            yield server.url()
        finally:
            server.stop()


@pytest.fixture(scope="session")
def database_url(postgres_server: EmbeddedPostgres) -> str:
    """A migrated database for this test run."""
    create_database(postgres_server, "podmeter_tests", template=TEMPLATE)
    return postgres_server.url("podmeter_tests")


@pytest.fixture(scope="session")
def engine(database_url: str) -> Iterator[Engine]:
    """The engine of this test run's database."""
    # A test may wait inside of the transaction that is undone after it.
    engine = make_engine(database_url, pool_size=20, idle_in_transaction=0)
    yield engine
    engine.dispose()


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    """A connection whose work is undone after the test, commits included."""
    with engine.connect() as connection:
        transaction = connection.begin()
        yield connection
        transaction.rollback()


@pytest.fixture
def session(connection: Connection) -> Iterator[Session]:
    """A session that sees its own commits; all is undone after the test."""
    with Session(
        connection, join_transaction_mode="create_savepoint", expire_on_commit=False
    ) as session:
        yield session


@pytest.fixture
def sessions(engine: Engine) -> Iterator[Sessions]:
    """Sessions that really commit, for tests of several at once; tables are emptied after."""
    yield make_sessions(engine)
    tables = ", ".join(table.name for table in Base.metadata.sorted_tables)
    with engine.begin() as connection:
        # Its owner may; the application's role may not.
        connection.execute(text("ALTER TABLE audit_entries DISABLE TRIGGER audit_keep_all"))
        connection.execute(text(f"TRUNCATE {tables} RESTART IDENTITY CASCADE"))
        connection.execute(text("ALTER TABLE audit_entries ENABLE TRIGGER audit_keep_all"))


def create_database(server: EmbeddedPostgres, name: str, template: str = "template1") -> None:
    """Make a database on the server, as a copy of `template`."""
    with psycopg.connect(server.url().replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
