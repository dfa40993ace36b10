"""Alembic's entry: one transaction for all migrations, one migrator at a time."""

from alembic import context
from sqlalchemy import create_engine, pool, text

from podmeter.db import models  # noqa: F401 (completes the metadata)
from podmeter.db.base import Base
from podmeter.settings import get_settings

#: An arbitrary number that only Podmeter's migrations lock.
MIGRATION_LOCK = 0x706F646D


def run() -> None:
    url = context.config.attributes.get("url") or get_settings().require_database_url()
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.connect() as connection:
        context.configure(
            connection=connection, target_metadata=Base.metadata, compare_server_default=True
        )
        with context.begin_transaction():
            connection.execute(text(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
            context.run_migrations()
    engine.dispose()


run()
