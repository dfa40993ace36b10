"""Whether the process lives, and whether it can serve."""

from collections.abc import AsyncIterator
from datetime import datetime

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel
from redis import RedisError
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from podmeter.db.revisions import expected_revision, present_revision
from podmeter.stack import shortages
from podmeter.stack.heartbeats import Health, Part, lives, reported_shortages
from podmeter.stack.shortages import Resource, Shortage
from podmeter_api.callers import caller_of
from podmeter_api.lanes import lanes_of
from podmeter_api.state import AppState, state_of

router = APIRouter(tags=["health"], include_in_schema=False)


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


@router.get("/healthz")
def healthz() -> dict[str, str]:
    """The process lives."""
    return {"status": "ok"}


async def _in_lane(request: Request) -> AsyncIterator[None]:
    async with lanes_of(request).health.place(caller_of(request)):
        yield


#: Anybody may ask, and a database that is away keeps who asks for it.
InLane = Depends(_in_lane, scope="function")


@router.get("/readyz", dependencies=[InLane])
def readyz(request: Request, response: Response) -> Readiness:
    """The process can serve; 503 and what is missing if it cannot.

    A silent worker is reported, but no reason for 503: taking the API away for it would take
    away what says so, and all that has been measured.
    """
    readiness = _readiness(state_of(request))
    response.status_code = 200 if readiness.ready else 503
    return readiness


@router.get("/readyz/parts", dependencies=[InLane])
def readyz_parts(request: Request, response: Response) -> Readiness:
    """Every part continues; 503 and which one does not, since when. For anyone who watches over
    all.
    """
    readiness = _readiness(state_of(request))
    response.status_code = 200 if readiness.complete else 503
    return readiness


def _readiness(state: AppState) -> Readiness:
    database, schema, broker = "ok", "ok", "ok"
    short: list[Shortage] = []
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
        short += [*shortages.of_broker(state.redis), *reported_shortages(state.redis)]
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
