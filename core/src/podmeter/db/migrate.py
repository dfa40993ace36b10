"""Bring a database to the schema of this version."""

from pathlib import Path

from alembic import command
from alembic.config import Config

from podmeter.db.revisions import ini_of


def alembic_config(folder: Path, url: str) -> Config:
    """Alembic's configuration for the migrations in `folder` and the database at `url`.

    Raises:
        MissingSettingError: there are no migrations in `folder`.
    """
    config = Config(ini_of(folder))
    config.set_main_option("script_location", str(folder))
    config.attributes["url"] = url
    return config


def migrate(folder: Path, url: str, revision: str = "head") -> None:
    """Upgrade to `revision`; concurrent calls wait for each other."""
    command.upgrade(alembic_config(folder, url), revision)
