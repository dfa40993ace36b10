"""Locks that a process holds while it works and loses when it dies, however it dies."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import func, select

from podmeter.db.session import Sessions


@contextmanager
def try_lock(sessions: Sessions, name: str) -> Iterator[bool]:
    """Hold the lock `name` in a session of its own until leaving; False if another one has it.

    An advisory lock of PostgreSQL: it guards against working twice at a time, not against a
    worker that lost its connection and does not know yet.
    """
    key = func.hashtextextended(name, 0)
    with sessions() as session:
        # Not bound to a transaction, which would stay open all the while.
        connection = session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
        got = bool(connection.scalar(select(func.pg_try_advisory_lock(key))))
        try:
            yield got
        finally:
            if got and not connection.invalidated:
                connection.execute(select(func.pg_advisory_unlock(key)))


def is_free(sessions: Sessions, name: str) -> bool:
    """Whether nobody holds the lock `name` at the moment."""
    with try_lock(sessions, name) as got:
        return got
