from collections.abc import Iterator

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, UniqueConstraint, create_engine, inspect, text

from podmeter.db import models  # noqa: F401 (completes the metadata)
from podmeter.db.base import Base
from podmeter.db.migrate import alembic_config, migrate
from podmeter.settings import MissingSettingError, Settings
from podmeter.stack.postgres import EmbeddedPostgres

pytestmark = pytest.mark.services
MIGRATIONS = Settings(_env_file=None).migrations_dir


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


def url(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def test_the_migrations_make_what_the_models_say(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, Base.metadata) == []


def test_checks_and_sequences_agree_too(engine: Engine, empty: Engine) -> None:
    """Alembic's comparison leaves these out, so the database made by the models is asked."""
    Base.metadata.create_all(empty)
    checks = text(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE contype = 'c' AND connamespace = 'public'::regnamespace ORDER BY 1, 2"
    )
    indexes = text(
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' "
        "AND tablename <> 'alembic_version' ORDER BY 1"
    )
    sequences = text("SELECT sequencename FROM pg_sequences ORDER BY 1")
    with engine.connect() as migrated, empty.connect() as modelled:
        for question in (checks, indexes, sequences):
            answer = migrated.execute(question).all()
            assert answer
            assert answer == modelled.execute(question).all()


def test_every_migration_can_be_undone_and_done_again(empty: Engine) -> None:
    migrate(MIGRATIONS, url(empty))
    config = alembic_config(MIGRATIONS, url(empty))
    command.downgrade(config, "base")
    left = set(inspect(empty).get_table_names())
    assert left == {"alembic_version"}
    with empty.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM pg_sequences")).scalar_one() == 0
    migrate(MIGRATIONS, url(empty))
    assert set(inspect(empty).get_table_names()) == {*Base.metadata.tables, "alembic_version"}


def test_migrating_twice_changes_nothing(empty: Engine) -> None:
    migrate(MIGRATIONS, url(empty))
    migrate(MIGRATIONS, url(empty))


def test_a_missing_folder_is_said(tmp_path: object) -> None:
    with pytest.raises(MissingSettingError, match="PODMETER_MIGRATIONS_DIR"):
        alembic_config(MIGRATIONS / "nowhere", "postgresql+psycopg://")


def test_every_row_belongs_to_an_organization() -> None:
    through_a_trial = {"measurements", "series", "invocations"}
    without = {
        name
        for name, table in Base.metadata.tables.items()
        if "organization_id" not in table.columns
    }
    assert without == {"organizations", "users"} | through_a_trial


def test_every_foreign_key_is_indexed() -> None:
    """Else deleting the row it points to reads the whole table."""
    missing = []
    for table in Base.metadata.tables.values():
        leading = [tuple(column.name for column in table.primary_key.columns)]
        leading += [tuple(c.name for c in index.columns) for index in table.indexes]
        leading += [
            tuple(column.name for column in constraint.columns)
            for constraint in table.constraints
            if isinstance(constraint, UniqueConstraint)
        ]
        for constraint in table.foreign_key_constraints:
            columns = tuple(column.name for column in constraint.columns)
            if not any(index[: len(columns)] == columns for index in leading):
                missing.append((table.name, columns))
    # Organizations are not deleted in the course of business.
    assert [item for item in missing if item[1] != ("organization_id",)] == []
