"""What one request may be, and how many requests one caller may have in progress.

Checked before anything is read into objects, and before anybody has looked at a credential. Heads
are bounded in `connection_limits`.
"""

from collections import Counter
from http import HTTPStatus

from fastapi import Response
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from podmeter.domain.messages import say
from podmeter.domain.shallow_json import TooDeepError, TooManyValuesError, check_shape
from podmeter_api.callers import Caller, KnownCredentials, caller_in, name_caller
from podmeter_api.lanes import Lane, Starts
from podmeter_api.problems import problem

MAX_QUERY_BYTES = 16 * 1024
#: Bodies by the start of their path; the first that fits counts. What lets somebody in is short,
#: what is imported is a paste, what else is large is a kubeconfig.
MAX_BODY_BYTES = (
    ("/api/v1/auth/", 16 * 1024),
    ("/api/v1/imports", 2 * 1024 * 1024),
    ("", 512 * 1024),
)
#: Levels of lists and objects in a JSON body, and keys and items in all.
MAX_DEPTH = 32
MAX_VALUES = 5_000
#: Bodies larger than this, of callers who are not known, are held up to a sum, and read one after
#: the other: to read JSON takes the event loop, which each step of all other requests waits for.
_LARGE_BYTES = 16 * 1024
_MAX_HELD_BYTES = 32 * 1024 * 1024
_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class CallerLimit:
    """Names who a request counts for, and refuses more requests of one caller than it may have.

    An event stream counts until it has begun: streams have a limit of their own.
    """

    def __init__(self, app: ASGIApp, known: KnownCredentials, at_a_time: int) -> None:
        """Callers who are not known may have half of `at_a_time`, in this process."""
        self.app = app
        self.known = known
        self.at_a_time = at_a_time
        self._under_way: Counter[Caller] = Counter()
        self._starts = Starts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or count as long as the request is in progress."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        caller = name_caller(scope, self.known)
        await self._starts.turn(caller)
        refusal = _long_query(scope) or self._too_many(caller)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        counted = True
        self._under_way[caller] += 1

        def count_down() -> None:
            nonlocal counted
            if counted:
                counted = False
                self._under_way[caller] -= 1
                if not self._under_way[caller]:
                    del self._under_way[caller]

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                media_type = Headers(raw=message["headers"]).get("content-type", "")
                if media_type.startswith("text/event-stream"):
                    count_down()
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            count_down()

    def _too_many(self, caller: Caller) -> Response | None:
        most = self.at_a_time if caller.known else max(1, self.at_a_time // 2)
        if self._under_way[caller] < most:
            return None
        return problem(
            HTTPStatus.TOO_MANY_REQUESTS,
            "too_many_requests",
            say("requests_too_many"),
            headers={"Retry-After": "1"},
        )


def _long_query(scope: Scope) -> Response | None:
    if len(scope["query_string"]) <= MAX_QUERY_BYTES:
        return None
    return problem(
        HTTPStatus.REQUEST_URI_TOO_LONG,
        "query_too_long",
        say("query_too_long", kib=MAX_QUERY_BYTES // 1024),
        headers={"Connection": "close"},
    )


class BodyLimit:
    """Reads a body whole before anything else does, and refuses what nobody sends in earnest.

    A small text may be a huge object: 190,000 keys in 2 MB took half a gigabyte to validate, and
    answered with 30 MB. So keys, items and levels are counted in the text, before it is parsed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._held = 0
        self._large = Lane(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read, check, and hand on."""
        if scope["type"] != "http" or scope["method"] in _WITHOUT_BODY:
            await self.app(scope, receive, send)
            return
        reading = _Reading(self, scope)
        try:
            body = await reading.whole(receive)
            if body is None:  # the client is gone
                return
            if reading.held:
                async with self._large.place(caller_in(scope)):
                    await self._hand_on(body, reading, scope, receive, send)
            else:
                await self._hand_on(body, reading, scope, receive, send)
        finally:
            self._held -= reading.held

    async def _hand_on(
        self, body: bytes, reading: "_Reading", scope: Scope, receive: Receive, send: Send
    ) -> None:
        refusal = reading.refusal or _misshapen(scope, body)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self.app(scope, _replay(body, receive), send)

    def hold(self, size: int) -> bool:
        """Whether there is room for so many bytes more of a large body."""
        if self._held + size > _MAX_HELD_BYTES:
            return False
        self._held += size
        return True


class _Reading:
    """One body that is being read."""

    def __init__(self, limit: BodyLimit, scope: Scope) -> None:
        path = scope["path"]
        self.limit = limit
        self.most = next(size for start, size in MAX_BODY_BYTES if path.startswith(start))
        self.announced = Headers(scope=scope).get("content-length", "")
        #: Those who are known are few, and each has a limit of requests.
        self.counted = not caller_in(scope).known
        self.held = 0
        self.refusal: Response | None = None

    async def whole(self, receive: Receive) -> bytes | None:
        """The body; None if the client left. It is not read on once there is a refusal."""
        if self.announced.isdigit() and int(self.announced) > self.most:
            self._refuse_size()
            return b""
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return None
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            if size > self.most:
                self._refuse_size()
            elif self.counted and size > _LARGE_BYTES and not self._hold(size):
                self.refusal = problem(
                    HTTPStatus.SERVICE_UNAVAILABLE,
                    "busy",
                    say("lane_full"),
                    headers={"Retry-After": "1", "Connection": "close"},
                )
            if self.refusal is not None or not message.get("more_body", False):
                return b"".join(chunks)

    def _hold(self, size: int) -> bool:
        if not self.limit.hold(size - self.held):
            return False
        self.held = size
        return True

    def _refuse_size(self) -> None:
        self.refusal = problem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "request_entity_too_large",
            say("body_too_large", kib=self.most // 1024),
            headers={"Connection": "close"},
        )


def _misshapen(scope: Scope, body: bytes) -> Response | None:
    """Refuses a JSON body with too many keys and items, or levels; YAML is counted as it is read.

    Whatever is read as JSON is counted, also where its media type says otherwise.
    """
    if "yaml" in Headers(scope=scope).get("content-type", "").lower():
        return None
    try:
        check_shape(body, MAX_DEPTH, MAX_VALUES)
    except TooDeepError:
        detail = say("body_too_deep", depth=MAX_DEPTH)
    except TooManyValuesError:
        detail = say("body_too_many", most=MAX_VALUES)
    except ValueError:
        return problem(HTTPStatus.BAD_REQUEST, "not_json", say("body_not_json"))
    else:
        return None
    return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body_too_complex", detail)


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
