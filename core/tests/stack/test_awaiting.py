"""What starts beside its database waits for it, and says for what."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import MIGRATIONS, create_database

from podmeter.db.migrate import migrate
from podmeter.settings import environment_names
from podmeter.stack.postgres import EmbeddedPostgres

pytestmark = pytest.mark.services


@contextmanager
def awaiting(what: str, url: str, cwd: Path) -> Iterator["subprocess.Popen[str]"]:
    bare = {k: v for k, v in os.environ.items() if k not in environment_names()}
    process = subprocess.Popen(
        [sys.executable, "-m", "podmeter.cli", "await", what],
        cwd=cwd,
        env={
            **bare,
            "DATABASE_URL": url.replace("+psycopg", ""),
            "PODMETER_MIGRATIONS_DIR": str(MIGRATIONS),
        },
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    return process.stderr.readline()


def test_the_schema_is_waited_for(postgres_server: EmbeddedPostgres, tmp_path: Path) -> None:
    create_database(postgres_server, "awaited")
    url = postgres_server.url("awaited")
    with awaiting("migration", url, tmp_path) as process:
        assert "waiting: the database is at None, not at 00" in said(process)
        migrate(MIGRATIONS, url)
        assert process.wait(60) == 0


def test_a_database_is_waited_for_that_is_not_there(
    postgres_server: EmbeddedPostgres, tmp_path: Path
) -> None:
    url = postgres_server.url("made_later")
    with awaiting("database", url, tmp_path) as process:
        line = said(process)
        assert "waiting: the database cannot be reached: " in line
        assert "made_later" in line
        assert "sqlalche.me" not in line
        create_database(postgres_server, "made_later")
        assert process.wait(60) == 0


def test_a_migrated_database_is_not_waited_for(database_url: str, tmp_path: Path) -> None:
    with awaiting("migration", database_url, tmp_path) as process:
        assert process.wait(60) == 0
