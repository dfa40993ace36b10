"""Clients that ask one after the other as fast as they get answers, and what that took.

All are served by one thread that does little: what a client takes for itself, on the machine that
the API is on, and what it waits for another one, would be told as the API's.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

Request = tuple[str, str, bytes | None]

#: No answer is waited for longer, in seconds.
_DEADLINE = 60.0


@dataclass(frozen=True)
class Latencies:
    """Seconds of each answer, ascending, and of all together."""

    seconds: list[float]
    elapsed: float

    def percentile(self, share: float) -> float:
        """The time that this share of the answers did not exceed."""
        return self.seconds[min(len(self.seconds) - 1, int(share * len(self.seconds)))]


Ask = Callable[[int], Request]


@dataclass(eq=False)
class _Client:
    """One connection: what it asks, when it began to, and what it has read of the answer."""

    connection: socket.socket
    asked: Iterator[Request]
    took: list[float]
    what: str = ""
    begun: float = 0.0
    read: bytearray = field(default_factory=bytearray)
    missing: int | None = None

    def ask(self, head: bytes) -> bool:
        """Whether there was something left to ask."""
        request = next(self.asked, None)
        if request is None:
            return False
        method, path, body = request
        self.what, self.missing = f"{method} {path}", None
        self.read.clear()
        length = b"" if body is None else b"content-length: %d\r\n" % len(body)
        whole = b"%s HTTP/1.1\r\n%s%s\r\n%s" % (self.what.encode(), head, length, body or b"")
        self.begun = time.perf_counter()
        # A few hundred bytes, which any send buffer takes.
        self.connection.sendall(whole)
        return True

    def answered(self) -> bool:
        """Read what has come; whether that was the answer's last byte."""
        text = self.connection.recv(1 << 20)
        now = time.perf_counter()
        if not text:
            raise RuntimeError(f"{self.what}: the connection ended: {bytes(self.read[:300])!r}")
        self.read += text
        if self.missing is None:
            self.missing = self._whole()
        if self.missing is None or len(self.read) < self.missing:
            return False
        if bytes(self.read.split(b" ", 2)[1]) not in (b"200", b"201"):
            raise RuntimeError(f"{self.what}: {bytes(self.read[:600])!r}")
        self.took.append(now - self.begun)
        return True

    def _whole(self) -> int | None:
        """How many bytes the answer has with its head; None until that was read."""
        end = self.read.find(b"\r\n\r\n")
        if end < 0:
            return None
        for line in bytes(self.read[:end]).lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                return end + 4 + int(line.partition(b":")[2])
        raise RuntimeError(f"{self.what}: no length: {bytes(self.read[:300])!r}")


def _connect(host: str, port: int, head: bytes) -> socket.socket:
    """A connection that got an answer. The next client connects after that.

    If all connect within a millisecond, one process of the API may accept all of them. Then it
    depends on chance whether the others have anything to do.
    """
    connection = socket.create_connection((host, port), _DEADLINE)
    first = _Client(connection, iter([("GET", "/healthz", None)]), [])
    first.ask(head)
    while not first.answered():
        pass
    return connection


def load(
    host: str,
    port: int,
    headers: dict[str, str],
    request: Ask,
    *,
    clients: int,
    requests: int,
    beside: Ask | None = None,
    clients_beside: int = 0,
) -> Latencies:
    """`request(n)` gives the n-th request; raises RuntimeError for an answer that is no success.

    An answer counts as there once its last byte was read. So many of the clients ask what
    `beside` gives instead, as long as the others ask; their answers are not counted.
    """
    seconds: list[float] = []
    counted = (request(number) for number in range(requests))
    uncounted = (beside(number) for number in count()) if beside is not None else iter(())
    head = b"".join(
        f"{name}: {text}\r\n".encode() for name, text in {"host": host, **headers}.items()
    )
    shares: list[tuple[Iterator[Request], list[float]]] = [(uncounted, [])] * clients_beside
    shares += [(counted, seconds)] * (clients - clients_beside)
    of_them = [_Client(_connect(host, port, head), *share) for share in shares]
    begun = time.perf_counter()
    try:
        with selectors.DefaultSelector() as selector:
            begun_to_ask = [client for client in of_them if client.ask(head)]
            for client in begun_to_ask:
                selector.register(client.connection, selectors.EVENT_READ, client)
            asking = {client for client in begun_to_ask if client.took is seconds}
            while asking:
                ready = selector.select(_DEADLINE)
                if not ready:
                    raise RuntimeError(f"no answer within {_DEADLINE:g} s")
                for client in (key.data for key, _ in ready):
                    if client.answered() and not client.ask(head):
                        selector.unregister(client.connection)
                        asking.discard(client)
            elapsed = time.perf_counter() - begun
    finally:
        for client in of_them:
            client.connection.close()
    return Latencies(sorted(seconds), elapsed)
