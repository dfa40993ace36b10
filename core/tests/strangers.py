"""What a stranger tries on an installation that serves, however it was installed."""

import errno
import os
import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

WHOLE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
HALF_HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
HALF_BODY = (
    b"POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000\r\n\r\n{"
)
#: What `PODMETER_CONNECTIONS_PER_ADDRESS` and `PODMETER_API_PROCESSES` are where nobody sets them.
PLACES_OF_AN_ADDRESS, API_PROCESSES = 100, 2
_LONGEST_HEAD = 64 * 1024
BURST = 1000
#: Longer than any deadline, on a busy machine.
_PATIENCE_SECONDS = 60
_DRIP_SECONDS = 0.5
#: Of a connection that got no answer.
CLOSED, RESET = "closed", "reset"


class Strangers:
    """A half head and half a body, sent at once; as a context."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._halves = [self._connected(HALF_HEAD), self._connected(HALF_BODY)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for one in self._halves:
            one.close()

    def assert_bounded(self) -> None:
        """Both were ended, and a head without end is refused at 64 KiB."""
        for one in self._halves:
            assert _status(one) == "408"
        start = HALF_HEAD + b"X-Other: "
        with self._connected(start + b"y" * (_LONGEST_HEAD + 1 - len(start))) as endless:
            assert _status(endless) == "431"

    def _connected(self, sent: bytes) -> socket.socket:
        connection = socket.create_connection(self._address, timeout=_PATIENCE_SECONDS)
        connection.sendall(sent)
        return connection


def _status(connection: socket.socket) -> str:
    """The status of the answer, which is read to its end."""
    answer = b""
    while received := connection.recv(65536):
        answer += received
    return answer.split()[1].decode()


@dataclass
class _Connection:
    """A connection of a crowd, and what it has been answered."""

    socket: socket.socket
    is_sent: bool = False
    answer: bytes = b""
    ending: str = ""


@dataclass
class Crowd:
    """Many connections that begin at the same moment and send the same; as a context.

    `sources` are the addresses that they come from, in turn; without any, the kernel chooses.
    `drip` is sent again and again for as long as there is no answer.
    """

    host: str
    port: int
    count: int
    sent: bytes
    sources: Sequence[str] = ()
    drip: bytes = b""
    _connections: list[_Connection] = field(default_factory=list)
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _next_drip: float = 0.0

    def __enter__(self) -> Self:
        for number in range(self.count):
            connection = socket.socket()
            connection.setblocking(False)
            self._connections.append(_Connection(connection))
            if self.sources:
                connection.bind((self.sources[number % len(self.sources)], 0))
            begun = connection.connect_ex((self.host, self.port))
            assert begun in (0, errno.EINPROGRESS), os.strerror(begun)
            self._selector.register(connection, selectors.EVENT_WRITE, self._connections[-1])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._selector.close()
        for one in self._connections:
            one.socket.close()

    def wait_until_sent(self) -> None:
        """Every connection is open and has sent what it has to."""
        self._go_on(lambda: all(one.is_sent or one.ending for one in self._connections))

    def endings(self) -> Counter[str]:
        """How often the connections ended with which status, with `closed`, or with `reset`."""
        self._go_on(lambda: all(one.ending for one in self._connections))
        return Counter(one.ending for one in self._connections)

    def answers(self, status: str) -> list[bytes]:
        """The answers with this status, each as it came."""
        return [one.answer for one in self._connections if one.ending == status]

    def assert_answered_without_a_reset(self) -> None:
        """A burst of whole requests waits in the backlog; nobody's connection is reset.

        An address has a share of what is in progress; its other requests get a time to retry. How
        many are served depends on the machine.
        """
        endings = self.endings()
        assert endings.total() == self.count
        assert set(endings) <= {"200", "429"}
        assert endings["200"]
        for answer in self.answers("429"):
            assert b"\r\nretry-after: " in answer.lower()

    def _go_on(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not condition():
            assert time.monotonic() < deadline, Counter(one.ending for one in self._connections)
            for key, events in self._selector.select(_DRIP_SECONDS):
                self._attend(key.data, events)
            if self.drip and time.monotonic() >= self._next_drip:
                self._next_drip = time.monotonic() + _DRIP_SECONDS
                for one in self._connections:
                    if one.is_sent and not one.answer and not one.ending:
                        self._send(one, self.drip)

    def _attend(self, one: _Connection, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            one.is_sent = self._send(one, self.sent)
            if one.is_sent:
                self._selector.modify(one.socket, selectors.EVENT_READ, one)
            return
        try:
            received = one.socket.recv(65536)
        except ConnectionError:
            received = b""
            one.ending = RESET
        one.answer += received
        if not received:
            self._end(one)

    def _send(self, one: _Connection, what: bytes) -> bool:
        """Whether it was sent; what the server answered before it closed is still read."""
        try:
            one.socket.send(what)
        except BlockingIOError:
            return False
        except ConnectionError:
            if not one.is_sent:
                one.ending = RESET
                self._end(one)
            return False
        return True

    def _end(self, one: _Connection) -> None:
        self._selector.unregister(one.socket)
        if one.answer.startswith(b"HTTP/1.1 "):
            one.ending = one.answer.split()[1].decode()
        one.ending = one.ending or CLOSED
