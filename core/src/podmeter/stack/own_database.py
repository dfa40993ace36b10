"""The application's role and database in the stack's own PostgreSQL: made once it answers.

Run as a program (`make`): what a client of PostgreSQL imports would stay in the memory of the
process that supervises, for as long as the stack runs.
"""

import os
import subprocess
import sys
from pathlib import Path

#: The one superuser, and what the application connects as and to.
SUPERUSER, ROLE, DATABASE = "postgres", "podmeter", "podmeter"
_REFUSED = os.EX_NOPERM


class RefusedError(Exception):
    """The server knows another password."""


def make(socket_dir: Path, password: str) -> None:
    """Make role and database where they are not there; the password goes by a pipe.

    Raises:
        RefusedError: the superuser's password is another one.
        OSError: PostgreSQL did not do it; what it said.
    """
    done = subprocess.run(
        [sys.executable, "-m", __name__, str(socket_dir)],
        input=password,
        capture_output=True,
        text=True,
    )
    if done.returncode == _REFUSED:
        raise RefusedError
    if done.returncode != 0:
        raise OSError(done.stderr.strip())


def _main(socket_dir: str, password: str) -> None:
    import psycopg
    from psycopg import sql

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
        if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [ROLE]).rowcount:
            connection.execute(f"CREATE ROLE {ROLE} LOGIN CREATEDB")
        verifier = connection.pgconn.encrypt_password(
            password.encode(), ROLE.encode(), b"scram-sha-256"
        )
        connection.execute(
            sql.SQL("ALTER ROLE {} PASSWORD {}").format(
                sql.Identifier(ROLE), sql.Literal(verifier.decode())
            )
        )
        there = "SELECT FROM pg_database WHERE datname = %s"
        if not connection.execute(there, [DATABASE]).rowcount:
            connection.execute(f"CREATE DATABASE {DATABASE} OWNER {ROLE}")


if __name__ == "__main__":
    _main(sys.argv[1], sys.stdin.read())
