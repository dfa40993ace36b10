"""`podmeter-admin backup FILE`: everything that the database knows, as it was at one moment."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from podmeter.credentials.envelope import HEADER_BYTES, key_id_in
from podmeter.db.base import Base, now
from podmeter.db.repositories.sealed import count_by_header
from podmeter.db.revisions import expected_revision, present_revision
from podmeter.db.session import make_engine
from podmeter.services.keys.sealed import SEALED
from podmeter.settings import Settings
from podmeter.stack.backup import archive, client
from podmeter.stack.backup.archive import Contents
from podmeter.stack.errors import StackError
from podmeter.stack.up import database

#: Instead of a file: standard output, or input.
STANDARD = "-"


def backup(settings: Settings, file: str) -> None:
    """Write a backup, which is there whole or not at all, and say what it holds.

    Raises:
        StackError: the file is there already, or the database cannot be dumped.
    """
    with database(settings) as completed:
        url = completed.require_database_url()
        # The transaction waits while pg_dump reads its snapshot.
        engine = make_engine(url, pool_size=1, idle_in_transaction=0)
        try:
            present = present_revision(engine)
            expected = expected_revision(completed.migrations_dir)
            if present is None or present != expected:
                raise StackError(
                    f"the database is at migration {present}, this Podmeter at {expected}: back it "
                    "up by the version it belongs to, or run `podmeter-admin migrate` first"
                )
            with engine.connect() as connection, _target(file) as target:
                # What is counted, and what pg_dump reads, is of one moment.
                connection.execution_options(isolation_level="REPEATABLE READ")
                contents, size = _dump(connection, url, present, target)
        except SQLAlchemyError as error:
            raise StackError(f"the database cannot be read: {_first_line(error)}") from None
        finally:
            engine.dispose()
    _tell(file, contents, size)


def _dump(
    connection: Connection, url: str, revision: str, target: BinaryIO
) -> tuple[Contents, int]:
    snapshot = connection.scalar(text("SELECT pg_export_snapshot()"))
    server = int(connection.scalar(text("SHOW server_version_num")) or 0) // 10_000
    program = client.oldest("pg_dump", server)
    contents = Contents(
        made_at=now().isoformat(timespec="seconds"),
        podmeter=version("podmeter"),
        revision=revision,
        postgres=server,
        pg_dump=program.major,
        rows=_rows(connection),
        keys=_keys(connection),
    )
    where, environment = client.connection_of(url)
    wanted = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}"]
    with client.running(program, *wanted, f"--dbname={where}", environment=environment) as output:
        try:
            size = archive.write(target, client.portions(output), contents)
        except OSError as error:
            raise StackError(f"the backup cannot be written: {error.strerror}") from None
    return contents, size


def _rows(connection: Connection) -> dict[str, int]:
    return {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0
        for table in Base.metadata.sorted_tables
    }


def _keys(connection: Connection) -> dict[str, int]:
    """Rows by the id of the key that they are under."""
    found: dict[str, int] = {}
    with Session(connection) as session:
        for sealed in SEALED:
            for header, rows in count_by_header(session, sealed.column, HEADER_BYTES).items():
                key_id = (key_id_in(header) or b"").hex()
                found[key_id] = found.get(key_id, 0) + rows
    return found


@contextmanager
def _target(file: str) -> Iterator[BinaryIO]:
    """A new file, seen under its name once it is whole; or standard output."""
    if file == STANDARD:
        if sys.stdout.isatty():
            raise StackError("a backup is not for a terminal: name a file, or redirect the output")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(file)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    if path.exists():
        raise StackError(f"{path} is there already")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise StackError(f"{path} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(descriptor, "wb") as opened:
            yield opened
            opened.flush()
            os.fsync(opened.fileno())
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


def _tell(file: str, contents: Contents, size: int) -> None:
    where = "standard output" if file == STANDARD else file
    tell(f"wrote {size / 2**20:.1f} MiB to {where}: {described(contents)}")
    tell(f"{keys_needed(contents)}; the backup has none of them")


def described(contents: Contents) -> str:
    """What a backup holds, in words."""
    counted = {"runs": "runs", "clusters": "clusters", "snapshots": "snapshots"}
    rows = ", ".join(f"{contents.rows.get(table, 0)} {word}" for table, word in counted.items())
    return f"{rows}; of {contents.made_at}, at migration {contents.revision}"


def keys_needed(contents: Contents) -> str:
    """Which encryption keys are needed to read what was encrypted, by their ids."""
    named = [f"{key_id} ({rows} rows)" for key_id, rows in sorted(contents.keys.items()) if key_id]
    if not named:
        return "nothing in it is encrypted"
    return f"what is encrypted in it needs key {', '.join(named)} in PODMETER_ENCRYPTION_KEYS"


def tell(message: str) -> None:
    """Tell anyone who ran the command; standard output may be the backup itself."""
    sys.stderr.write(f"podmeter: {message}\n")


def _first_line(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
