"""API servers that mean harm: each connection is given to a script, after its request's head."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import re
import socket
import ssl
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from podmeter.credentials.address_policy import AddressPolicy
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient

from .api_server import make_certificate

LOCAL = AddressPolicy.of(["127.0.0.0/8"])
Script = Callable[[ssl.SSLSocket, bytes], None]
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@contextmanager
def hostile(folder: Path, script: Script) -> Iterator[ClusterAccess]:
    """How such a server is reached; its connections are closed on leaving."""
    certificate, key = make_certificate(("127.0.0.1",))
    pem = folder / "hostile.pem"
    pem.write_text(certificate + key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    open_now: list[socket.socket] = []

    def serve(raw: socket.socket) -> None:
        # Whatever becomes of it, the other side has ended it.
        with contextlib.suppress(OSError), context.wrap_socket(raw, server_side=True) as taken:
            open_now.append(taken)
            while head := _head(taken):
                script(taken, head)

    def take(server: socket.socket) -> None:
        while True:
            try:
                raw, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(raw,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=take, args=(server,))
        thread.start()
        port = server.getsockname()[1]
        kept = {
            "server": f"https://127.0.0.1:{port}",
            "certificate_authority": certificate,
            "token": "a-secret-token",
        }
        try:
            yield ClusterAccess(kept, LOCAL)
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for one in open_now:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)


def _head(taken: ssl.SSLSocket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head:
        piece = taken.recv(65536)
        if not piece:
            return b""
        head += piece
    return head


def for_ever(*pieces: bytes, first: bytes = b"", pause: float = 0.0) -> Script:
    """Sends pieces until the connection is gone."""

    def script(taken: ssl.SSLSocket, head: bytes) -> None:
        taken.sendall(first)
        gone = threading.Event()
        while True:
            for piece in pieces:
                taken.sendall(piece)
                gone.wait(pause)

    return script


def once(answer: bytes) -> Script:
    """Sends an answer to each request."""
    return lambda taken, head: taken.sendall(answer)


def answered(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """A whole answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def upgraded(head: bytes) -> bytes:
    """The answer that opens a WebSocket."""
    found = re.search(rb"Sec-WebSocket-Key: (\S+)", head)
    assert found is not None
    magic = found[1] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(magic, usedforsecurity=False).digest())
    return (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Protocol: v4.channel.k8s.io\r\nSec-WebSocket-Accept: "
        + accept
        + b"\r\n\r\n"
    )


def frame(opcode: int, data: bytes, *, last: bool = True, announced: int | None = None) -> bytes:
    """A frame of a WebSocket; `announced` is a length that it only claims to have."""
    length = len(data) if announced is None else announced
    first = bytes([(0x80 if last else 0) | opcode])
    if length < 126:
        return first + bytes([length]) + data
    if length < 1 << 16:
        return first + b"\x7e" + length.to_bytes(2, "big") + data
    return first + b"\x7f" + length.to_bytes(8, "big") + data


DRIP = 0.02
SECONDS = 0.4


@contextmanager
def client_of(folder: Path, script: Script, seconds: float = SECONDS) -> Iterator[KubeClient]:
    with hostile(folder, script) as access, KubeClient(access, 0.0, seconds) as client:
        yield client


@contextmanager
def little_memory(most: int = 48 << 20) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


#: What comes byte by byte, and never ends.
DRIPS = {
    "status line": for_ever(b" ", first=b"HTTP/1.1", pause=DRIP),
    "headers": for_ever(b"a: b\r\n", first=b"HTTP/1.1 200 OK\r\n", pause=DRIP),
    "body": for_ever(b" ", first=b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", pause=DRIP),
    "chunks": for_ever(b"1\r\n \r\n", first=CHUNKED, pause=DRIP),
    "trailers": for_ever(b"a: b\r\n", first=CHUNKED + b"2\r\n{}\r\n0\r\n", pause=DRIP),
    "continue": for_ever(b"HTTP/1.1 100 Continue\r\n\r\n", pause=DRIP),
    "refusal": for_ever(b" ", first=b"HTTP/1.1 403 No\r\nContent-Length: 99\r\n\r\n", pause=DRIP),
}
#: What comes as fast as it can, and never ends.
FLOODS = {
    "status line": for_ever(b" " * 9000, first=b"HTTP/1.1"),
    "header": for_ever(b"a" * 9000, first=b"HTTP/1.1 200 OK\r\na: "),
    "headers": for_ever(b"a: b\r\n" * 999, first=b"HTTP/1.1 200 OK\r\n"),
    "body": for_ever(b" " * 9000, first=b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"),
    "body to the end": for_ever(b" " * 9000, first=b"HTTP/1.1 200 OK\r\n\r\n"),
    "chunk": for_ever(b" " * 9000, first=CHUNKED + b"7FFFFFFF\r\n"),
    "chunk's length": for_ever(b"0" * 9000, first=CHUNKED),
    "chunks": for_ever(b"1000\r\n" + b" " * 4096 + b"\r\n", first=CHUNKED),
    "trailers": for_ever(b"a: b\r\n" * 999, first=CHUNKED + b"2\r\n{}\r\n0\r\n"),
    "continue": for_ever(b"HTTP/1.1 100 Continue\r\n\r\n" * 99),
    "error": for_ever(b" " * 9000, first=b"HTTP/1.1 500 No\r\nContent-Length: 99999999999\r\n\r\n"),
}
