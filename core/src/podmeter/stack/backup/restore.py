"""`podmeter-admin restore FILE`: a backup into a database nobody uses, whole or not at all."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from psycopg import sql
from redis import Redis, RedisError

from podmeter.credentials.errors import KeyRingError
from podmeter.credentials.key_ring import KeyRing
from podmeter.db.base import Base
from podmeter.db.migrate import alembic_config, migrate
from podmeter.db.revisions import expected_revision
from podmeter.db.roles import apply_roles
from podmeter.db.session import make_engine, make_sessions, unit_of_work
from podmeter.services.audit.record import record_command
from podmeter.services.work import Work
from podmeter.settings import Settings
from podmeter.stack import lock
from podmeter.stack.backup import archive, client, script
from podmeter.stack.backup.archive import Contents
from podmeter.stack.backup.dump import STANDARD, described, keys_needed, tell
from podmeter.stack.errors import StackError
from podmeter.stack.heartbeats import Health, Part, lives
from podmeter.stack.process import wait_until
from podmeter.stack.up import database

#: The exit code where what was restored is encrypted by a key that is not among the settings.
KEY_MISSING = 2
#: An arbitrary number: one restore at a time.
_RESTORE_LOCK = 0x72657374
_REDIS_PATIENCE_S = 5.0
#: Who has closed a connection is still seen there for a little while: PostgreSQL's own DROP
#: DATABASE waits as long (CountOtherDBBackends).
_LEAVING_PATIENCE_S = 5.0
#: Those that change the database, and say when they end; beat only sends messages.
_WORKERS = (Part.RUNS, Part.UPKEEP)
#: What a database holds once it is migrated, before anybody has used it.
_OF_MIGRATING = {"alembic_version", "organizations", "users", "memberships"}
_OF_MIGRATING |= {"audit_entries", "audit_retention"}
#: Functions that migrations make.
_FUNCTIONS = ("audit_keep", "audit_date", "audit_prune", "sought_words")
_PRESENT = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
_OTHERS = """
    SELECT coalesce(nullif(application_name, ''), 'without a name') FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND coalesce(backend_type, 'client backend') = 'client backend'
"""


def restore(settings: Settings, file: str, *, replace: bool) -> int:
    """Restore a backup in one transaction; 0, or `KEY_MISSING`.

    What the database holds is replaced only if `replace` says so, and is as it was where anything
    goes wrong.

    Raises:
        StackError: the file is no whole backup or of a newer version, somebody uses the database,
            it is not empty, or it refuses.
    """
    with _found(file) as path:
        contents = archive.read(path)
        _check_known(settings, contents)
        _check_stopped(settings)
        with database(settings) as completed:
            url = completed.require_owner_url()
            try:
                where, environment = client.connection_of(url)
                password = environment.get("PGPASSWORD")
                with psycopg.connect(where, password=password) as connection:
                    _replace(connection, path, contents, replace=replace)
            except psycopg.Error as error:
                reason = str(error).strip().partition("\n")[0]
                raise StackError(f"nothing was changed: {reason}") from None
            tell(f"restored {described(contents)}")
            if contents.revision != expected_revision(completed.migrations_dir):
                migrate(completed.migrations_dir, url)
                tell("migrated to this version")
            _give_back(completed, contents)
            return _tell_keys(completed, contents)


@contextmanager
def _found(file: str) -> Iterator[Path]:
    """The file; standard input as a file, since all of it is checked before it is used."""
    if file != STANDARD:
        yield Path(file)
        return
    with tempfile.NamedTemporaryFile(prefix="podmeter-restore-") as kept:
        try:
            shutil.copyfileobj(sys.stdin.buffer, kept)
            kept.flush()
        except OSError as error:
            raise StackError(
                f"what was given cannot be kept in {tempfile.gettempdir()}: {error.strerror}; "
                "name a file instead, or another folder by TMPDIR"
            ) from None
        yield Path(kept.name)


def _check_known(settings: Settings, contents: Contents) -> None:
    config = alembic_config(settings.migrations_dir, "")
    try:
        ScriptDirectory.from_config(config).get_revision(contents.revision)
    except CommandError:
        raise StackError(
            f"the backup is of Podmeter {contents.podmeter} at migration {contents.revision}, "
            "which this version does not know: restore it by that version or a newer one"
        ) from None


def _check_stopped(settings: Settings) -> None:
    """Refuse where workers or a stack go on; connections to the database are checked later."""
    if settings.database_url is None and (process := lock.holder(settings.state_dir)) is not None:
        raise StackError(f"podmeter (process {process}) runs on it; stop it: podmeter-admin down")
    if settings.redis_url is None:
        return
    timeouts = {"socket_timeout": _REDIS_PATIENCE_S, "socket_connect_timeout": _REDIS_PATIENCE_S}
    try:
        with Redis.from_url(settings.require_redis_url(), **timeouts) as redis:
            going = [one for one in lives(redis) if one.health is Health.OK]
    except RedisError:
        return  # then workers cannot do anything either; their connections are checked
    workers = sorted(f"{one.part} on {one.name}" for one in going if one.part in _WORKERS)
    if workers:
        raise StackError(f"workers are connected: {', '.join(workers)}; stop them, and the API")


def _replace(
    connection: psycopg.Connection[Any], path: Path, contents: Contents, *, replace: bool
) -> None:
    """Everything that is done, in the connection's one transaction."""
    if not _one(connection, f"SELECT pg_try_advisory_xact_lock({_RESTORE_LOCK})"):
        raise StackError("another restore is running")
    if others := _others(connection):
        raise StackError(
            f"{len(others)} others are connected to the database ({', '.join(sorted(set(others)))})"
            "; stop the API and all workers first"
        )
    if (held := _held(connection)) and not replace:
        raise StackError(f"the database is not empty: {held}; --replace deletes that first")
    _empty(connection)
    program = client.oldest("pg_restore", contents.pg_dump)
    plain = ["--file=-", "--no-owner", "--no-privileges"]
    with client.running(program, *plain, str(path)) as output:
        script.run(connection, output)
    for table, rows in contents.rows.items():
        query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
        if (found := _one(connection, query)) != rows:
            raise StackError(
                f"nothing was changed: {table} would have {found} rows, and had {rows}"
            )


def _others(connection: psycopg.Connection[Any]) -> list[str]:
    """The programs that stay connected to the database."""
    others: list[str] = []

    def alone() -> bool:
        # Within a transaction the first answer is kept otherwise.
        connection.execute("SELECT pg_stat_clear_snapshot()")
        others[:] = [row[0] for row in connection.execute(_OTHERS)]
        return not others

    wait_until(alone, _LEAVING_PATIENCE_S)
    return others


def _one(connection: psycopg.Connection[Any], query: Any) -> Any:
    row = connection.execute(query).fetchone()
    return row[0] if row else None


def _held(connection: psycopg.Connection[Any]) -> str:
    """What of worth is in the database; '' where it is empty, or was only migrated."""
    present = {row[0] for row in connection.execute(f"{_PRESENT} AND relkind IN ('r', 'p')")}
    ours = {table.name for table in Base.metadata.sorted_tables}
    found = [f"the table {name}" for name in sorted(present - ours - _OF_MIGRATING)]
    for name in sorted((present & ours) - _OF_MIGRATING):
        query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name))
        if rows := _one(connection, query):
            found.append(f"{rows} {name.replace('_', ' ')}")
    if "users" in present and (users := _one(connection, "SELECT count(*) FROM users")) > 1:
        found.append(f"{users} users")
    return ", ".join(found)


def _empty(connection: psycopg.Connection[Any]) -> None:
    """Drop all tables and sequences; the schema stays, which may be somebody else's."""
    for kinds, what in (("'r', 'p'", "TABLE"), ("'S'", "SEQUENCE")):
        names = [row[0] for row in connection.execute(f"{_PRESENT} AND relkind IN ({kinds})")]
        if names:
            dropped = sql.SQL(", ").join(sql.Identifier("public", name) for name in names)
            connection.execute(sql.SQL(f"DROP {what} ") + dropped + sql.SQL(" CASCADE"))
    for name in _FUNCTIONS:
        function = sql.Identifier("public", name)
        connection.execute(sql.SQL("DROP FUNCTION IF EXISTS {}").format(function))


def _give_back(settings: Settings, contents: Contents) -> None:
    """Give back what no backup has, and say so in the audit log, which is the backup's now."""
    engine = make_engine(settings.require_owner_url(), pool_size=1)
    try:
        apply_roles(engine, settings.require_database_url(), settings.audit_days)
        with unit_of_work(make_sessions(engine)) as session:
            work = Work(session)
            work.audit.to("backup", contents.made_at)
            record_command(work, "restore")
    finally:
        engine.dispose()


def _tell_keys(settings: Settings, contents: Contents) -> int:
    tell(keys_needed(contents))
    try:
        text = settings.encryption_keys.get_secret_value() if settings.encryption_keys else None
        known = {key.key_id.hex() for key in KeyRing.parse(text).keys}
    except KeyRingError as error:
        known = set()
        tell(str(error))
    missing = sorted(key_id for key_id in contents.keys if key_id and key_id not in known)
    if missing:
        tell(
            f"key {', '.join(missing)} is not among the settings: put it behind the others, else "
            "what is under it cannot be read"
        )
    return KEY_MISSING if missing else 0
