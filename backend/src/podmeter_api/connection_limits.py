"""What a connection may take before anybody is asked who it is: places, time and bytes.

uvicorn bounds none of these, so its HTTP protocol is extended here (its option `http`). Places are
in `connection_places`, what is bounded in a whole request in `request_limits`.
"""

import socket
from enum import Enum, auto
from typing import Any, Never

from httptools import HttpParserError, HttpParserUpgrade
from starlette.types import Message
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from podmeter_api.connection_places import CONNECTIONS, Address, Connections
from podmeter_api.connection_refusals import (
    MAX_HEAD_BYTES,
    MAX_HEADERS,
    NO_ROOM,
    NOT_HTTP,
    TOO_LARGE,
    TOO_MANY_HEADERS,
    TOO_SLOW,
    Refusal,
)

#: How long a request's line and headers may take, then its body.
HEAD_SECONDS = 10.0
BODY_SECONDS = 20.0
#: How long a connection waits for others of its address to end.
WAIT_SECONDS = 5.0
#: What a connection may send while it waits, and what a head may take whatever others have.
SHORT_PIECE_BYTES = 16 * 1024
#: What is refused is answered once it has asked, since a client that still sends reads no answer.
ASK_SECONDS = 5.0
#: A client that takes nothing of an answer for so long is gone.
_STALLED_SECONDS = 30


class _Phase(Enum):
    """What a connection waits for."""

    PLACE = auto()
    HEAD = auto()
    BODY = auto()
    #: The request is there. Once it is answered, the connection is idle.
    ANSWER = auto()
    #: Nothing more is read.
    END = auto()


def _beyond_short(size: int) -> int:
    return max(0, size - SHORT_PIECE_BYTES)


class LimitedHttp(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 with deadlines, a bound for heads, and a share of places for each address.

    A request has to be there within a time that does not start again with each byte. Beyond the
    places of an address connections wait, as in the backlog, and are then answered with 429.

    A connection has one request at a time, and no pipelining: what comes in one piece with a
    request, behind it, is thrown away, and the connection closes after the answer. A server may
    close it after any answer, and a client has to be able to repeat what was not answered (RFC
    9112, 9.3.2 and 9.6). One piece that comes later waits for the end of the answer: a client may
    have all of it, and go on, before the application has said that it is over.
    """

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self._all: Connections = self.app_state[CONNECTIONS]
        self._address: Address
        self._timer: Any = None
        self._phase = _Phase.PLACE
        #: Of the head, or of what has come since the latest bytes of the body: the parser keeps a
        #: header behind a body too, until it is complete.
        self._bytes = 0
        #: Size of the latest head: uvicorn keeps it until the next one is complete.
        self._head = 0
        #: What its heads, and a header behind a body, take of the allowance of all connections.
        self._counted = 0
        #: The piece that came before its turn.
        self._held = b""
        #: What to say as soon as a connection that is refused has asked for something.
        self._refusal: Refusal | None = None

    @property
    def is_idle(self) -> bool:
        """Whether it is kept alive between two requests."""
        is_answered = self._phase is _Phase.ANSWER and self.cycle.response_complete
        return is_answered and not self.transport.is_closing()

    @property
    def _is_answering(self) -> bool:
        return self._phase is _Phase.ANSWER and not self.cycle.response_complete

    # ---- a connection begins and ends

    def connection_made(self, transport: Any) -> None:
        """Serve it, or have it wait or refused."""
        super().connection_made(transport)
        peer = transport.get_extra_info("socket")
        if peer.family in (socket.AF_INET, socket.AF_INET6):
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _STALLED_SECONDS * 1000)
        self._address = self._all.enter(self.client)
        if not self._all.has_room(self._address):
            self._refuse_connection(NO_ROOM)
        elif self._address.take(self):
            self._expect(_Phase.HEAD, HEAD_SECONDS)
        elif self._address.wait(self):
            self._set_timer(WAIT_SECONDS, self._refuse_place)
        else:
            self._refuse_place()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give back what it had, and keep nothing until garbage is collected."""
        super().connection_lost(exc)
        # uvicorn leaves its timer, which holds all of this, where the client reset the connection.
        self._unset_keepalive_if_required()
        self._stop_timer()
        self._drop_held()
        self._count_heads()
        self._all.leave(self._address, self)

    def serve(self) -> None:
        """It is its turn: read what it has sent. If it closes, the next one gets the place soon."""
        held = self._drop_held()
        if self.transport.is_closing():
            return
        self._expect(_Phase.HEAD, HEAD_SECONDS)
        self.flow.resume_reading()
        if held:
            self._parse(held)

    # ---- a request comes in

    def data_received(self, data: bytes) -> None:
        """Read on, as far as it may send."""
        if self._refusal is not None:
            self._answer(self._refusal)
        elif self._phase is _Phase.PLACE or self._is_answering:
            self._hold(data)
        elif self._phase is not _Phase.END:
            self._parse(data)

    def _hold(self, data: bytes) -> None:
        """Keep one piece, and read no more."""
        if self._held:
            # uvicorn read on nevertheless, since the application asked for more of the body.
            self._end_after_answer()
        elif self._may_hold(len(data)):
            self._held = data
            self.flow.pause_reading()
        elif self._phase is _Phase.PLACE:
            self._refuse_place(has_asked=True)
        else:
            self._end_after_answer()

    def _may_hold(self, size: int) -> bool:
        """Whether there is memory for it.

        A served connection may always keep a short piece, since its head may take more.
        """
        if self._phase is _Phase.PLACE:
            return size <= SHORT_PIECE_BYTES and self._all.waiting_bytes.change(size)
        return self._all.early_bytes.change(_beyond_short(size))

    def _drop_held(self) -> bytes:
        held, self._held = self._held, b""
        if self._phase is _Phase.PLACE:
            self._all.waiting_bytes.change(-len(held))
        else:
            self._all.early_bytes.change(-_beyond_short(len(held)))
        return held

    def _parse(self, data: bytes) -> None:
        """In short pieces: what a piece has behind bytes of a body, or another request, is not
        counted.
        """
        if self._phase is _Phase.ANSWER:
            self._expect(_Phase.HEAD, HEAD_SECONDS)
        rest = memoryview(data)
        while rest and self._phase is not _Phase.END:
            piece, rest = rest[:SHORT_PIECE_BYTES], rest[SHORT_PIECE_BYTES:]
            self._parse_piece(piece, has_more=bool(rest))

    def _parse_piece(self, data: memoryview, has_more: bool) -> None:
        """As uvicorn does, which would log everything that is no HTTP."""
        self._bytes += len(data)
        try:
            self.parser.feed_data(data)
        except HttpParserUpgrade as upgrade:
            # It is answered as if it had not asked for another protocol.
            if has_more or upgrade.args[0] < len(data):
                self._end_after_answer()
        except HttpParserError:
            if self._is_answering:
                self._end_after_answer()
            elif self._phase is not _Phase.END:
                self._refuse(NOT_HTTP)
        else:
            if self._phase is _Phase.ANSWER:
                self._count_heads(self._head)
            elif self._bytes > MAX_HEAD_BYTES:
                self._refuse(TOO_LARGE)
            elif not self._count_heads(self._head, self._bytes):
                self._refuse(NO_ROOM)

    def _count_heads(self, *sizes: int) -> bool:
        """Whether there is memory for these heads; a short one does not count."""
        size = sum(_beyond_short(head) for head in sizes)
        if not self._all.head_bytes.change(size - self._counted):
            return False
        self._counted = size
        return True

    def on_message_begin(self) -> None:
        """The parser has met a request, which may be the second one of what has come."""
        if self._is_answering:
            raise HttpParserError("another request")
        if self._phase is _Phase.ANSWER:
            self._expect(_Phase.HEAD, HEAD_SECONDS)
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; nobody reads those behind a body."""
        if self._phase is not _Phase.HEAD:
            return
        if len(self.headers) == MAX_HEADERS:
            self._refuse_head(TOO_MANY_HEADERS)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there; the body has a time of its own."""
        size = len(self.url) + len(b"GET  HTTP/1.1\r\n\r\n")
        size += sum(len(name) + len(value) + len(b": \r\n") for name, value in self.headers)
        if size > MAX_HEAD_BYTES:
            self._refuse_head(TOO_LARGE)
        if not self._count_heads(size):
            self._refuse_head(NO_ROOM)
        self._head = size
        super().on_headers_complete()
        self._expect(_Phase.BODY, BODY_SECONDS)

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body, whose size the application bounds."""
        self._bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is there; how long its answer takes is not the client's fault."""
        self._phase = _Phase.ANSWER
        self._stop_timer()
        super().on_message_complete()

    def _expect(self, phase: _Phase, seconds: float) -> None:
        self._phase, self._bytes = phase, 0
        self._set_timer(seconds, self._end_slow_request)

    def _end_slow_request(self) -> None:
        if self.cycle is None and self._bytes == 0:
            self.transport.close()
        else:
            self._refuse(TOO_SLOW)

    # ---- an answer goes out

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Say in the headers that the connection ends with the answer, where others wait for it."""
        address = self._address

        async def announcing(scope: Any, receive: Any, send: Any) -> None:
            async def announced(message: Message) -> None:
                if message["type"] == "http.response.start" and address.is_awaited:
                    cycle.keep_alive = False
                await send(message)

            await app(scope, receive, announced)

        super()._start_asgi_task(cycle, announcing)

    def on_response_complete(self) -> None:
        """Go on with what has come, or give way to a connection of the same address."""
        super().on_response_complete()
        if self._held:
            self.serve()
        elif self._address.is_awaited and self.is_idle:
            # Since its headers went out; a client must expect this of an idle connection.
            self.transport.close()

    def timeout_keep_alive_handler(self) -> None:
        """Close what is idle since the latest answer."""
        if self.is_idle:
            self.transport.close()

    def _end_after_answer(self) -> None:
        self._phase = _Phase.END
        self._drop_held()
        self.cycle.keep_alive = False
        if self.cycle.response_complete:
            self.transport.close()

    # ---- what is refused before the application is asked

    def _refuse(self, refusal: Refusal) -> None:
        """Refuse the request that is read, and read no more."""
        is_with_application = self._phase is _Phase.BODY
        self._phase = _Phase.END
        self._all.refusals.add(refusal, self.client)
        if is_with_application and self.cycle.response_started:
            # Another answer would be read as part of this one.
            self.transport.close()
            return
        if is_with_application:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._answer(refusal)

    def _refuse_head(self, refusal: Refusal) -> Never:
        self._refuse(refusal)
        raise HttpParserError(refusal.code)

    def _refuse_place(self, has_asked: bool = False) -> None:
        self._refuse_connection(self._all.no_place, has_asked)

    def _refuse_connection(self, refusal: Refusal, has_asked: bool = False) -> None:
        """Answer so as soon as it has asked for something, unless too many are to be told."""
        self._refusal = refusal
        self._all.refusals.add(refusal, self.client)
        may_stay = self._address.refuse(self)
        if self._drop_held() or has_asked:
            self._answer(refusal)
        elif may_stay and not self._all.is_overrun:
            self._set_timer(ASK_SECONDS, self.transport.close)
        else:
            self.transport.abort()

    def _answer(self, refusal: Refusal) -> None:
        """Send it as the last thing, whatever the application does meanwhile."""
        self._stop_timer()
        if not self.transport.is_closing():
            self.transport.write(refusal.answer)
            self.transport.close()

    def _set_timer(self, seconds: float, then: Any) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, then)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
