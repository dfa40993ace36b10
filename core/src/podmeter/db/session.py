"""Engines and sessions. Whoever opens a session at the edge commits it, once."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from sqlalchemy import Dialect, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry

from podmeter.db.storable import storable_json, store_anything

Sessions = sessionmaker[Session]

#: A connection used within so many seconds is taken to live: no database restarts as fast.
IDLE_SECONDS = 0.2
_RETURNED = "podmeter returned"


def make_engine(url: str, *, pool_size: int = 10) -> Engine:
    """An engine that checks a connection that was idle, so a database restart is survived.

    The connection used last is used again, as its statements are prepared there.
    """
    engine = create_engine(
        url,
        pool_size=pool_size,
        max_overflow=0,
        pool_use_lifo=True,
        pool_timeout=10,
        connect_args={"options": "-c timezone=UTC", "connect_timeout": 10},
        json_serializer=storable_json,
    )
    store_anything(engine)
    event.listen(engine, "checkin", _note_return)
    event.listen(engine, "checkout", partial(_check_if_idle, engine.dialect))
    return engine


def _note_return(_: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
    record.info[_RETURNED] = time.monotonic()


def _check_if_idle(
    dialect: Dialect, connection: DBAPIConnection, record: ConnectionPoolEntry, _: object
) -> None:
    """Ask the database whether it knows the connection; asking each time would cost a tenth."""
    if time.monotonic() - record.info.get(_RETURNED, math.inf) < IDLE_SECONDS:
        return
    try:
        dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error as error:
        # The pool drops what it has and connects anew.
        raise InvalidatePoolError("the database closed an idle connection") from error


def make_sessions(engine: Engine) -> Sessions:
    """Sessions whose objects stay readable after the commit."""
    return sessionmaker(engine, expire_on_commit=False)


@contextmanager
def unit_of_work(sessions: Sessions) -> Iterator[Session]:
    """One request or one step of a task: committed at its end, rolled back on any error."""
    with sessions() as session:
        yield session
        session.commit()
