"""A TCP relay that tests can cut."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable


class Relay:
    """Passes TCP connections on to the API server until told to cut them."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._pairs: list[socket.socket] = []
        self._away = False
        self._left: int | None = None
        self.cuts = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Cut every connection now."""
        with self._lock:
            for end in self._pairs:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
            self._pairs.clear()

    def cut_after(self, count: int) -> None:
        """Cut every connection once, when so many bytes more were sent to the API server."""
        self._left = count

    def go_away(self) -> None:
        """Cut every connection, and each that comes, until `come_back`."""
        self._away = True
        self.cut()

    def come_back(self) -> None:
        """Pass connections on again."""
        self._away = False

    def close(self) -> None:
        """End it."""
        self._server.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            far = None if self._away else self._connected()
            if far is None:
                near.close()
                continue
            with self._lock:
                self._pairs += [near, far]
            for one, other, count in ((near, far, self._count), (far, near, _nothing)):
                threading.Thread(target=_pass_on, args=(one, other, count), daemon=True).start()

    def _connected(self) -> socket.socket | None:
        """A connection to the API server; nothing while it starts again."""
        try:
            return socket.create_connection(self._target)
        except OSError:
            return None

    def _count(self, sent: int) -> None:
        with self._lock:
            if self._left is None:
                return
            self._left -= sent
            if self._left > 0:
                return
            self._left = None
            self.cuts += 1
        self.cut()


def _pass_on(one: socket.socket, other: socket.socket, count: Callable[[int], None]) -> None:
    with contextlib.suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
            count(len(data))
    for end in (one, other):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def _nothing(sent: int) -> None: ...
