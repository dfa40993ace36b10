"""One exec connection: Kubernetes' channels over a WebSocket.

The protocol (v5.channel.k8s.io, or v4 before Kubernetes 1.30): binary messages whose first byte
is the channel, 0 standard input, 1 and 2 output, 3 a Status object at the end. The client of the
kubernetes package cuts and hangs (kubernetes-client/python#2226, #602); this one reads whole
messages and notices a dead peer by pings.
"""

from __future__ import annotations

import select
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

import websocket
from websocket import ABNF

from podmeter.domain.messages import say
from podmeter_worker.kube.errors import (
    ApiRefusedError,
    ApiUnavailableError,
    MalformedAnswerError,
)
from podmeter_worker.kube.limits import HEAD_BYTES, MESSAGE_BYTES, clipped
from podmeter_worker.kube.reading import SIGNS, decoded, status_in
from podmeter_worker.kube.resources import PODS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podmeter_worker.kube.access import ClusterAccess

_PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"]
STDIN, STDOUT, STDERR, STATUS = 0, 1, 2, 3
_CONNECT_SECONDS = 10.0
#: For sending, and for the rest of a message whose first byte is there. What has come of it until
#: then is kept, and reading continues.
_MESSAGE_SECONDS = 5.0
_PING_SECONDS = 10.0
#: Without any sign of life for so long, the connection is dead.
_SILENCE_SECONDS = 45.0
_BROKEN = (websocket.WebSocketException, OSError, *SIGNS)


class ExecStream:
    """A command being run in a container.

    When the connection is closed its standard input ends; nothing else tells it that nobody
    listens.
    """

    def __init__(
        self, access: ClusterAccess, namespace: str, pod: str, container: str, argv: Sequence[str]
    ) -> None:
        """Connect and start the command.

        Raises ApiRefusedError (no such pod, not allowed) and ApiUnavailableError; in both cases
        nothing was run.
        """
        words = "&".join(f"command={quote(word, safe='')}" for word in argv)
        streams = "stdin=true&stdout=true&stderr=true&tty=false"
        path = f"{PODS.path(namespace, pod, 'exec')}?container={container}&{streams}&{words}"
        until = access.deadline(_CONNECT_SECONDS)
        socket = access.connect(_CONNECT_SECONDS)
        socket.allow(HEAD_BYTES, until)
        try:
            self._access, self._socket = access, socket
            self._websocket = websocket.create_connection(
                f"wss{str(access.url).removeprefix('https')}{path}",
                socket=socket,
                header=[f"{name}: {value}" for name, value in access.headers.items()],
                subprotocols=_PROTOCOLS,
                suppress_origin=True,
                redirect_limit=0,
            )
            socket.settimeout(_MESSAGE_SECONDS)
        except websocket.WebSocketBadStatusException as error:
            socket.close()
            raise _refused(error) from error
        except _BROKEN as error:
            socket.close()
            raise ApiUnavailableError(say("exec_refused", said=clipped(error))) from error
        self._allow_message()
        self.wake()

    def wake(self) -> None:
        """Begin to listen again after a while in which nobody did."""
        self._heard = self._pinged = time.monotonic()

    def write(self, data: bytes) -> None:
        """Write to the command's standard input. Raises ApiUnavailableError."""
        try:
            self._websocket.send_binary(bytes([STDIN]) + data)
        except _BROKEN as error:
            raise ApiUnavailableError(say("exec_broke", said=clipped(error))) from error

    def read(self, seconds: float) -> tuple[int, bytes] | None:
        """The next (channel, bytes); None if none came in so many seconds.

        Raises EOFError when the peer closed the connection, ApiUnavailableError when it broke.
        """
        deadline = self._access.deadline(seconds)
        if deadline == self._access.until:
            raise ApiUnavailableError(say("exec_broke", said="timed out"))
        left = seconds
        try:
            # Nor does one read last for ever where messages follow each other that say nothing.
            while left > 0 or left == seconds:
                if not self._readable(max(0.0, left)):
                    self._check_alive()
                    return None
                opcode, data = self._message()
                left = deadline - time.monotonic()
                self._heard = time.monotonic()
                if opcode == ABNF.OPCODE_CLOSE:
                    raise EOFError(say("exec_closed"))
                # An empty message only says that a channel is there.
                if opcode == ABNF.OPCODE_BINARY and len(data) > 1:
                    return data[0], data[1:]
            return None
        except websocket.WebSocketTimeoutException:
            self._check_alive()
            return None
        except (websocket.WebSocketConnectionClosedException, ConnectionError) as error:
            raise EOFError(str(error) or say("exec_cut")) from error
        except _BROKEN as error:
            raise ApiUnavailableError(say("exec_broke", said=clipped(error))) from error

    def close(self) -> None:
        """Close the connection at once."""
        self._websocket.shutdown()  # type: ignore[no-untyped-call]

    def _readable(self, seconds: float) -> bool:
        if self._socket.pending():
            return True
        return bool(select.select([self._socket], [], [], seconds)[0])

    def _message(self) -> tuple[int, bytes]:
        # Control frames are given as well (pings are answered already), so that one of them is
        # not followed by a blocking wait for data.
        opcode, frame = self._websocket.recv_data_frame(control_frame=True)
        if opcode in (ABNF.OPCODE_BINARY, ABNF.OPCODE_TEXT):
            # Not after a control frame: what came before it may be part of a message.
            self._allow_message()
        return opcode, bytes(frame.data)

    def _allow_message(self) -> None:
        self._socket.allow(MESSAGE_BYTES, self._access.until)

    def _check_alive(self) -> None:
        now = time.monotonic()
        if now - self._heard > _SILENCE_SECONDS:
            raise ApiUnavailableError(say("exec_silent", seconds=round(now - self._heard)))
        if now - self._pinged > _PING_SECONDS:
            self._pinged = now
            self._websocket.ping()


def status_message(data: bytes) -> str | None:
    """What the closing Status says against the command, None if it succeeded."""
    try:
        status = decoded(data)
    except MalformedAnswerError:
        return data[:200].decode(errors="replace")
    if status.get("status") == "Success":
        return None
    return clipped(status.get("message") or status.get("reason") or "no further word")


def _refused(
    error: websocket.WebSocketBadStatusException,
) -> ApiRefusedError | ApiUnavailableError:
    body = error.resp_body or b""
    status = status_in(body) or {"message": body[:200].decode(errors="replace")}
    said = clipped(status.get("message") or error)
    if error.status_code in (429, 500, 502, 503, 504):
        return ApiUnavailableError(say("exec_answered", status=error.status_code, said=said))
    return ApiRefusedError(error.status_code, clipped(status.get("reason") or ""), said)
