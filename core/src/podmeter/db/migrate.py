"""Bring a database to the schema of this version."""

from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

from podmeter.settings import MissingSettingError


def alembic_config(folder: Path, url: str) -> Config:
    """Alembic's configuration for the migrations in `folder` and the database at `url`.

    Raises:
        MissingSettingError: there are no migrations in `folder`.
    """
    file = folder / "alembic.ini"
    if not file.exists():
        raise MissingSettingError(
            f"no migrations in {folder}: set PODMETER_MIGRATIONS_DIR to the folder with alembic.ini"
        )
    config = Config(file)
    config.set_main_option("script_location", str(folder))
    config.attributes["url"] = url
    return config


def migrate(folder: Path, url: str, revision: str = "head") -> None:
    """Upgrade to `revision`; concurrent calls wait for each other."""
    command.upgrade(alembic_config(folder, url), revision)


@lru_cache(maxsize=8)
def expected_revision(folder: Path) -> str | None:
    """The newest migration in `folder`."""
    return ScriptDirectory.from_config(alembic_config(folder, "")).get_current_head()


def present_revision(engine: Engine) -> str | None:
    """The migration a database is at; None for one never migrated."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()
