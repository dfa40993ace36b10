"""Serving in several processes that share what was imported and made before they were forked."""

import logging
import sys
from functools import partial
from threading import Event, Thread
from typing import Any

import uvicorn
from fastapi import FastAPI
from redis import RedisError
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from podmeter import logs
from podmeter.settings import Settings
from podmeter.stack import heartbeats
from podmeter.stack.fork import Fork, run_forked
from podmeter.stack.heartbeats import Part
from podmeter_api.app import create_app
from podmeter_api.connections import HandedServer, hand_out, make_channel
from podmeter_api.digests_ahead import make_digests
from podmeter_api.lanes import working
from podmeter_api.request_ids import RequestIds
from podmeter_api.state import AppState, make_state
from podmeter_api.warm_up import connect, warm_up

logger = logging.getLogger(__name__)
#: Longer than a proxy keeps an idle connection (nginx and Amazon's load balancers: 60 s).
#: Whichever closes first must be the one that asks: what it had just sent is lost otherwise.
KEEP_ALIVE_SECONDS = 75


def serve(settings: Settings) -> None:
    """Serve until a signal says stop.

    Raises MissingSettingError and PodmeterError.
    """
    state = make_state(settings)
    app = create_app(settings, state)
    logs.configure(settings.log_level, settings.log_format)
    config = configured(settings, app)
    # The event loop must not wait for a thread that computes as long as Python lets it (5 ms).
    sys.setswitchinterval(0.001)
    warm_up(app, state)
    listener = config.bind_socket()
    listener.listen(config.backlog)
    channels = [make_channel() for _ in range(settings.api_processes)]
    servers = [
        Fork(
            f"API process {number}",
            partial(
                _serve,
                state,
                number,
                HandedServer(
                    config, end, partial(_beat, state, number), partial(_leave, state, number)
                ),
            ),
        )
        for number, (_, end) in enumerate(channels, 1)
    ]
    given = partial(hand_out, listener, [end for end, _ in channels])
    run_forked([*servers, Fork("API connections", given)])


def configured(settings: Settings, app: FastAPI) -> uvicorn.Config:
    """How the application is served, loaded.

    Only a proxy that the operator named may say whose requests it passes on: whoever else could,
    would choose the address that failed logins are counted by.
    """
    served: Any = app
    if settings.trusted_proxies:
        served = ProxyHeadersMiddleware(served, list(settings.trusted_proxies))
    config = uvicorn.Config(
        RequestIds(served, settings.trusted_proxies),
        host=settings.host,
        port=settings.port,
        log_config=None,
        log_level=settings.log_level,
        access_log=settings.log_level == "debug",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        # Open event streams must not keep a stopping process alive.
        timeout_graceful_shutdown=5,
    )
    config.load()
    return config


def _beat(state: AppState, number: int) -> None:
    try:
        heartbeats.beat(state.redis, Part.API, heartbeats.name_of(f"process {number}"))
    except RedisError as error:
        logger.info("no sign of life: %s", error)


def _leave(state: AppState, number: int) -> None:
    try:
        heartbeats.leave(state.redis, Part.API, heartbeats.name_of(f"process {number}"))
    except RedisError as error:
        logger.info("no word of an end: %s", error)


def _serve(state: AppState, number: int, server: HandedServer) -> None:
    connect(state, working(state.settings))
    over = Event()
    if number == 1:
        Thread(target=make_digests, args=(state.sessions, over), daemon=True).start()
    server.run()
    over.set()
