"""Headers that every answer carries, and the largest body that is read."""

from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from podmeter.domain.messages import say
from podmeter_api.problems import problem

MAX_BODY_BYTES = 2 * 1024 * 1024
#: In the policy of what may stand inside of other pages.
FRAMED = "frame-ancestors *"
_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


class SecurityHeaders:
    """No sniffing, no framing, no foreign scripts; answers of the API are not cached.

    What may be framed says so by its own policy.
    Where Podmeter is served by https, a browser that was there once keeps to it.
    """

    def __init__(self, app: ASGIApp, *, https: bool = False) -> None:
        self.app = app
        self.https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers where the answer has none of its own."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                if FRAMED not in headers.get("Content-Security-Policy", ""):
                    headers.setdefault("X-Frame-Options", "DENY")
                headers.setdefault("Referrer-Policy", "same-origin")
                headers.setdefault("Content-Security-Policy", _POLICY)
                if self.https:
                    headers.setdefault("Strict-Transport-Security", "max-age=31536000")
                if scope["path"].startswith("/api/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, receive, with_headers)


class BodyLimit:
    """Refuse bodies over the limit, announced or not, without reading them to their end."""

    def __init__(self, app: ASGIApp, max_bytes: int = MAX_BODY_BYTES) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count what is read."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdigit() and int(announced) > self.max_bytes:
            await self._refuse(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.max_bytes:
                # FastAPI lets only its own exceptions out of the reading of a body.
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self._detail())
            return message

        await self.app(scope, counted, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = problem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "request_entity_too_large",
            self._detail(),
            headers={"Connection": "close"},
        )
        await response(scope, receive, send)

    def _detail(self) -> str:
        return say("body_too_large", kib=self.max_bytes // 1024)
