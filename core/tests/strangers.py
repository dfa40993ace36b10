"""What a stranger tries on an installation that serves, however it was installed."""

import socket
from types import TracebackType
from typing import Self

_HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
_BODY = (
    b"POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000\r\n\r\n{"
)
_LONGEST_HEAD = 64 * 1024
#: Longer than any deadline, on a busy machine.
_PATIENCE_SECONDS = 60


class Strangers:
    """A half head and half a body, sent at once; as a context."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._halves = [self._connected(_HEAD), self._connected(_BODY)]

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
            assert _status(one) == b"408"
        start = _HEAD + b"X-Other: "
        with self._connected(start + b"y" * (_LONGEST_HEAD + 1 - len(start))) as endless:
            assert _status(endless) == b"431"

    def _connected(self, sent: bytes) -> socket.socket:
        connection = socket.create_connection(self._address, timeout=_PATIENCE_SECONDS)
        connection.sendall(sent)
        return connection


def _status(connection: socket.socket) -> bytes:
    """The status of the answer, which is read to its end."""
    answer = b""
    while received := connection.recv(65536):
        answer += received
    return answer.split()[1]
