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
#: A transaction that asks nothing for longer is ended by the database: anyone who holds rows has
#: been
#: stopped, or cut off, and nobody could take over what it held. Nothing of ours takes as long.
IDLE_IN_TRANSACTION_SECONDS = 30
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
        connect_args={"options": options, "connect_timeout": 10},
        json_serializer=storable_json,
    )
    store_anything(engine)
    event.listen(engine, "checkin", _note_return)
    event.listen(engine, "checkout", partial(_check, engine.dialect))
    return engine


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


def is_away(error: Exception) -> bool:
    """Whether the error says that the database cannot be reached, not that it refuses."""
    if isinstance(error, PoolTimeoutError):
        return True
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, (OperationalError, InterfaceError))
