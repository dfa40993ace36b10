"""A process that serves: the application as clients reach it, and what it does besides."""

import asyncio
import logging
import multiprocessing
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event, Thread
from typing import Any

from fastapi import FastAPI
from redis import RedisError
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from podmeter import logs
from podmeter.settings import Settings, get_settings
from podmeter.stack import heartbeats
from podmeter.stack.bound import bind
from podmeter.stack.heartbeats import BEAT_SECONDS, Part
from podmeter_api.aggregate_precompute import make_digests
from podmeter_api.app import create_app, lifespan
from podmeter_api.callers import networks
from podmeter_api.connection_places import CONNECTIONS, Connections
from podmeter_api.request_ids import RequestIds
from podmeter_api.state import AppState
from podmeter_api.warm_up import warm_up

logger = logging.getLogger(__name__)


def application() -> ASGIApp:
    """The application as one process serves it; uvicorn calls this in each."""
    settings = get_settings()
    logs.configure(settings.log_level, settings.log_format)
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        # Without its parent nobody would end it, and it would keep the port.
        bind(parent.pid, signal.SIGKILL)
    # The event loop must not wait for a thread that computes as long as Python lets it (5 ms).
    sys.setswitchinterval(0.001)
    return behind_proxies(settings, create_app(settings, lifespan=_serving))


def behind_proxies(settings: Settings, app: ASGIApp) -> ASGIApp:
    """The application as it sees clients.

    Only a proxy that the operator named may say whose requests it passes on: anyone else who could,
    would choose the address that failed logins are counted by.
    """
    served: Any = app
    if settings.trusted_proxies:
        served = ProxyHeadersMiddleware(served, list(settings.trusted_proxies))
    return RequestIds(served, settings.trusted_proxies)


@asynccontextmanager
async def _serving(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    """What a process does as long as it serves; gives the state that its connections have."""
    async with lifespan(app):
        state: AppState = app.state.podmeter
        await warm_up(app, state)
        over = Event()
        Thread(target=make_digests, args=(state.sessions, over), daemon=True).start()
        beating = Thread(target=_beat, args=(state, over), daemon=True)
        beating.start()
        settings = state.settings
        trusted = networks(settings.trusted_proxies)
        yield {CONNECTIONS: Connections(settings.connections_per_address, trusted)}
        over.set()
        await asyncio.to_thread(beating.join)


def _beat(state: AppState, over: Event) -> None:
    """Say that the API continues, by one name for all its processes: dead ones are replaced.

    The heartbeat thread itself leaves: a heartbeat after that would be missed for an hour.
    """
    _say_so(state)
    while not over.wait(BEAT_SECONDS):
        _say_so(state)
    _leave(state)


def _say_so(state: AppState) -> None:
    short = state.own_shortages.look()
    try:
        name = heartbeats.name_of()
        heartbeats.beat(state.redis, Part.API, name)
        heartbeats.tell(state.redis, Part.API, name, short)
    except (RedisError, OSError) as error:
        logger.info("no sign of life: %s", error)


def _leave(state: AppState) -> None:
    try:
        heartbeats.leave(state.redis, Part.API, heartbeats.name_of())
    except RedisError as error:
        logger.info("no word of an end: %s", error)
