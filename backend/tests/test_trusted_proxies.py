"""Whose word about the client's address is taken: a named proxy's, and nobody else's."""

import asyncio
from typing import Any

import pytest
from fastapi import FastAPI, Request

from podmeter.settings import Settings
from podmeter_api.process import behind_proxies
from podmeter_api.serving import options

HEADERS = [(b"x-forwarded-for", b"203.0.113.9"), (b"x-forwarded-proto", b"https")]


def seen(peer: str, *trusted: str) -> tuple[str, str]:
    """The client and the scheme that the application sees of a request from `peer`."""
    app, found = FastAPI(), []

    @app.get("/")
    async def look(request: Request) -> None:
        assert request.client is not None
        found.append((request.client.host, request.url.scheme))

    settings = Settings(_env_file=None).model_copy(update={"trusted_proxies": trusted})
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "raw_path": b"/",
        "query_string": b"",
        "scheme": "http",
        "headers": HEADERS,
        "client": (peer, 4711),
        "server": ("127.0.0.1", 8080),
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(_: object) -> None:
        return None

    async def run() -> None:
        await behind_proxies(settings, app)(scope, receive, send)

    asyncio.run(run())
    return found[0]


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "10.0.0.7", "192.0.2.1"])
def test_nobody_is_believed_unless_named(peer: str) -> None:
    assert seen(peer) == (peer, "http")


def test_a_named_proxy_is_believed_and_only_it() -> None:
    assert seen("10.0.0.7", "10.0.0.0/24") == ("203.0.113.9", "https")
    assert seen("10.0.1.7", "10.0.0.0/24") == ("10.0.1.7", "http")
    assert seen("127.0.0.1", "10.0.0.0/24") == ("127.0.0.1", "http")


def test_a_proxys_idle_connection_is_not_closed_under_the_request_that_it_sends() -> None:
    """At 5 s, uvicorn's own, a request now and then met a connection that was just being closed."""
    longest_of_proxies = 60
    settings = Settings(_env_file=None)
    assert options(settings)["timeout_keep_alive"] > longest_of_proxies
