"""What a connection may take before anybody is asked who it is: places, time and bytes.

uvicorn bounds none of these, so its HTTP protocol is extended here (its option `http`). Places are
in `connection_places`, what is bounded in a whole request in `request_limits`.
"""

import socket
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from typing import Any, Never

from httptools import HttpParserError, HttpParserUpgrade
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from podmeter_api.connection_places import CONNECTIONS, Address, Connections
from podmeter_api.connection_refusals import (
    NO_ROOM,
    NOT_HTTP,
    TOO_MANY_QUEUED,
    TOO_SLOW,
    Refusal,
    head_too_large,
    too_many_headers,
)

#: A request's line and headers: their size and number, and how long they may take, then its body.
MAX_HEAD_BYTES = 64 * 1024
MAX_HEADERS = 100
HEAD_SECONDS = 10.0
BODY_SECONDS = 20.0
#: Requests of one connection that came together (pipelined) and wait for the one before them.
MAX_QUEUED = 8
#: The parser reads all that it gets; limits are checked after each step of so many bytes.
_STEP_BYTES = 16 * 1024
#: How long a connection waits for others of its address to end, and what it may send meanwhile.
WAIT_SECONDS = 5.0
_MAX_WAITING_BYTES = 16 * 1024
#: What is refused is answered once it has asked, since a client that still sends reads no answer.
ASK_SECONDS = 5.0
#: A client that takes nothing of an answer for so long is gone.
_STALLED_SECONDS = 30

_TOO_LARGE = head_too_large(MAX_HEAD_BYTES // 1024)
_TOO_MANY = too_many_headers(MAX_HEADERS)


class _Part(Enum):
    """What of a request is expected."""

    HEAD = auto()
    BODY = auto()


class _StopParsingError(Exception):
    """Ends the parser's work within what it was given."""


class _Flow(FlowControl):
    """Reads on only if it may.

    uvicorn reads on with each answer and whenever the application asks for more of a body, even if
    requests are queued.
    """

    def __init__(self, transport: Any, may_read: Callable[[], bool]) -> None:
        super().__init__(transport)
        self._may_read = may_read

    def resume_reading(self) -> None:
        if self._may_read():
            super().resume_reading()


class LimitedHttp(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 with deadlines, a bound for heads, and a share of places for each address.

    A request has to be there within a time that does not start again with each byte. Beyond the
    places of an address connections wait, as in the backlog, and are then answered with 429.
    Nothing is read, and no time counts, while a request is queued behind another one.
    """

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self._all: Connections = self.app_state[CONNECTIONS]
        self._address: Address | None = None
        self._timer: Any = None
        #: None between two requests.
        self._part: _Part | None = None
        #: Of the head, or of what has come since the latest piece of the body: the parser keeps
        #: headers behind a body too. What begins within a step has up to that many more.
        self._bytes = 0
        self._held: bytearray | None = None
        #: The last thing to say, once everything that was asked before is answered.
        self._last: Refusal | None = None
        #: The request whose answer is due; `cycle` is the latest request.
        self._due: RequestResponseCycle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether it is kept alive between two requests."""
        answered = self._due is not None and not self._is_answering
        return answered and self._part is None and not self.transport.is_closing()

    # ---- a connection begins and ends

    def connection_made(self, transport: Any) -> None:
        """Serve it, or have it wait or refused."""
        super().connection_made(transport)
        self.flow = _Flow(transport, lambda: not self.pipeline and self._last is None)
        peer = transport.get_extra_info("socket")
        if peer.family in (socket.AF_INET, socket.AF_INET6):
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _STALLED_SECONDS * 1000)
        self._all.open += 1
        self._address = address = self._all.address_of(self.client)
        if not self._all.has_room(address):
            self._refuse_connection(NO_ROOM)
        elif address is None or address.take(self):
            self._expect(_Part.HEAD)
        elif address.wait(self):
            self._held = bytearray()
            self._set_timer(WAIT_SECONDS, self._refuse_place)
        else:
            self._refuse_place()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give back what it had."""
        super().connection_lost(exc)
        self._stop_timer()
        self.pipeline.clear()
        # uvicorn tells the request that came last.
        self._abandon(self._due)
        self._all.open -= 1
        if self._address is not None:
            self._address.leave(self)
            self._all.forget(self._address)

    def serve(self) -> None:
        """It is its turn: read what it has sent."""
        held, self._held = self._held, None
        self._expect(_Part.HEAD)
        self.flow.resume_reading()
        if held:
            self.data_received(bytes(held))

    # ---- a request comes in

    def data_received(self, data: bytes) -> None:
        """Read on, as far as it may send."""
        if self._last is not None:
            self._say_last()
            return
        if self._held is not None:
            self._held += data
            self.flow.pause_reading()
            if len(self._held) > _MAX_WAITING_BYTES:
                self._refuse_place()
            return
        self._unset_keepalive_if_required()
        if self._part is None:
            self._expect(_Part.HEAD)
        for start in range(0, len(data), _STEP_BYTES):
            if not self._parse(data[start : start + _STEP_BYTES]):
                break
        if self.pipeline:
            self._stop_timer()

    def _parse(self, data: bytes) -> bool:
        """Whether more may follow. uvicorn would log everything that is no HTTP."""
        self._bytes += len(data)
        try:
            self.parser.feed_data(data)
        except HttpParserUpgrade:
            # It is answered as if it had not asked for another protocol, in which it may go on.
            return False
        except HttpParserError:
            if self._last is None:
                self._refuse(NOT_HTTP)
        else:
            if self._part is not None and self._bytes > MAX_HEAD_BYTES:
                self._refuse(_TOO_LARGE)
        return self._last is None

    def on_message_begin(self) -> None:
        """The parser has met a request, which may be the second one of what has come."""
        super().on_message_begin()
        if self._part is None:
            self._expect(_Part.HEAD)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; nobody reads those behind a body."""
        if self._part is not _Part.HEAD:
            return
        if len(self.headers) == MAX_HEADERS:
            self._stop_parsing(_TOO_MANY)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there; the body has a time of its own."""
        size = len(self.url) + len(b"GET  HTTP/1.1\r\n\r\n")
        size += sum(len(name) + len(value) + len(b": \r\n") for name, value in self.headers)
        if size > MAX_HEAD_BYTES:
            self._stop_parsing(_TOO_LARGE)
        if len(self.pipeline) >= MAX_QUEUED:
            self._stop_parsing(TOO_MANY_QUEUED)
        super().on_headers_complete()
        self._expect(_Part.BODY)

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body, whose size the application bounds."""
        self._bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is there; how long its answer takes is not the client's fault."""
        self._part = None
        self._stop_timer()
        super().on_message_complete()

    def _expect(self, part: _Part) -> None:
        self._part, self._bytes = part, 0
        self._start_deadline()

    def _start_deadline(self) -> None:
        seconds = HEAD_SECONDS if self._part is _Part.HEAD else BODY_SECONDS
        self._set_timer(seconds, self._end_slow_request)

    def _end_slow_request(self) -> None:
        self._timer = None
        if self.cycle is None and self._bytes == 0:
            self.transport.close()
        else:
            self._refuse(TOO_SLOW)

    # ---- an answer goes out

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._due = cycle
        super()._start_asgi_task(cycle, partial(self._announce, cycle, app))

    async def _announce(
        self, cycle: RequestResponseCycle, app: ASGIApp, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Say in the headers that the connection ends with the answer, where others wait for it."""

        async def announced(message: Message) -> None:
            if message["type"] == "http.response.start" and self._is_awaited and not self.pipeline:
                cycle.keep_alive = False
            await send(message)

        await app(scope, receive, announced)

    def on_response_complete(self) -> None:
        """Go on with what is queued or read, or give way to a connection of the same address."""
        super().on_response_complete()
        if self.transport.is_closing():
            return
        if self._last is not None:
            self._say_last()
        elif self.pipeline:
            return
        elif self._is_awaited and self.is_idle:
            # Since its headers went out; a client must expect this of an idle connection.
            self.transport.close()
        else:
            # uvicorn did so before it took the last request out of the queue.
            self.flow.resume_reading()
            if self._part is not None and self._timer is None:
                self._start_deadline()

    @property
    def _is_awaited(self) -> bool:
        return self._address is not None and self._address.is_awaited

    @property
    def _is_answering(self) -> bool:
        """Whether another answer would be read as part of the current one, or in its place."""
        return self._due is not None and not self._due.response_complete

    @staticmethod
    def _abandon(cycle: RequestResponseCycle | None) -> None:
        """Tell the application that nobody takes its answer."""
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()

    # ---- what is refused before the application is asked

    def _refuse(self, refusal: Refusal) -> None:
        """Refuse the request that is read, and read no more."""
        self._end_with(refusal)
        self._stop_timer()
        self.flow.pause_reading()
        if self._part is _Part.BODY:
            # The request is with the application already, or in its queue.
            if self.pipeline:
                self.pipeline.popleft()
            elif self.cycle.response_started:
                self.transport.close()
            else:
                self._abandon(self._due)
                self._due = None
        self._say_last()

    def _stop_parsing(self, refusal: Refusal) -> Never:
        self._refuse(refusal)
        raise _StopParsingError

    def _refuse_place(self) -> None:
        self._refuse_connection(self._all.no_place)

    def _refuse_connection(self, refusal: Refusal) -> None:
        """Answer so as soon as it has asked for something, unless too many are to be told."""
        self._end_with(refusal)
        asked, self._held = bool(self._held), None
        may_stay = self._address is None or self._address.refuse(self)
        if asked:
            self._say_last()
        elif may_stay and not self._all.is_overrun:
            self._set_timer(ASK_SECONDS, self.transport.close)
        else:
            self.transport.abort()

    def _end_with(self, refusal: Refusal) -> None:
        self._last = refusal
        self._all.refusals.add(refusal, self.client)

    def _say_last(self) -> None:
        if self._last is None or self._is_answering:
            return
        self._stop_timer()
        if not self.transport.is_closing():
            self.transport.write(self._last.answer)
            self.transport.close()

    def _set_timer(self, seconds: float, then: Any) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, then)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
