"""What a connection is answered before the application is asked."""

from dataclasses import dataclass
from functools import cache
from http import HTTPStatus

from podmeter.domain.messages import say
from podmeter_api.problems import problem

_RETRY_SECONDS = 5


@dataclass(frozen=True)
class Refusal:
    """A problem document as a whole answer, which is the last one of its connection."""

    status: HTTPStatus
    code: str
    answer: bytes


def _refusal(status: HTTPStatus, code: str, detail: str) -> Refusal:
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
TOO_MANY_QUEUED = _refusal(
    HTTPStatus.TOO_MANY_REQUESTS, "too_many_requests", say("requests_too_many")
)


@cache
def head_too_large(kib: int) -> Refusal:
    """A request whose line and headers are larger than that."""
    detail = say("headers_too_large", kib=kib)
    return _refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "headers_too_large", detail)


@cache
def too_many_headers(most: int) -> Refusal:
    """A request that has more headers: each costs far more than its bytes."""
    detail = say("headers_too_many", most=most)
    return _refusal(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "headers_too_large", detail)


@cache
def no_place(most: int) -> Refusal:
    """A connection of an address that has as many already."""
    detail = say("connections_too_many", most=most)
    return _refusal(HTTPStatus.TOO_MANY_REQUESTS, "too_many_connections", detail)
