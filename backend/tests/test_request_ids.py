"""Each request has an id: in its answer, in the body of an error, in every line that is logged."""

import asyncio
import json
import logging
import re
from contextlib import suppress
from typing import Any

import pytest
from fastapi import FastAPI, Request

from podmeter import logs
from podmeter.settings import Settings
from podmeter_api import errors
from podmeter_api.problems import Problem
from podmeter_api.process import behind_proxies

PROXY, OTHER = "10.0.0.7", "192.0.2.1"


def app() -> FastAPI:
    made = FastAPI()
    errors.install(made)

    @made.get("/fails")
    def fails() -> None:
        logging.getLogger("a.library").warning("it is about to fail")
        raise RuntimeError("as it had to")

    @made.get("/who")
    async def who(request: Request) -> dict[str, str]:
        return {"who": request.client.host if request.client else ""}

    return made


def asked(
    path: str, peer: str = OTHER, given: str | None = None
) -> tuple[int, dict[str, str], Any]:
    """Status, headers and document of an answer, as served behind a proxy at 10.0.0.7."""
    settings = Settings(_env_file=None).model_copy(update={"trusted_proxies": (PROXY,)})
    headers = [(b"x-forwarded-for", b"203.0.113.9")]
    headers += [(b"x-request-id", given.encode("latin-1"))] if given is not None else []
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": headers,
        "client": (peer, 4711),
        "server": ("127.0.0.1", 8080),
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    async def run() -> None:
        served = behind_proxies(settings, app())
        with suppress(RuntimeError):  # a server logs it once more
            await served(scope, receive, send)

    asyncio.run(run())
    found = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, json.loads(b"".join(one.get("body", b"") for one in sent[1:]))


def test_every_answer_has_one_of_its_own() -> None:
    _, first, _ = asked("/who")
    _, second, _ = asked("/who")
    assert re.fullmatch("[0-9a-f]{32}", first["x-request-id"])
    assert first["x-request-id"] != second["x-request-id"]


def test_a_trusted_proxy_s_is_kept_and_nobody_else_s() -> None:
    _, headers, document = asked("/who", PROXY, "edge-1.abc/7")
    assert headers["x-request-id"] == "edge-1.abc/7"
    assert document == {"who": "203.0.113.9"}
    _, headers, document = asked("/who", OTHER, "edge-1.abc/7")
    assert re.fullmatch("[0-9a-f]{32}", headers["x-request-id"])
    assert document == {"who": OTHER}


@pytest.mark.parametrize("odd", ["", "a b", "x" * 129, "a\x1b[2J", "né", "a\tb"])
def test_what_would_be_odd_in_a_log_is_not_kept(odd: str) -> None:
    _, headers, _ = asked("/who", PROXY, odd)
    assert re.fullmatch("[0-9a-f]{32}", headers["x-request-id"])


def test_an_error_names_it_and_so_does_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = root.handlers, root.level
    logs.configure("info", "json")
    try:
        status, headers, document = asked("/fails", PROXY, "edge-2")
    finally:
        root.handlers, root.level = before
    assert (status, headers["x-request-id"]) == (500, "edge-2")
    assert Problem.model_validate(document).request_id == "edge-2"
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    told = {line["message"]: line for line in lines}
    assert told["it is about to fail"]["request"] == "edge-2"
    assert told["unexpected error"]["request"] == "edge-2"
    assert "as it had to" in told["unexpected error"]["exception"]
