"""HTTP/1.1 over TLS for scripted API servers, as little of it as clients of Kubernetes use."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import ssl
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import formatdate
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from podmeter_testbed.pki import Authority

_LONGEST_HEAD = 1 << 16


@dataclass(frozen=True)
class Request:
    """One request; `headers` by names in lower case, `query` decoded."""

    method: str
    path: str
    query: dict[str, str]
    words: tuple[tuple[str, str], ...]
    headers: dict[str, str]
    body: bytes

    def document(self) -> Any:
        """The body's JSON, None where there is none; kubectl asks for tokens in protobuf."""
        is_json = self.body and not self.body.startswith(b"k8s\0")
        return json.loads(self.body) if is_json else None


class Connection:
    """A client's connection, kept open from request to request."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def request(self) -> Request | None:
        """The next request, None when the client is gone."""
        try:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return None
        first, *lines = head.split("\r\n")
        method, target, _ = first.split(" ")
        pairs = (line.partition(":") for line in lines if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await self.reader.readexactly(int(headers.get("content-length") or 0))
        parts = urlsplit(target)
        words = tuple(parse_qsl(parts.query, keep_blank_values=True))
        return Request(method, unquote(parts.path), dict(words), words, headers, body)

    async def send(self, data: bytes) -> None:
        """Write and wait until the client takes it."""
        self.writer.write(data)
        await self.writer.drain()

    async def answer(
        self, status: int, document: Any, headers: dict[str, str] | None = None
    ) -> None:
        """A whole answer in JSON."""
        await self.send(whole(status, json.dumps(document).encode(), headers))

    def abort(self) -> None:
        """End it without a word."""
        self.writer.transport.abort()


def head(status: int, headers: dict[str, str]) -> bytes:
    """An answer's first lines."""
    lines = [f"HTTP/1.1 {status} Scripted", f"Date: {formatdate(usegmt=True)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def whole(status: int, body: bytes, headers: dict[str, str] | None = None) -> bytes:
    """An answer with its length."""
    told = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    return head(status, told | (headers or {})) + body


Handler = Callable[[Connection], Awaitable[None]]


class TlsServer:
    """Listens on a free port of an address, the loopback one, with a certificate of its own.

    `cut` ends every connection and refuses new ones; `listen` takes them again, on the same port.
    """

    def __init__(self, handle: Handler, address: str = "127.0.0.1") -> None:
        authority = Authority()
        self.certificate = authority.certificate
        pair = authority.issue("kube-apiserver", hosts=(address,))
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile(suffix=".pem") as file:
            file.write(pair.certificate + pair.key)
            file.flush()
            self._context.load_cert_chain(file.name)
        self._handle, self._address = handle, address
        self._server: asyncio.Server | None = None
        self._open: set[Connection] = set()
        self.port = 0

    async def listen(self) -> None:
        """Take connections."""
        self._server = await asyncio.start_server(
            self._serve, self._address, self.port, ssl=self._context, limit=_LONGEST_HEAD
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Take no connection any more, and end those there are without a word."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in list(self._open):
            connection.abort()

    @property
    def listens(self) -> bool:
        """Whether it takes connections."""
        return self._server is not None

    def kubeconfig(self, name: str) -> str:
        """In JSON, with a token that anything is allowed by."""
        return kubeconfig(name, f"https://{self._address}:{self.port}", self.certificate)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer)
        self._open.add(connection)
        # Whatever one client does, other connections stay open.
        with contextlib.suppress(OSError, EOFError, ValueError, ssl.SSLError):
            await self._handle(connection)
        self._open.discard(connection)
        with contextlib.suppress(OSError, ssl.SSLError):
            writer.close()


def kubeconfig(name: str, server: str, certificate: bytes) -> str:
    """A kubeconfig in JSON, of the fields that Podmeter keeps."""
    authority = base64.b64encode(certificate).decode()
    cluster = {"server": server, "certificate-authority-data": authority}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": name,
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": name, "user": {"token": "a-scripted-token"}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        }
    )
