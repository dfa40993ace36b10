"""The roles and the database in the stack's own PostgreSQL: made once it answers.

Run as a program (`make`): what a client of PostgreSQL imports would stay in the memory of the
process that supervises, for as long as the stack runs.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psycopg

SUPERUSER = "postgres"
#: Owns the database and its tables.
ROLE = "podmeter"
#: Works with their rows, and may not change the audit log.
APPLICATION = "podmeter_application"
DATABASE = "podmeter"
_REFUSED = os.EX_NOPERM


class RefusedError(Exception):
    """The server knows another password."""


def make(socket_dir: Path, password: str, application_password: str | None) -> None:
    """Make roles and database where they are not there; the passwords go by a pipe.

    Raises:
        RefusedError: the superuser's password is another one.
        OSError: PostgreSQL did not do it; what it said.
    """
    done = subprocess.run(
        [sys.executable, "-m", __name__, str(socket_dir)],
        input=json.dumps([password, application_password]),
        capture_output=True,
        text=True,
    )
    if done.returncode == _REFUSED:
        raise RefusedError
    if done.returncode != 0:
        raise OSError(done.stderr.strip())


def _main(socket_dir: str, password: str, application_password: str | None) -> None:
    import psycopg

    try:
        connection = psycopg.connect(
            host=socket_dir,
            user=SUPERUSER,
            password=password,
            dbname="postgres",
            autocommit=True,
            connect_timeout=60,
        )
    except psycopg.OperationalError as error:
        refused = "password authentication failed" in str(error)
        sys.exit(_REFUSED if refused else str(error))
    with connection:
        _ensure_role(connection, ROLE, password, "CREATEDB")
        if application_password is not None:
            _ensure_role(connection, APPLICATION, application_password)
        there = "SELECT FROM pg_database WHERE datname = %s"
        if not connection.execute(there, [DATABASE]).rowcount:
            connection.execute(f"CREATE DATABASE {DATABASE} OWNER {ROLE}")


def _ensure_role(
    connection: "psycopg.Connection[tuple[object, ...]]", role: str, password: str, rights: str = ""
) -> None:
    """Make a role that logs in by this password."""
    from psycopg import sql

    if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).rowcount:
        connection.execute(f"CREATE ROLE {role} LOGIN {rights}")
    verifier = connection.pgconn.encrypt_password(
        password.encode(), role.encode(), b"scram-sha-256"
    )
    connection.execute(
        sql.SQL("ALTER ROLE {} PASSWORD {}").format(
            sql.Identifier(role), sql.Literal(verifier.decode())
        )
    )


if __name__ == "__main__":
    _main(sys.argv[1], *json.load(sys.stdin))
