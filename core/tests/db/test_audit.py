"""The database itself keeps the audit log as it was written."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from conftest import TEMPLATE, create_database
from sqlalchemy import Connection, Engine, create_engine, insert, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError, ProgrammingError

from podmeter.db.base import now
from podmeter.db.models import AuditEntry, AuditRetention, Via
from podmeter.db.repositories.audit import prune
from podmeter.db.roles import apply_roles
from podmeter.db.session import Sessions, make_engine, make_sessions, unit_of_work
from podmeter.settings import MissingSettingError
from podmeter.stack.postgres import EmbeddedPostgres

pytestmark = pytest.mark.services

CHANGES = {
    "update": "UPDATE audit_entries SET who = 'somebody else'",
    "delete": "DELETE FROM audit_entries",
    "truncate": "TRUNCATE audit_entries",
}


def entry(**values) -> dict:
    plain = {"via": Via.SESSION, "who": "ada", "operation": "o", "refused": False, "details": {}}
    return plain | values


@pytest.fixture
def owner(postgres_server: EmbeddedPostgres) -> Iterator[Engine]:
    """A migrated database of its own, by the role that owns it, with an entry in it."""
    name = f"audit_{uuid.uuid4().hex}"
    create_database(postgres_server, name, template=TEMPLATE)
    engine = make_engine(postgres_server.url(name))
    with engine.begin() as connection:
        connection.execute(insert(AuditEntry).values(entry()))
    yield engine
    engine.dispose()


@pytest.fixture
def application(owner: Engine, postgres_server: EmbeddedPostgres) -> Iterator[Engine]:
    """The same by the application's role, which `apply_roles` gives its rights."""
    role = f"application_{uuid.uuid4().hex}"
    superuser = create_engine(make_url(postgres_server.url()).set(username="postgres"))
    with superuser.begin() as connection:
        connection.execute(text(f"CREATE ROLE {role} LOGIN PASSWORD 'for-tests'"))
    superuser.dispose()
    url = owner.url.set(username=role, password="for-tests")
    apply_roles(owner, url.render_as_string(hide_password=False), 365)
    engine = make_engine(url.render_as_string(hide_password=False))
    yield engine
    engine.dispose()


@contextmanager
def refused(match: str = "audit") -> Iterator[None]:
    with pytest.raises(ProgrammingError, match=match):
        yield


def age(connection: Connection, days: float) -> None:
    """Make all entries older, as nobody but the owner can: without the triggers."""
    connection.execute(text("ALTER TABLE audit_entries DISABLE TRIGGER USER"))
    older = text("UPDATE audit_entries SET created_at = created_at - make_interval(days => :days)")
    connection.execute(older, {"days": days})
    connection.execute(text("ALTER TABLE audit_entries ENABLE TRIGGER USER"))


def count(engine: Engine) -> int:
    with engine.connect() as connection:
        return connection.scalar(text("SELECT count(*) FROM audit_entries")) or 0


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nobody_changes_an_entry_the_owner_included(owner: Engine, change: str) -> None:
    with refused("not changed, nor deleted before their time"), owner.begin() as connection:
        connection.execute(text(change))
    assert count(owner) == 1


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_applications_role_may_not_even_try(application: Engine, change: str) -> None:
    with refused("permission denied"), application.begin() as connection:
        connection.execute(text(change))
    assert count(application) == 1


def test_the_applications_role_adds_and_reads(application: Engine) -> None:
    with application.begin() as connection:
        connection.execute(insert(AuditEntry).values(entry(who="grace")))
        found = connection.scalars(select(AuditEntry.who).order_by(AuditEntry.id)).all()
    assert found == ["ada", "grace"]


@pytest.mark.parametrize(
    "evasion",
    [
        "ALTER TABLE audit_entries DISABLE TRIGGER ALL",
        "DROP TRIGGER audit_keep ON audit_entries",
        "SET session_replication_role = replica",
        "UPDATE audit_retention SET days = 30",
        "INSERT INTO audit_retention (id, days) VALUES (1, 30)",
        "DROP TABLE audit_entries",
        "CREATE OR REPLACE FUNCTION audit_keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
        "UPDATE alembic_version SET version_num = '0019'",
    ],
)
def test_the_applications_role_gets_round_it_in_no_other_way(
    application: Engine, evasion: str
) -> None:
    with refused("permission denied|must be owner"), application.begin() as connection:
        connection.execute(text(evasion))


def test_the_application_does_all_else_that_it_does(application: Engine) -> None:
    with application.begin() as connection:
        tables = connection.scalars(
            text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        ).all()
        for table in set(tables) - {"alembic_version", "audit_entries", "audit_retention"}:
            for right in ("SELECT", "INSERT", "UPDATE", "DELETE"):
                asked = text("SELECT has_table_privilege(:table, :right)")
                assert connection.scalar(asked, {"table": table, "right": right}), table
        connection.execute(text("SELECT nextval('fencing_tokens')"))


def test_when_it_was_is_said_by_the_database(owner: Engine) -> None:
    long_ago = datetime(2001, 1, 1, tzinfo=UTC)
    with owner.begin() as connection:
        connection.execute(insert(AuditEntry).values(entry(created_at=long_ago)))
        found = connection.scalars(select(AuditEntry.created_at)).all()
    assert min(found) > now() - timedelta(hours=1)


@pytest.mark.parametrize("who", ["owner", "application"])
def test_what_is_over_is_pruned_and_nothing_else(
    request: pytest.FixtureRequest, owner: Engine, application: Engine, who: str
) -> None:
    sessions: Sessions = make_sessions(request.getfixturevalue(who))
    with owner.begin() as connection:
        age(connection, 366)
        connection.execute(insert(AuditEntry).values(entry(who="new")))
    with unit_of_work(sessions) as session:
        assert prune(session) == 1
        assert session.scalars(select(AuditEntry.who)).all() == ["new"]


def test_nothing_is_pruned_where_nobody_said_for_how_long(owner: Engine) -> None:
    with owner.begin() as connection:
        age(connection, 10_000)
    with unit_of_work(make_sessions(owner)) as session:
        assert prune(session) == 0


def test_retention_follows_the_setting_and_has_a_least(owner: Engine) -> None:
    url = owner.url.render_as_string(hide_password=False)
    for days in (365, 30, 730):
        apply_roles(owner, url, days)
        with owner.connect() as connection:
            assert connection.scalars(select(AuditRetention.days)).all() == [days]
    with pytest.raises(IntegrityError, match="long_enough"):
        apply_roles(owner, url, 29)


def test_a_role_that_is_missing_is_made_by_an_owner_who_may(
    owner: Engine, postgres_server: EmbeddedPostgres
) -> None:
    role = f"missing_{uuid.uuid4().hex}"
    url = owner.url.set(username=role, password="its own").render_as_string(hide_password=False)
    with pytest.raises(MissingSettingError, match="may make none"):
        apply_roles(owner, url, 365)
    may = make_url(postgres_server.url()).set(username="postgres", database=owner.url.database)
    superuser = create_engine(may)
    apply_roles(superuser, url, 365)
    apply_roles(superuser, url, 365)
    superuser.dispose()
    made = make_engine(url)
    assert count(made) == 1
    made.dispose()
