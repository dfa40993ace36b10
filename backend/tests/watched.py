"""The database as tests look at it after each request, without reading all of it each time."""

from collections.abc import Callable
from typing import Generic, TypeVar

from sqlalchemy import text

from podmeter.db.session import Sessions

T = TypeVar("T")


class Watched(Generic[T]):
    """What `look` finds, looked for again only after a transaction that wrote something.

    Each of these has a number, and the server says which is the last that ended: reading every
    row after every request took longer than the requests.
    """

    def __init__(self, sessions: Sessions, look: Callable[[Sessions], T]) -> None:
        self._sessions, self._look = sessions, look
        self._written = self._last_written()
        self._seen = look(sessions)

    def now(self) -> T:
        """What the database has now."""
        written = self._last_written()
        if written != self._written:
            self._written, self._seen = written, self._look(self._sessions)
        return self._seen

    def _last_written(self) -> int:
        with self._sessions() as session:
            query = text("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
            return int(session.execute(query).scalar_one())
