"""Fixtures for all packages: a real PostgreSQL and Redis, started once for the whole test run."""

import gc
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from functools import cache
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

# No example is timed: it would fail beside other busy processes. Each run draws other examples.
hypothesis.settings.register_profile(
    "podmeter", deadline=None, max_examples=100 if sampling.takes_all() else 30
)
hypothesis.settings.load_profile("podmeter")

MIGRATIONS = Path(__file__).parent / "migrations"
TEMPLATE = "podmeter_template"
#: The folder of this test run's files.
OWN_FOLDER = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """One seed for all processes of a test run, and the program of measuring pods on PATH.

    The stacks that tests start have one API process each: a second one would only take time to
    start. `backend/tests/test_processes.py` has several.
    """
    sampling.choose_seed()
    os.environ.setdefault("PODMETER_API_PROCESSES", "1")
    if not hasattr(config, "workerinput"):
        if config.option.basetemp is None:
            # Another test run that starts closes pytest's own folder to all accounts but its own,
            # and so to the PostgreSQL of tests in progress.
            config.option.basetemp = tempfile.mkdtemp(prefix="podmeter-tests-")
            config.stash[OWN_FOLDER] = config.option.basetemp
        built = subprocess.run(["make", "--silent", "program"], cwd=MIGRATIONS.parent, check=False)
        if built.returncode != 0:
            pytest.exit("podmeter-measure was not built", 1)
        os.environ["PATH"] = f"{MIGRATIONS.parent / '.bin'}:{os.environ['PATH']}"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep modules and tests, which stay to the end, out of the collections of garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave no files: what a failed test has to say is in its output."""
    folder = session.config.stash.get(OWN_FOLDER, None)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


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
    with engine.begin() as connection:
        empty_tables(connection)


def empty_tables(connection: Connection) -> None:
    """Delete all rows, and let numbers start at 1 again.

    Most tests fill few tables with few rows: deleting these takes a tenth of a TRUNCATE of all,
    which writes new files for every table and index.
    """
    connection.execute(text(_emptying()))


@cache
def _emptying() -> str:
    """One statement, so that it is sent once. What refers to a row goes before it."""
    deletions = "".join(f"{table.delete()};\n" for table in reversed(Base.metadata.sorted_tables))
    # Its owner may delete entries of the audit log; the application's role may not.
    return f"""DO $$ BEGIN
        IF EXISTS (SELECT FROM audit_entries) THEN
            ALTER TABLE audit_entries DISABLE TRIGGER audit_keep;
            DELETE FROM audit_entries;
            ALTER TABLE audit_entries ENABLE TRIGGER audit_keep;
        END IF;
        {deletions}
        PERFORM setval(sequencename::regclass, 1, false) FROM pg_sequences
        WHERE schemaname = 'public' AND last_value IS NOT NULL;
    END $$"""  # noqa: S608 - the names are our own tables'


def create_database(server: EmbeddedPostgres, name: str, template: str = "template1") -> None:
    """Make a database on the server, as a copy of `template`."""
    with psycopg.connect(server.url().replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
