from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session

from podmeter.db.models import Organization
from podmeter.stack.postgres import EmbeddedPostgres

from .builders import add_organization


@pytest.fixture
def organization(session: Session) -> Organization:
    return add_organization(session, "ours")


@pytest.fixture
def stranger(session: Session) -> Organization:
    return add_organization(session, "theirs")


@pytest.fixture
def empty(postgres_server: EmbeddedPostgres) -> Iterator[Engine]:
    """An engine for an empty database."""
    plain = postgres_server.url().replace("+psycopg", "")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS empty")
        connection.execute("CREATE DATABASE empty")
    engine = create_engine(postgres_server.url("empty"))
    yield engine
    engine.dispose()
