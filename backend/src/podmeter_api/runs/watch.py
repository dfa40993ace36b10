"""Wakes the event streams of a process when there is something to send.

One connection for each process listens to the database; one look a second, for all streams
together, finds what a lost notification did not tell, and who is not let in any more. Events are
read once for all streams that have got equally far. So what streams cost follows from what
happens, not from how many there are.
"""

import asyncio
import logging
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from podmeter.db.models import RunEvent
from podmeter.db.notifications import listen
from podmeter.db.session import Sessions
from podmeter.services.accounts.active_principals import active_principals
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import NotFoundError
from podmeter.services.runs import read
from podmeter.services.work import Work

logger = logging.getLogger(__name__)

#: Between two looks for all streams. Anyone who is put out is sent nothing a second later.
LOOK_SECONDS = 0.8
#: Before listening again after the database was away.
_LISTEN_AGAIN_SECONDS = 1.0
#: Reads for streams at a time: a crowd of them that wakes takes no more connections than that.
_READS = 1

#: Events, and whether no more will come.
Portion = tuple[Sequence[RunEvent], bool]


@dataclass(eq=False)
class Follower:
    """One stream: whose it is, what it follows, and how far it has got."""

    principal: Principal
    run_id: uuid.UUID
    seen: int
    out: bool = False
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class RunWatch:
    """The event streams of one process. Belongs to one event loop."""

    def __init__(self, sessions: Sessions, engine: Engine, per_user: int) -> None:
        """`per_user` is how many streams one user may have open."""
        self.per_user = per_user
        self._sessions = sessions
        self._engine = engine
        self._followers: set[Follower] = set()
        self._open: Counter[uuid.UUID] = Counter()
        self._reading: dict[tuple[uuid.UUID, uuid.UUID, int], asyncio.Task[Portion]] = {}
        self._reads = asyncio.Semaphore(_READS)
        self._tasks: list[asyncio.Task[None]] = []

    def is_full(self, user_id: str) -> bool:
        """Whether the user has as many streams open as one may."""
        return self._open.get(uuid.UUID(user_id), 0) >= self.per_user

    @contextmanager
    def place(self, user_id: uuid.UUID) -> Iterator[bool]:
        """Whether the user may have one more stream; it counts as long as this is held."""
        if self._open[user_id] >= self.per_user:
            yield False
            return
        self._open[user_id] += 1
        try:
            yield True
        finally:
            self._open[user_id] -= 1
            if not self._open[user_id]:
                del self._open[user_id]

    async def follow(
        self, principal: Principal, run_id: uuid.UUID, seen: int
    ) -> AsyncGenerator[Portion, None]:
        """What happens after an event, as it happens, to the end of the run.

        Ends early where `principal` is not let in any more. A run that is deleted has no more.
        """
        follower = Follower(principal, run_id, seen)
        self._followers.add(follower)
        self._start()
        try:
            while True:
                follower.woken.clear()
                try:
                    rows, over = await self._portion(follower)
                except NotFoundError:
                    rows, over = [], True
                if follower.out:
                    return
                if rows:
                    follower.seen = rows[-1].number
                if rows or over:
                    yield rows, over
                if over:
                    return
                if not rows:
                    await follower.woken.wait()
        finally:
            self._followers.discard(follower)
            if not self._followers:
                self._stop()

    def wake(self, run_id: uuid.UUID) -> None:
        """Have the streams of a run read on; what is being read may be from before."""
        for key in [key for key in self._reading if key[1] == run_id]:
            del self._reading[key]
        for follower in self._followers:
            if follower.run_id == run_id:
                follower.woken.set()

    async def look(self) -> None:
        """Wake the streams that missed something, and those whose user is out."""
        followers = list(self._followers)
        principals = {one.principal for one in followers}
        runs = {one.run_id for one in followers}
        found, last = await run_in_threadpool(self._look, principals, runs)
        for follower in followers:
            follower.out = follower.principal not in found
            # Read ended and deleted runs once more.
            if follower.out or last.get(follower.run_id, follower.seen + 1) > follower.seen:
                self.wake(follower.run_id)

    def _look(
        self, principals: set[Principal], runs: set[uuid.UUID]
    ) -> tuple[set[Principal], dict[uuid.UUID, int]]:
        with self._sessions() as session:
            work = Work(session)
            return active_principals(work, principals), read.last_events(work, runs)

    async def _portion(self, follower: Follower) -> Portion:
        key = (follower.principal.organization_id, follower.run_id, follower.seen)
        task = self._reading.get(key)
        if task is None:
            task = self._reading[key] = asyncio.create_task(self._read(key))
            task.add_done_callback(lambda done: self._forget(key, done))
        # Others wait for it too: it continues where this stream ends.
        return await asyncio.shield(task)

    async def _read(self, key: tuple[uuid.UUID, uuid.UUID, int]) -> Portion:
        async with self._reads:
            return await run_in_threadpool(self._rows, *key)

    def _rows(self, organization_id: uuid.UUID, run_id: uuid.UUID, seen: int) -> Portion:
        with self._sessions() as session:
            return read.events_after(Work(session), organization_id, run_id, seen)

    def _forget(self, key: tuple[uuid.UUID, uuid.UUID, int], done: "asyncio.Task[Portion]") -> None:
        if self._reading.get(key) is done:
            del self._reading[key]
        if not done.cancelled():
            done.exception()  # anyone who waited got it

    def _start(self) -> None:
        if not self._tasks:
            self._tasks = [
                asyncio.create_task(_again(self._listen, _LISTEN_AGAIN_SECONDS)),
                asyncio.create_task(_again(self.look, LOOK_SECONDS)),
            ]

    def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._tasks = []

    async def _listen(self) -> None:
        async with aclosing(listen(self._engine)) as runs:
            async for run_id in runs:
                self.wake(run_id)


async def _again(do: Callable[[], Coroutine[Any, Any, None]], pause: float) -> None:
    while True:
        try:
            await do()
        except (psycopg.Error, SQLAlchemyError) as error:
            logger.warning("event streams cannot look at the database: %s", type(error).__name__)
        await asyncio.sleep(pause)
