"""What the API needs to serve, looked up once for all who ask."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Thread

from pydantic import BaseModel
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podmeter.db.revisions import expected_revision, present_revision
from podmeter.stack import shortages
from podmeter.stack.heartbeats import Health, Part, lives, name_of, reported_shortages
from podmeter.stack.shortages import Resource, Shortage
from podmeter_api.state import AppState

#: How long the result of a look is given to all who ask.
KEPT_SECONDS = 1.0
#: How long who asks waits for a look. Connecting to a database that is away takes up to 10 s.
DEADLINE_SECONDS = 15.0
#: How many looks may be in progress: the latest, and others without an end.
_MOST_LOOKS = 3


class PartHealthView(BaseModel):
    """A part, the name of its process, and when it gave its last sign of life."""

    part: Part
    name: str
    health: Health
    seen: datetime | None


class Readiness(BaseModel):
    """Each thing the API needs: `ok`, or what is wrong; what is short; whether every part
    continues.

    Without a database or a broker that writes nobody can log in, and no run can begin.
    """

    database: str
    schema_version: str
    broker: str
    #: By resource: how short it is, and of which process where it is a process' own.
    short: dict[Resource, str]
    #: By part: `ok`, or which process has been silent since when.
    parts: dict[Part, str]
    lives: list[PartHealthView]

    @property
    def ready(self) -> bool:
        """Whether the API can serve; it does so without a worker, too."""
        return {self.database, self.schema_version, self.broker} == {"ok"}

    @property
    def complete(self) -> bool:
        """Whether every part continues."""
        return self.ready and not self.short and set(self.parts.values()) == {"ok"}


@dataclass
class _Look:
    """A look that began, by the clock; `ended` is set before its result."""

    began: float
    ended: float | None = None
    result: Future[Readiness] = field(default_factory=Future)


class SharedLook:
    """One look at a time, in a thread of its own, whose result all who ask share.

    Anybody may ask, and a look blocks while the database is away. Those who wait hold no thread and
    no connection to the database, so nobody is refused: an orchestrator that is takes the API away.
    A server that is stopped while its kernel still acknowledges may block a look for ever: it is
    replaced after a while, by few others.
    """

    def __init__(
        self,
        look: Callable[[], Readiness],
        *,
        kept_seconds: float = KEPT_SECONDS,
        deadline_seconds: float = DEADLINE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`look` is called again once its result is `kept_seconds` old by `clock`, or once it has
        not ended within `deadline_seconds`.
        """
        self._look = look
        self._kept_seconds = kept_seconds
        self._deadline_seconds = deadline_seconds
        self._clock = clock
        self._latest: _Look | None = None
        self._in_progress: list[_Look] = []

    async def latest(self) -> Readiness:
        """The result of the look in progress, or of the last one, or of a new one; that it is
        unknown where none can be had.
        """
        try:
            shared = self._shared()
        except RuntimeError as error:  # no further thread
            return _unknown(str(error))
        if shared.result.done():
            return shared.result.result()
        left = shared.began + self._deadline_seconds - self._clock()
        try:
            async with asyncio.timeout(left) as patience:
                # A client that leaves must not end the look of the others.
                return await asyncio.shield(asyncio.wrap_future(shared.result))
        except TimeoutError:
            if not patience.expired():  # the look's own
                raise
        return _unknown(f"got no answer within {self._deadline_seconds:g} s")

    def _shared(self) -> _Look:
        """The look to wait for. Raises RuntimeError where no thread can be started."""
        now = self._clock()
        self._in_progress = [one for one in self._in_progress if not one.result.done()]
        if self._latest is not None and not self._is_over(self._latest, now):
            return self._latest
        shared = _Look(now)
        # A process that ends does not wait for a look that blocks.
        Thread(target=self._fulfil, args=(shared,), daemon=True).start()
        self._in_progress.append(shared)
        self._latest = shared
        return shared

    def _is_over(self, shared: _Look, now: float) -> bool:
        if shared.ended is not None:
            return now >= shared.ended + self._kept_seconds
        is_late = now >= shared.began + self._deadline_seconds
        return is_late and len(self._in_progress) < _MOST_LOOKS

    def _fulfil(self, shared: _Look) -> None:
        try:
            found = self._look()
        except Exception as error:  # raised in all who wait
            shared.ended = self._clock()
            shared.result.set_exception(error)
        else:
            shared.ended = self._clock()
            shared.result.set_result(found)


def _unknown(why: str) -> Readiness:
    said = f"unknown: {why}"
    return Readiness(database=said, schema_version=said, broker=said, short={}, parts={}, lives=[])


def look(state: AppState) -> Readiness:
    """Ask the database and Redis. Blocks as long as their timeouts while they are away."""
    database, schema, broker = "ok", "ok", "ok"
    short = own_shortages(state)
    try:
        # First: without a connection this says why, and nothing else can be asked.
        short += shortages.of_database(state.engine)
        present = present_revision(state.engine)
        expected = expected_revision(state.settings.migrations_dir)
        if present != expected:
            schema = f"at {present}, needs {expected}: run `podmeter-admin migrate`"
    except (SQLAlchemyError, PoolTimeoutError):
        database = schema = "cannot be reached"
    found: list[PartHealthView] = []
    try:
        found = [PartHealthView.model_validate(vars(life)) for life in lives(state.redis)]
        short += [*shortages.of_broker(state.redis), *others_shortages(state)]
    except RedisError:
        broker = "cannot be reached"
    said = _shortages(short)
    if Resource.DATABASE_WRITES in said:
        database = f"refuses to write: {said[Resource.DATABASE_WRITES]}"
    if Resource.BROKER_WRITES in said:
        broker = f"refuses to write: {said[Resource.BROKER_WRITES]}"
    return Readiness(
        database=database,
        schema_version=schema,
        broker=broker,
        short=said,
        parts={part: _said(part, found) for part in Part if broker != "cannot be reached"},
        lives=found,
    )


def own_shortages(state: AppState) -> list[Shortage]:
    """What this process runs out of, which it shows whatever Redis does."""
    name = f"{Part.API} {name_of()}"
    return [replace(one, name=name) for one in state.own_shortages.look()]


def others_shortages(state: AppState) -> list[Shortage]:
    """What all other processes reported. Raises RedisError."""
    return reported_shortages(state.redis, besides=(Part.API, name_of()))


def _shortages(found: list[Shortage]) -> dict[Resource, str]:
    by_resource: dict[Resource, list[str]] = {}
    for one in found:
        words = f"{one.name}: {one.said}" if one.name else one.said
        by_resource.setdefault(one.resource, []).append(words)
    return {resource: "; ".join(words) for resource, words in by_resource.items()}


def _said(part: Part, found: list[PartHealthView]) -> str:
    wrong = [one for one in found if one.part is part and one.health is not Health.OK]
    said = [
        f"{one.name} silent since {one.seen:%Y-%m-%dT%H:%M:%SZ}" if one.seen else "not seen yet"
        for one in wrong
    ]
    return ", ".join(said) or "ok"
