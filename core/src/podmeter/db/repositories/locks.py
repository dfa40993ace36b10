"""Locks that a process holds while it works and loses when it dies, however it dies."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Function, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from podmeter.db.session import Sessions


class _Locks:
    """Advisory locks of PostgreSQL, all of a process in one session.

    With a session for each, work that takes long would use up the connections of all.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._mutex = threading.Lock()
        self._session: Session | None = None
        self._held: set[str] = set()

    def take(self, name: str) -> bool:
        """Take a lock that nobody has, here or elsewhere. Raises SQLAlchemyError."""
        with self._mutex:
            if name in self._held:
                return False
            got = self._ask(func.pg_try_advisory_lock(func.hashtextextended(name, 0)))
            if got:
                self._held.add(name)
            self._rest()
            return got

    def release(self, name: str) -> None:
        """Let others take it; they may already where the connection was lost."""
        with self._mutex:
            self._held.discard(name)
            try:
                if self._session is not None:
                    self._ask(func.pg_advisory_unlock(func.hashtextextended(name, 0)))
            except DBAPIError:
                pass  # with the connection its locks are gone
            finally:
                self._rest()

    def _ask(self, question: Function[Any]) -> bool:
        try:
            if self._session is None:
                self._session = self._sessions()
                # Not bound to a transaction, which would stay open all the while.
                self._session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
            return bool(self._session.scalar(select(question)))
        except DBAPIError:
            self._end()
            raise

    def _rest(self) -> None:
        if not self._held:
            self._end()

    def _end(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


_of: WeakKeyDictionary[Sessions, _Locks] = WeakKeyDictionary()
_making = threading.Lock()


@contextmanager
def try_lock(sessions: Sessions, name: str) -> Iterator[bool]:
    """Hold the lock `name` until leaving; False if another one has it.

    It guards against working twice at a time, not against a worker that lost its connection and
    does not know yet.
    """
    with _making:
        locks = _of.setdefault(sessions, _Locks(sessions))
    got = locks.take(name)
    try:
        yield got
    finally:
        if got:
            locks.release(name)


def is_free(sessions: Sessions, name: str) -> bool:
    """Whether nobody holds the lock `name` at the moment."""
    with try_lock(sessions, name) as got:
        return got
