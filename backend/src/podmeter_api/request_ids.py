"""An id for each request: in every line that is logged of it, in its answer, in its errors."""

import re
import uuid
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from podmeter import logs
from podmeter_api.callers import is_in, networks

HEADER = "X-Request-ID"
#: What a proxy may call a request; anything else could be a line of its own in somebody's log.
_FIT = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")


class RequestIds:
    """Outermost, so that it sees who is really connected: a trusted proxy's own id is kept."""

    def __init__(self, app: ASGIApp, trusted_proxies: Iterable[str] = ()) -> None:
        self.app = app
        self.trusted = networks(trusted_proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Name the request, whatever becomes of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        name = given if _FIT.fullmatch(given) and self._is_trusted(scope) else uuid.uuid4().hex
        # Each request is a task with a context of its own, which ends with it.
        logs.bind(request=name)

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = name
            await send(message)

        await self.app(scope, receive, named)

    def _is_trusted(self, scope: Scope) -> bool:
        client = scope.get("client")
        return client is not None and is_in(client[0], self.trusted)
