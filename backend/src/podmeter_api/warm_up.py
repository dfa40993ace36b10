"""Making the first requests after a start as fast as every other one."""

import asyncio
import gc
import json
import logging
import uuid
from contextlib import ExitStack

from fastapi import FastAPI
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from starlette.types import Message, Scope

from podmeter.db.base import now
from podmeter.db.models import Membership, Role
from podmeter.db.paging import PageRequest
from podmeter.db.repositories.accounts import AccountRepository
from podmeter.db.repositories.digests import DigestRepository
from podmeter.db.repositories.floors import FloorRepository
from podmeter.db.repositories.runs import RunFilter, RunRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.db.repositories.sharing import ComparisonRepository
from podmeter.db.repositories.shown_runs import ShownRunRepository
from podmeter.domain.real_cluster import RealCluster
from podmeter.services.accounts.principal import Principal
from podmeter.services.comparisons.warm_up import warm_up as warm_up_statistics
from podmeter.services.headlines.document import sentence
from podmeter.texts import languages
from podmeter_api.lanes import working
from podmeter_api.security import get_principal
from podmeter_api.state import AppState

logger = logging.getLogger(__name__)


#: Between them they use all that is made late: dependencies, bodies, migrations, figures.
_ASKED = (
    ("GET", "/readyz"),
    ("GET", "/api/v1/runs"),
    ("POST", "/api/v1/comparisons"),
)


#: Whose comparison is written to be undone.
_ANYBODY = select(Membership.organization_id, Membership.user_id).limit(1)
#: How often psycopg is given a statement until it prepares it, by default.
UNTIL_PREPARED = 6


async def warm_up(app: FastAPI, state: AppState) -> None:
    """Fill caches and the pool, and leave what is there now out of collections."""
    await asyncio.to_thread(_without_requests, state)
    for method, path in _ASKED:
        await app(_scope(method, path), _no_body, _drop)
    # Once more as somebody who is let in, and has nothing.
    app.dependency_overrides[get_principal] = _somebody
    try:
        for method, path in _ASKED:
            await app(_scope(method, path), _body, _drop)
    finally:
        del app.dependency_overrides[get_principal]
    gc.collect()
    gc.freeze()
    # A request makes thousands of objects that are gone with it; looking at them all is in vain.
    gc.set_threshold(50_000, 20, 100)


def _without_requests(state: AppState) -> None:
    warm_up_statistics()
    # Lists of runs show answers: their texts are read from files once.
    for language in languages():
        sentence("nothing").text_in(language)
    connect(state, working(state.settings))


def _somebody() -> Principal:
    nobody = uuid.UUID(int=0)
    return Principal(nobody, "nobody", nobody, "nobody", Role.VIEWER)


def _scope(method: str, path: str) -> Scope:
    """A request that came over no connection, of somebody unknown."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [
            (b"host", b"localhost"),
            (b"authorization", b"Bearer nobody"),
            (b"content-type", b"application/json"),
        ],
        "client": None,
        "server": None,
        "state": {},
    }


async def _no_body() -> Message:
    return {"type": "http.request", "body": b"{}", "more_body": False}


async def _body() -> Message:
    nothing = {"run_id": str(uuid.UUID(int=0))}
    body = json.dumps({"baseline": nothing, "contenders": [nothing]}).encode()
    return {"type": "http.request", "body": body, "more_body": False}


async def _drop(_: Message) -> None:
    return None


def connect(state: AppState, connections: int) -> None:
    """Connect to the database so often, with what most requests ask prepared in each."""
    try:
        with ExitStack() as stack:
            # All before the first is given back: it would be given out again.
            for session in [stack.enter_context(state.sessions()) for _ in range(connections)]:
                for _ in range(UNTIL_PREPARED):
                    _ask(session)
    except SQLAlchemyError as error:
        logger.warning("the first requests will connect to the database: %s", error)


def _ask(session: Session) -> None:
    """Ask what most requests ask, of nobody's: the statements are compiled, the tables known.

    What is written is somebody's, since the database looks up whose, and undone with the session.
    """
    nobody = uuid.UUID(int=0)
    accounts = AccountRepository(session)
    accounts.login_session("")
    accounts.api_token("")
    accounts.touch_token(nobody, now())
    runs, samples = RunRepository(session, nobody), SampleRepository(session, nobody)
    ShownRunRepository(session, nobody, nobody, [""]).page(RunFilter(), PageRequest())
    runs.clusters([nobody])
    DigestRepository(session, nobody).blocks([nobody], [""])
    samples.whole_runs([nobody], [""])
    samples.samples([nobody], [""])
    FloorRepository(session, nobody).finished(RealCluster(""), 1, "")
    member = session.execute(_ANYBODY).one_or_none()
    if member is not None:
        comparisons = ComparisonRepository(session, member.organization_id)
        comparisons.add(uuid.uuid4(), member.user_id, now(), "", "", {}, "{}", "{}")
