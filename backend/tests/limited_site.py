"""A server with the limits of connections, and clients of it that send as they like."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from ipaddress import ip_network
from typing import Any, Self

import pytest
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from podmeter_api import connection_limits, errors
from podmeter_api.connection_limits import LimitedHttp
from podmeter_api.connection_places import CONNECTIONS, Connections

#: Seconds of the deadline that a test waits for. Every other one is LONG: on a busy machine a short
#: deadline may pass between any two steps.
SHORT, LONG = 0.8, 600
PLACES = 3
HALF = b"GET /who HTTP/1.1\r\nHost: localhost\r\n"
WHOLE = HALF + b"\r\n"
STREAM = WHOLE.replace(b"/who", b"/stream")
ENDS_LATE = WHOLE.replace(b"/who", b"/ends-late/")
POST = b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
CHUNKED = POST.replace(b"Content-Length: 1000", b"Transfer-Encoding: chunked")
PROXY = "127.0.0.99"


class Site:
    """A server, and clients of it at addresses of this machine."""

    def __init__(self, server: uvicorn.Server, connections: Connections) -> None:
        self.connections, self._server, self._stack = connections, server, AsyncExitStack()
        #: Ends the streams; the second one is set by a stream that ended.
        self.over, self.ended = asyncio.Event(), asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.over.set()
        await self._stack.aclose()

    @property
    def protocol(self) -> LimitedHttp:
        """The server's side of its only connection."""
        (protocol,) = self.protocols
        return protocol

    @property
    def protocols(self) -> list[LimitedHttp]:
        """The server's side of all connections."""
        connections = self._server.server_state.connections
        return [one for one in connections if isinstance(one, LimitedHttp)]

    async def shorten_deadline(self) -> None:
        """Of the request that comes in by the only connection, once a byte of it is there."""
        await until(lambda: bool(self.connections.open) and self._is_request_begun)
        self.protocol._set_timer(SHORT, self.protocol._end_slow_request)

    @property
    def _is_request_begun(self) -> bool:
        protocol = self.protocol
        return protocol._timer is not None and (protocol._bytes > 0 or protocol.cycle is not None)

    @property
    def port(self) -> int:
        port: int = self._server.servers[0].sockets[0].getsockname()[1]
        return port

    async def client(self, sent: bytes, address: str = "127.0.0.2") -> "Client":
        source = (address, 0)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=source)
        self._stack.callback(writer.close)
        writer.write(sent)
        return Client(reader, writer)


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body; `IncompleteReadError` where it is closed without one."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {
            name.lower(): value
            for name, _, value in (line.partition(": ") for line in head[1:] if line)
        }
        body = await self.reader.readexactly(int(headers["content-length"]))
        return int(head[0].split()[1]), headers, body

    async def all_answers(self) -> list[bytes]:
        """Everything until the connection is closed, split where an answer begins."""
        return (await self.reader.read()).split(b"HTTP/1.1 ")[1:]

    async def is_closed(self) -> bool:
        try:
            return await self.reader.read() == b""
        except ConnectionResetError:
            # What the server had not read yet when it closed makes the kernel reset.
            return True

    async def drip(self, what: bytes = b"x") -> None:
        """Send a little now and then, until nobody takes it any more."""
        while not self.writer.is_closing():
            self.writer.write(what)
            await asyncio.sleep(0.05)


@asynccontextmanager
async def serving(**limits: Any) -> AsyncIterator[Site]:
    connections = Connections(PLACES, [ip_network(f"{PROXY}/32")], **limits)
    site: Site

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[dict[str, Any]]:
        yield {CONNECTIONS: connections}

    app = FastAPI(lifespan=lifespan)
    errors.install(app)

    @app.get("/who")
    async def who(request: Request) -> dict[str, str]:
        assert request.client is not None
        return {"who": request.client.host}

    @app.post("/body")
    async def body(request: Request) -> dict[str, int]:
        return {"size": len(await request.body())}

    async def names(scope: Scope, receive: Receive, send: Send) -> None:
        """The headers that there are once the body was read, as the server keeps them."""
        while (await receive())["more_body"]:
            pass
        found = [name.decode() for name, _ in scope["headers"]]
        await JSONResponse(found)(scope, receive, send)

    app.mount("/names", names)

    async def ends_late(_: Scope, __: Receive, send: Send) -> None:
        """Everything of the answer is sent before it is known to be over, as a file's often is."""
        headers = [(b"content-length", b"3")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"all", "more_body": True})
        await site.over.wait()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    app.mount("/ends-late", ends_late)

    @app.get("/stream")
    async def stream() -> StreamingResponse:
        async def events() -> AsyncIterator[bytes]:
            try:
                yield b"first"
                while not site.over.is_set():
                    await asyncio.sleep(0.01)
                    yield b"."
                yield b"last"
            finally:
                site.ended.set()

        return StreamingResponse(events())

    @app.get("/fails")
    async def fails() -> None:
        raise RuntimeError("as it had to")

    config = uvicorn.Config(
        app, port=0, http=LimitedHttp, log_level="critical", timeout_keep_alive=LONG
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    await until(lambda: server.started)
    async with Site(server, connections) as site:
        yield site
    server.should_exit = True
    await task


async def until(condition: Callable[[], bool]) -> None:
    """Wait; `run` has the deadline."""
    while not condition():
        await asyncio.sleep(0.01)


Body = Callable[[Site], Awaitable[None]]


def run(body: Body, *, head: float = LONG, wait: float = LONG, **limits: Any) -> None:
    """On the event loop that serves, which is not asyncio's own.

    `head` and `wait` are the deadlines of a head and of a wait for a place. A short `head` begins
    before the first byte: `Site.shorten_deadline` begins later.
    """

    async def within() -> None:
        async with asyncio.timeout(60), serving(**limits) as site:
            await body(site)

    factory = uvicorn.Config("", loop="uvloop").get_loop_factory()
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner(loop_factory=factory) as runner:
        patch.setattr(connection_limits, "HEAD_SECONDS", head)
        patch.setattr(connection_limits, "BODY_SECONDS", LONG)
        patch.setattr(connection_limits, "WAIT_SECONDS", wait)
        patch.setattr(connection_limits, "ASK_SECONDS", LONG)
        runner.run(within())


def is_refused(answer: tuple[int, dict[str, str], bytes], status: int) -> bool:
    found, headers, body = answer
    assert headers["connection"] == "close"
    assert headers["content-type"] == "application/problem+json"
    return bool(found == status == json.loads(body)["status"])
