"""What a connection may take before anybody is asked who it is: places, time and bytes.

uvicorn bounds none of these, so its HTTP protocol is extended here (its option `http`). Places are
in `connection_places`, what is bounded in a whole request in `request_limits`.
"""

import socket
from functools import cache
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from podmeter.domain.messages import say
from podmeter_api.connection_places import CONNECTIONS, Address, Connections
from podmeter_api.problems import problem

#: A request's line and headers: their size, and how long they may take, then its body.
MAX_HEAD_BYTES = 64 * 1024
HEAD_SECONDS = 10.0
BODY_SECONDS = 20.0
#: How long a connection waits for others of its address to end, and what it may send meanwhile.
WAIT_SECONDS = 5.0
_MAX_WAITING_BYTES = 16 * 1024
#: What is refused is answered once it has asked, since a client that still sends reads no answer.
_ASK_SECONDS = 5.0
#: A client that takes nothing of an answer for so long is gone.
_STALLED_SECONDS = 30


class LimitedHttp(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 with deadlines, a bound for heads, and a share of places for each address.

    A request has to be there within a time that does not start again with each byte. Beyond the
    places of an address connections wait, as in the backlog, and are then answered with 429.
    """

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self._all: Connections = self.app_state[CONNECTIONS]
        self._address: Address | None = None
        self._timer: Any = None
        self._in_head = False
        self._head_bytes = 0
        self._held: bytearray | None = None
        self._refusal: bytes | None = None

    @property
    def is_idle(self) -> bool:
        """Whether it is kept alive between two requests."""
        answered = self.cycle is not None and self.cycle.response_complete
        return answered and self._timer is None and not self.transport.is_closing()

    # ---- a connection begins and ends

    def connection_made(self, transport: Any) -> None:
        """Serve it, or have it wait or refused."""
        super().connection_made(transport)
        peer = transport.get_extra_info("socket")
        if peer.family in (socket.AF_INET, socket.AF_INET6):
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _STALLED_SECONDS * 1000)
        self._all.open += 1
        address = self._all.address_of(self.client)
        if not self._all.has_room(address):
            if address is not None:
                self._all.forget(address)
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "busy", say("lane_full"))
            return
        self._address = address
        if address is None or address.take(self):
            self._expect_head()
        else:
            self._held = bytearray()
            self._set_timer(WAIT_SECONDS, self._refuse_place)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give back what it had."""
        super().connection_lost(exc)
        self._stop_timer()
        self._all.open -= 1
        if self._address is not None:
            self._address.leave(self)
            self._all.forget(self._address)

    def serve(self) -> None:
        """It is its turn: read what it has sent."""
        held, self._held = self._held, None
        self._expect_head()
        self.transport.resume_reading()
        if held:
            self.data_received(bytes(held))

    # ---- a request comes in

    def data_received(self, data: bytes) -> None:
        """Read on, as far as it may send."""
        if self._refusal is not None:
            self._answer(self._refusal)
            return
        if self._held is not None:
            self._held += data
            self.transport.pause_reading()
            if len(self._held) > _MAX_WAITING_BYTES:
                self._refuse_place()
            return
        if self._timer is None:
            self._expect_head()
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > MAX_HEAD_BYTES:
            self._answer(
                _refusal(
                    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                    "headers_too_large",
                    say("headers_too_large", kib=MAX_HEAD_BYTES // 1024),
                )
            )

    def on_message_begin(self) -> None:
        """The parser has met a request, which may be the second one of what has come."""
        super().on_message_begin()
        if self._timer is None:
            self._expect_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; nobody reads those behind a body, which could be without end."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there; the body has a time of its own."""
        self._in_head = False
        self._set_timer(BODY_SECONDS, self._end_slow_request)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is there; how long its answer takes is not the client's fault."""
        self._stop_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Give way to another connection of the same address."""
        super().on_response_complete()
        if self._address is not None and self._address.is_awaited and self.is_idle:
            self.transport.close()

    def _expect_head(self) -> None:
        self._in_head, self._head_bytes = True, 0
        self._set_timer(HEAD_SECONDS, self._end_slow_request)

    def _end_slow_request(self) -> None:
        self._timer = None
        nothing = self._in_head and self._head_bytes == 0
        if nothing or self._is_answering:
            self.transport.close()
            return
        self._answer(
            _refusal(HTTPStatus.REQUEST_TIMEOUT, "request_timeout", say("request_too_slow"))
        )

    @property
    def _is_answering(self) -> bool:
        """Whether another response would be read as part of the current one."""
        if self.cycle is None or not self.cycle.response_started:
            return False
        return not (self.cycle.response_complete and self._in_head)

    # ---- what is refused before the application is asked

    def _refuse_place(self) -> None:
        if self._address is not None:
            self._address.stop_waiting(self)
        asked, self._held = bool(self._held), None
        self._refuse(
            HTTPStatus.TOO_MANY_REQUESTS,
            "too_many_connections",
            say("connections_too_many", most=self._all.per_address),
            asked=asked,
        )

    def _refuse(self, status: HTTPStatus, code: str, detail: str, *, asked: bool = False) -> None:
        """Answer so, as soon as it has asked for something."""
        self._refusal = _refusal(status, code, detail, retry_after=5)
        if asked:
            self._answer(self._refusal)
            return
        self._set_timer(_ASK_SECONDS, self.transport.close)
        self.transport.resume_reading()

    def _answer(self, response: bytes) -> None:
        """Send it as the last thing, whatever the application does meanwhile."""
        self._stop_timer()
        if not self.transport.is_closing():
            self.transport.write(response)
            self.transport.close()

    def _set_timer(self, seconds: float, then: Any) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, then)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@cache
def _refusal(
    status: HTTPStatus, code: str, detail: str, *, retry_after: int | None = None
) -> bytes:
    """A problem document as a whole answer, of which there are few."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    answer = problem(status, code, detail, headers=headers | {"Connection": "close"})
    lines = [f"HTTP/1.1 {status} {status.phrase}"]
    lines += [f"{name.decode()}: {value.decode()}" for name, value in answer.raw_headers]
    return "\r\n".join([*lines, "", ""]).encode() + bytes(answer.body)
