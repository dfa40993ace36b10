"""What a connection is answered before the application is asked."""

import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from podmeter.domain.messages import say
from podmeter_api.problems import problem
from podmeter_api.request_metrics import REFUSALS

logger = logging.getLogger(__name__)

#: Of a request's line and headers.
MAX_HEAD_BYTES = 64 * 1024
MAX_HEADERS = 100
_RETRY_SECONDS = 5
_LOG_AGAIN_SECONDS = 60.0


@dataclass(frozen=True)
class Refusal:
    """A problem document as a whole answer, which is the last one of its connection."""

    status: HTTPStatus
    code: str
    answer: bytes


class Refusals:
    """Counts the refusals of a process, and logs each kind at most once a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._logged: dict[str, float] = {}
        self._since: Counter[str] = Counter()

    def add(self, refusal: Refusal, client: tuple[str, int] | None) -> None:
        """One more, of a client at this address."""
        REFUSALS.labels(str(refusal.status), refusal.code).inc()
        self._since[refusal.code] += 1
        now = self._clock()
        if now - self._logged.get(refusal.code, -_LOG_AGAIN_SECONDS) < _LOG_AGAIN_SECONDS:
            return
        self._logged[refusal.code] = now
        logger.warning(
            "refused %s with %d %s; %d since the last such line",
            "a local socket" if client is None else client[0],
            *(refusal.status, refusal.code, self._since.pop(refusal.code)),
        )


def _refusal(status: HTTPStatus, code: str, detail: str) -> Refusal:
    REFUSALS.labels(str(status), code)  # so that it is shown from 0 on
    headers = {"Connection": "close"}
    if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        headers["Retry-After"] = str(_RETRY_SECONDS)
    document = problem(status, code, detail, headers=headers)
    lines = [f"HTTP/1.1 {status} {status.phrase}"]
    lines += [f"{name.decode()}: {value.decode()}" for name, value in document.raw_headers]
    return Refusal(status, code, "\r\n".join([*lines, "", ""]).encode() + bytes(document.body))


NOT_HTTP = _refusal(HTTPStatus.BAD_REQUEST, "not_http", say("request_not_http"))
TOO_SLOW = _refusal(HTTPStatus.REQUEST_TIMEOUT, "request_timeout", say("request_too_slow"))
NO_ROOM = _refusal(HTTPStatus.SERVICE_UNAVAILABLE, "busy", say("lane_full"))
TOO_LARGE = _refusal(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    "headers_too_large",
    say("headers_too_large", kib=MAX_HEAD_BYTES // 1024),
)
#: Each costs far more than its bytes.
TOO_MANY_HEADERS = _refusal(
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    "headers_too_large",
    say("headers_too_many", most=MAX_HEADERS),
)


def no_place(most: int) -> Refusal:
    """A connection of an address that has as many already."""
    detail = say("connections_too_many", most=most)
    return _refusal(HTTPStatus.TOO_MANY_REQUESTS, "too_many_connections", detail)
