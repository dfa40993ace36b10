"""Hostile API servers: each is an honest one but for one thing, which it does without end.

    python -m bench.storm.hostile

prints a kubeconfig for each of them, in JSON by name, and serves until its standard input ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
import sys
import zlib
from contextlib import suppress
from functools import cache
from typing import Any

from bench.scripted.cluster import ScriptedCluster
from bench.scripted.exec import frame
from bench.scripted.server import Connection, Request, head, kubeconfig, whole
from podmeter.domain.ports import ExecTarget
from podmeter_testbed.pki import Authority

#: As fast as any of them sends: what a link of 128 Mbit/s carries.
_PIECE, _PIECE_SECONDS = 1 << 16, 1 / 256
_CHUNKED = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}


class Hostile(ScriptedCluster):
    """The base: honest. A subclass does its harm in `respond`, `session` or both."""

    async def pour(self, connection: Connection, piece: bytes) -> None:
        """Send the same bytes until the client goes away."""
        while True:
            await connection.send(piece)
            await asyncio.sleep(_PIECE_SECONDS)


class Slow(Hostile):
    """A byte of the body every 4 s."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Headers at once, then a byte at a time."""
        body = json.dumps(self.answer(request)[1]).encode()
        answer = whole(200, body)
        await connection.send(answer[: -len(body)])
        for position in range(len(body)):
            await asyncio.sleep(4)
            await connection.send(body[position : position + 1])
        return True


class SlowHeaders(Hostile):
    """A byte of the headers every second."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """A byte at a time from the first."""
        for byte in whole(200, json.dumps(self.answer(request)[1]).encode()):
            await connection.send(bytes([byte]))
            await asyncio.sleep(1)
        return True


class Endless(Hostile):
    """A body without an end."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """A string that never ends."""
        await connection.send(head(200, _CHUNKED) + b'2\r\n{"\r\n')
        await self.pour(connection, b"%x\r\n%b\r\n" % (_PIECE, b"a" * _PIECE))
        return False


class GzipBomb(Hostile):
    """300 kB that are 300 MB."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Whatever encoding was asked for."""
        await connection.send(whole(200, _bomb(), {"Content-Encoding": "gzip"}))
        return True


class Html(Hostile):
    """A captive portal."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """A page, with 200."""
        page = b"<!doctype html><title>Log in</title><h1>Welcome to our network</h1>"
        await connection.send(whole(200, page, {"Content-Type": "text/html"}))
        return True


class Nul(Hostile):
    """NULs and halves of surrogates in every text."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Honest where the rest would not be asked for."""
        status, document = self.answer(request)
        if request.path == "/version":
            document = {**document, "gitVersion": "v1.34.4\x00\ud800"}
        elif request.method != "GET" or "namespaces/podmeter/" in request.path:
            message = "no\x00 such\ud800 thing\x1b[31m\nERROR forged line"
            status, document = 403, {"kind": "Status", "message": message, "reason": "a\x00b"}
        await connection.answer(status, document)
        return True


class WrongUid(Hostile):
    """Another cluster at every look."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Honest but for the UID."""
        if request.path == "/api/v1/namespaces/kube-system":
            status, document = self.answer(request)
            uid = f"00000000-0000-4000-8000-{os.urandom(6).hex()}"
            document = {**document, "metadata": {**document["metadata"], "uid": uid}}
            await connection.answer(status, document)
            return True
        return await super().respond(connection, request)


class Redirecting(Hostile):
    """Elsewhere: to metadata services, to itself."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Each time to another place."""
        to = ("http://169.254.169.254/latest/meta-data/", request.path)[self.requests % 2]
        await connection.send(whole(302, b"{}", {"Location": to}))
        return True


class Resetting(Hostile):
    """A reset in the middle of the headers."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """With RST."""
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Ty")
        raw = connection.writer.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.abort()
        return False


class HugeHeaders(Hostile):
    """Headers without an end, each as long as one may be."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Never a body."""
        await connection.send(b"HTTP/1.1 200 OK\r\n")
        await self.pour(connection, b"X-Header: " + b"a" * 60_000 + b"\r\n")
        return False


class Continuing(Hostile):
    """100 Continue, again and again."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Never the answer."""
        await self.pour(connection, b"HTTP/1.1 100 Continue\r\n\r\n" * 400)
        return False


class HalfFrames(Hostile):
    """Half a WebSocket frame in each exec."""

    async def session(self, connection: Connection, place: ExecTarget, run_label: str) -> None:
        """A frame that announces more than comes."""
        await connection.send(frame(b"\x01PODMETER1 started\n" + b"a" * 300)[:100])
        await asyncio.sleep(3600)


class LyingFrames(Hostile):
    """An exec whose frame announces 4 EiB and never ends."""

    async def session(self, connection: Connection, place: ExecTarget, run_label: str) -> None:
        """As much as is taken."""
        await connection.send(struct.pack(">BBQ", 0x82, 127, 1 << 62) + b"\x01")
        await self.pour(connection, b"a" * _PIECE)


class Chatter(Hostile):
    """An exec that prints without end, in frames that are fine."""

    async def session(self, connection: Connection, place: ExecTarget, run_label: str) -> None:
        """Begun as an answer is."""
        await connection.send(frame(b"\x01PODMETER1 started\n"))
        await connection.send(frame(b"\x01PODMETER1 exited 0 0.1 60000000 0 " + b"0" * 64))
        await self.pour(connection, frame(b"\x01" + b"a" * 60_000))


class Shapes(Hostile):
    """JSON that is not of the shape that was asked for."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Another one at each request."""
        shapes: tuple[Any, ...] = (
            [],
            None,
            "text",
            {"items": "none", "metadata": []},
            {"metadata": {"uid": 7, "resourceVersion": None}, "items": [None, 3, {"metadata": 1}]},
            {"items": [{"metadata": {"name": None}, "spec": "x", "status": {"nodeInfo": []}}]},
            {"gitVersion": 9**400},
            {"status": {"allowed": "yes"}, "metadata": {"continue": 5}},
        )
        await connection.answer(200, shapes[self.requests % len(shapes)])
        return True


class Nested(Hostile):
    """JSON of 200,000 levels, and numbers of 100,000 digits."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """In turn."""
        deep = b"[" * 200_000
        long = b'{"metadata":{"uid":"x","generation":' + b"9" * 100_000 + b"}}"
        await connection.send(whole(200, (deep, long)[self.requests % 2]))
        return True


class CutLists(Hostile):
    """Lists that are closed in the middle."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Everything else is honest."""
        status, document = self.answer(request)
        if request.method == "GET" and "items" in document and not request.query.get("watch"):
            answer = whole(status, json.dumps(document).encode())
            await connection.send(answer[: -len(answer) // 3])
            return False
        return await super().respond(connection, request)


class WrongLength(Hostile):
    """A Content-Length that is too short, so that the rest looks like another answer."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """The rest is one that somebody else is to take for theirs."""
        forged = whole(200, b'{"metadata":{"uid":"forged"}}')
        await connection.send(whole(200, b"{}" + forged, {"Content-Length": "2"}))
        return True


class EndlessPages(Hostile):
    """Lists that always have another page."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """500 objects a page."""
        request.query.pop("continue", None)
        status, document = self.answer(request)
        if request.method == "GET" and "items" in document and not request.query.get("watch"):
            some = (document["items"] or [{"metadata": {"name": "x", "namespace": "y"}}]) * 500
            token = {"continue": f"more-{self.requests}", "resourceVersion": "1"}
            await connection.answer(status, {**document, "items": some[:500], "metadata": token})
            return True
        return await super().respond(connection, request)


class EnormousPage(Hostile):
    """Lists of 60 MB."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """One object with a long annotation, at the speed of the link."""
        status, document = self.answer(request)
        if request.method == "GET" and "items" in document and not request.query.get("watch"):
            body = json.dumps(document).encode()
            length = len(body) + (60 << 20)
            await connection.send(head(status, {"Content-Length": str(length)}))
            for _ in range((60 << 20) // _PIECE):
                await connection.send(b" " * _PIECE)
                await asyncio.sleep(_PIECE_SECONDS)
            await connection.send(body)
            return True
        return await super().respond(connection, request)


class FloodingWatch(Hostile):
    """Watches that tell of changes without end."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Of an object that nobody asked for."""
        if request.query.get("watch"):
            some = {"name": "x", "namespace": "podmeter", "resourceVersion": "1", "uid": "u"}
            pod = {"metadata": {**some, "labels": {}}, "spec": {}, "status": {}}
            line = json.dumps({"type": "MODIFIED", "object": pod}).encode() + b"\n"
            lines = line * (_PIECE // len(line))
            await connection.send(head(200, _CHUNKED))
            await self.pour(connection, b"%x\r\n%b\r\n" % (len(lines), lines))
            return False
        return await super().respond(connection, request)


class NeverRunning(Hostile):
    """Pods that are never started, and never gone."""

    async def start(self) -> None:
        """Without kubelets."""
        await self.server.listen()


class TooBusy(Hostile):
    """429 with a Retry-After of a day."""

    async def respond(self, connection: Connection, request: Request) -> bool:
        """Always."""
        busy = {"kind": "Status", "message": "try again", "code": 429}
        body = json.dumps(busy).encode()
        await connection.send(whole(429, body, {"Retry-After": "86400"}))
        return True


class Silent:
    """Takes connections and never answers TLS."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._certificate = Authority().certificate
        self._taken: list[asyncio.StreamWriter] = []

    async def start(self) -> None:
        """Listen."""
        server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]

    def kubeconfig(self) -> str:
        """As the others'."""
        return kubeconfig(self.name, f"https://127.0.0.1:{self._port}", self._certificate)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._taken.append(writer)
        with suppress(OSError):
            await reader.read(-1)
        self._taken.remove(writer)
        writer.close()


KINDS: tuple[type[Hostile] | type[Silent], ...] = (
    Slow,
    SlowHeaders,
    Endless,
    GzipBomb,
    Html,
    Nul,
    WrongUid,
    Redirecting,
    Resetting,
    HugeHeaders,
    Continuing,
    HalfFrames,
    LyingFrames,
    Chatter,
    Shapes,
    Nested,
    CutLists,
    WrongLength,
    EndlessPages,
    EnormousPage,
    FloodingWatch,
    NeverRunning,
    TooBusy,
    Silent,
)


@cache
def _bomb() -> bytes:
    """300 MB of a JSON string, packed."""
    packer = zlib.compressobj(9, wbits=31)
    packed = [packer.compress(b'{"items":["')]
    packed += [packer.compress(b"a" * (1 << 20)) for _ in range(300)]
    return b"".join([*packed, packer.compress(b'"]}'), packer.flush()])


async def _serve() -> None:
    _bomb()
    kubeconfigs = {}
    for kind in KINDS:
        one = kind(kind.__name__)
        await one.start()
        own = one.kubeconfig() if isinstance(one, Silent) else one.server.kubeconfig(one.name)
        kubeconfigs[one.name] = own
    print(json.dumps(kubeconfigs), flush=True)
    # Until the parent process is gone.
    await asyncio.to_thread(sys.stdin.read)
    os._exit(0)  # whatever they are at


if __name__ == "__main__":
    # What is measured beside them has the CPUs first.
    os.nice(10)
    asyncio.run(_serve())
