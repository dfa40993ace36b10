from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import psycopg
import pytest
from alembic import command
from conftest import MIGRATIONS, create_database
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session

from podmeter.db.migrate import alembic_config
from podmeter.db.models import Organization
from podmeter.stack.postgres import EmbeddedPostgres

from .builders import add_organization

#: Makes an engine for a database with the tables of a revision, and nothing in them.
EmptyAt = Callable[[str], Engine]


@pytest.fixture
def organization(session: Session) -> Organization:
    return add_organization(session, "ours")


@pytest.fixture
def stranger(session: Session) -> Organization:
    return add_organization(session, "theirs")


@pytest.fixture
def empty(postgres_server: EmbeddedPostgres) -> Iterator[Engine]:
    """An engine for an empty database."""
    with _made(postgres_server, "template1") as engine:
        yield engine


@pytest.fixture(scope="session")
def template_at(postgres_server: EmbeddedPostgres) -> Callable[[str], str]:
    """The name of a database that is migrated to a revision, and is copied and never changed.

    Each begins where the one before it ended: all migrations take a second.
    """
    made = {"": "template1"}

    def template(revision: str) -> str:
        if revision not in made:
            name = f"at_{revision}"
            before = max(one for one in made if one < revision)
            create_database(postgres_server, name, template=made[before])
            command.upgrade(alembic_config(MIGRATIONS, postgres_server.url(name)), revision)
            made[revision] = name
        return made[revision]

    return template


@pytest.fixture
def empty_at(
    postgres_server: EmbeddedPostgres, template_at: Callable[[str], str]
) -> Iterator[EmptyAt]:
    with ExitStack() as stack:
        yield lambda revision: stack.enter_context(_made(postgres_server, template_at(revision)))


@contextmanager
def _made(server: EmbeddedPostgres, template: str) -> Iterator[Engine]:
    with psycopg.connect(server.url().replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS empty")
    create_database(server, "empty", template=template)
    engine = create_engine(server.url("empty"))
    yield engine
    engine.dispose()
