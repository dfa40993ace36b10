"""Engines and sessions. Anyone who opens a session at the edge commits it, once."""

import math
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from pydantic_core import from_json
from sqlalchemy import Dialect, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, InterfaceError, InvalidatePoolError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry

from podmeter.db.storable import storable_json, store_anything

Sessions = sessionmaker[Session]

#: A connection unused for longer is asked whether it lives, as a network may drop it in silence.
IDLE_SECONDS = 0.2
#: A transaction that asks nothing for longer is ended by the database: its process was stopped or
#: cut off, and nobody could take over what it holds. Nothing of ours takes as long.
IDLE_IN_TRANSACTION_SECONDS = 30
#: What was sent to the database and is not acknowledged for so long ends the connection.
_UNANSWERED_MS = 15_000
_RETURNED = "podmeter returned"


def make_engine(
    url: str, *, pool_size: int = 10, idle_in_transaction: float = IDLE_IN_TRANSACTION_SECONDS
) -> Engine:
    """An engine that checks a connection before it is used, so a database restart is survived.

    The connection used last is used again, as its statements are prepared there. A transaction that
    is idle for `idle_in_transaction` seconds loses its connection; 0 is for ever.
    """
    options = f"-c timezone=UTC -c idle_in_transaction_session_timeout={idle_in_transaction:g}s"
    engine = create_engine(
        url,
        pool_size=pool_size,
        max_overflow=0,
        pool_use_lifo=True,
        pool_timeout=10,
        # A request reads a hundred small documents; this takes a fifth of json.loads.
        json_deserializer=from_json,
        connect_args={
            "options": options,
            "connect_timeout": 10,
            # Otherwise the kernel sends again for 15 min, and asks a silent peer after two hours: a
            # heartbeat hangs as long.
            "tcp_user_timeout": _UNANSWERED_MS,
            "keepalives_idle": 15,
            "keepalives_interval": 5,
            "keepalives_count": 3,
        },
        json_serializer=storable_json,
    )
    store_anything(engine)
    event.listen(engine, "do_connect", _connect)
    event.listen(engine, "checkin", _note_return)
    event.listen(engine, "checkout", partial(_check, engine.dialect))
    return engine


def _connect(dialect: Dialect, _: object, args: list[Any], settings: dict[str, Any]) -> Any:
    """Connect. psycopg waits by a file of its own, and lets the error of a missing one through."""
    try:
        return dialect.connect(*args, **settings)
    except OSError as error:
        raise dialect.loaded_dbapi.OperationalError(str(error)) from error


def _note_return(_: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
    record.info[_RETURNED] = time.monotonic()


def _check(
    dialect: Dialect, connection: DBAPIConnection, record: ConnectionPoolEntry, _: object
) -> None:
    """Ask the database whether it knows the connection, where that is in doubt.

    Asking each time would cost a tenth; the kernel tells at once and for nothing whether the
    database closed its end, however short ago that was: a restart may take 0.1 s.
    """
    fresh = time.monotonic() - record.info.get(_RETURNED, math.inf) < IDLE_SECONDS
    try:
        if fresh and not _has_input(connection):
            return
        dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error as error:
        # The pool drops what it has and connects again.
        raise InvalidatePoolError("the database closed a connection") from error


def _has_input(connection: Any) -> bool:
    """Whether something waits to be read: of a connection that asked nothing, mostly its end."""
    waiting = select.poll()
    waiting.register(connection.fileno(), select.POLLIN)
    return bool(waiting.poll(0))


def make_sessions(engine: Engine, *, read_only: bool = False) -> Sessions:
    """Sessions whose objects stay readable after the commit.

    With `read_only` the database itself refuses to change anything in their transactions, and
    each sees one moment: an answer that takes several queries is never of a run half deleted.
    """
    bound = engine
    if read_only:
        bound = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    return sessionmaker(bound, expire_on_commit=False)


@contextmanager
def unit_of_work(sessions: Sessions) -> Iterator[Session]:
    """One request or one step of a task: committed at its end, rolled back on any error."""
    with sessions() as session:
        yield session
        session.commit()


#: SQLSTATEs, or how they begin, of a database that can be used again later: connections (08), room
#: and connections used up, shutdown and start, a broken disk, and a standby, which only reads.
_AWAY = ("08", "53000", "53100", "53200", "53300", "57P01", "57P02", "57P03", "58030", "25006")
#: Of a transaction that another one, or its administrator, stopped: it may succeed at once.
_CONFLICTS = ("40", "55P03", "57014")


def is_away(error: Exception) -> bool:
    """Whether the database cannot be used now, and it is not the statement's fault."""
    if isinstance(error, PoolTimeoutError):
        return True
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    state = getattr(error.orig, "sqlstate", None)
    if state is None:  # the server has said nothing
        return isinstance(error, (OperationalError, InterfaceError))
    return str(state).startswith(_AWAY)


def is_conflict(error: Exception) -> bool:
    """Whether the database ended a transaction that may succeed when it is tried again."""
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None
    return str(state).startswith(_CONFLICTS)


def is_temporary(error: Exception) -> bool:
    """Whether the same may succeed later."""
    return is_away(error) or is_conflict(error)
