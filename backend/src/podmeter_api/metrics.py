"""GET /metrics: figures for Prometheus, for those who may use the API and from named networks."""

import asyncio
import os
from collections.abc import Callable
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Annotated, NoReturn, TypeVar

from fastapi import APIRouter, Depends, Request, Response, Security
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from podmeter.stack.shortages import Shortage
from podmeter_api.callers import is_in, networks
from podmeter_api.lanes import busy
from podmeter_api.queue_metrics import as_text, broker_figures, database_figures, no_figures
from podmeter_api.readiness import own_shortages
from podmeter_api.security import bearer, cookie, get_principal
from podmeter_api.shared_look import SharedLook
from podmeter_api.state import AppState, state_of
from podmeter_api.unit_of_work import get_work

#: Less than Prometheus waits (10 s): what is missing must not cost the rest.
DEADLINE_SECONDS = 5.0

T = TypeVar("T")


class SharedFigures:
    """The figures of a moment, each looked up once for all who ask meanwhile.

    The database may block a look for ever, and Redis for longer than a scraper waits: neither keeps
    back the other's figures and those of the processes that serve.
    """

    def __init__(self, state: AppState) -> None:
        self._own = _shared(partial(_own, state), _refuse)
        self._database = _shared(partial(database_figures, state), partial(no_figures, "database"))
        self._broker = _shared(partial(broker_figures, state), partial(no_figures, "broker"))

    async def latest(self) -> bytes:
        """All that there is. Raises HttpProblemError where this process cannot even look."""
        (requests, short), database, broker = await asyncio.gather(
            self._own.latest(), self._database.latest(), self._broker.latest()
        )
        return requests + as_text(short, database, broker)


def _shared(look: Callable[[], T], missing: Callable[[str], T]) -> SharedLook[T]:
    # Nothing is kept: a scrape that begins after a look has newer figures.
    return SharedLook(look, missing=missing, kept_seconds=0.0, deadline_seconds=DEADLINE_SECONDS)


def _own(state: AppState) -> tuple[bytes, list[Shortage]]:
    """Requests by route and status and their duration, of all processes that serve; and what this
    one runs out of.
    """
    registry = CollectorRegistry() if "PROMETHEUS_MULTIPROC_DIR" in os.environ else REGISTRY
    if registry is not REGISTRY:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry), own_shortages(state)


def _refuse(_: str) -> NoReturn:
    raise busy(HTTPStatus.SERVICE_UNAVAILABLE)


async def _known(
    request: Request,
    token: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)],
    session_token: Annotated[str | None, Security(cookie)],
) -> None:
    """Only who needs a login waits for a place at the database."""
    named = networks(state_of(request).settings.metrics_networks)
    if request.client is not None and is_in(request.client.host, named):
        return
    async with asynccontextmanager(get_work)(request) as work:
        await run_in_threadpool(get_principal, request, work, token, session_token, None)


router = APIRouter(tags=["health"], include_in_schema=False, dependencies=[Depends(_known)])


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Requests; and how it stands with runs, the queue, workers and clusters."""
    figures: SharedFigures = request.app.state.figures
    return Response(await figures.latest(), media_type=CONTENT_TYPE_LATEST)
