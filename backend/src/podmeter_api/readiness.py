"""What the API needs to serve, looked up once for all who ask."""

from dataclasses import replace
from datetime import datetime
from functools import partial

from pydantic import BaseModel
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podmeter.db.revisions import expected_revision, present_revision
from podmeter.stack import shortages
from podmeter.stack.heartbeats import Health, Part, lives, name_of, reported_shortages
from podmeter.stack.shortages import Resource, Shortage
from podmeter_api.shared_look import SharedLook
from podmeter_api.state import AppState

#: How long the result of a look is given to all who ask.
KEPT_SECONDS = 1.0
#: How long who asks waits for a look. Connecting to a database that is away takes up to 10 s.
DEADLINE_SECONDS = 15.0


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


def shared_readiness(state: AppState) -> SharedLook[Readiness]:
    """The look of a process, which anybody may ask for."""
    return SharedLook(
        partial(look, state),
        missing=unknown,
        kept_seconds=KEPT_SECONDS,
        deadline_seconds=DEADLINE_SECONDS,
    )


def unknown(why: str) -> Readiness:
    """That nothing could be found out."""
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
