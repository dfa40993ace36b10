"""Counts requests by route, never by path: paths have ids in them."""

import logging
import time

from prometheus_client import Counter, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

#: Requests that change nothing are logged at the level debug, unless they fail.
_LOOKING = {"GET", "HEAD", "OPTIONS"}
_UNMATCHED = "unmatched"
REQUESTS = Counter("podmeter_http_requests_total", "Requests", ["method", "route", "status"])
REFUSALS = Counter(
    "podmeter_http_refusals_total",
    "Connections and requests that were refused before the application was asked",
    ["status", "code"],
)
SECONDS = Histogram(
    "podmeter_http_request_seconds",
    "Time until the answer began",
    ["method", "route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)


class RequestMetrics:
    """Outermost but for the server, so that every answer is counted."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count one request when its answer begins."""
        # Without a client it is the process that asks itself (warm_up.py).
        if scope["type"] != "http" or scope["client"] is None:
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", _UNMATCHED)
                SECONDS.labels(scope["method"], route).observe(time.perf_counter() - begun)
                REQUESTS.labels(scope["method"], route, str(message["status"])).inc()
                # What reached no operation changed nothing, and strangers send as much as they can.
                changes = scope["method"] not in _LOOKING and route != _UNMATCHED
                worth = message["status"] >= 500 or changes
                logger.log(
                    logging.INFO if worth else logging.DEBUG,
                    "%s %s answered %s after %.3f s",
                    *(scope["method"], route, message["status"], time.perf_counter() - begun),
                )
            await send(message)

        await self.app(scope, receive, counted)
