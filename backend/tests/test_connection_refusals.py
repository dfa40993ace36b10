"""What is refused before the application is asked is counted, and logged now and then."""

import logging
from http import HTTPStatus
from typing import Any

import pytest
from prometheus_client import REGISTRY

from podmeter_api.connection_refusals import NO_ROOM, TOO_SLOW, Refusals

from .limited_site import HALF, PLACES, SHORT, WHOLE, Site, is_refused, run

TOO_LARGE = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE


def counted(status: int, code: str) -> float:
    labels = {"status": str(status), "code": code}
    value = REGISTRY.get_sample_value("podmeter_http_refusals_total", labels)
    assert value is not None, "it is there from 0 on"
    return value


@pytest.mark.parametrize(
    ("before", "sent", "status", "code", "limits"),
    [
        (
            0,
            HALF + b"a: b\r\n" * 101,
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            "headers_too_large",
            {},
        ),
        (0, b"\0", HTTPStatus.BAD_REQUEST, "not_http", {}),
        (PLACES, WHOLE, HTTPStatus.TOO_MANY_REQUESTS, "too_many_connections", {"wait": SHORT}),
        (PLACES, WHOLE, HTTPStatus.SERVICE_UNAVAILABLE, "busy", {"most": PLACES}),
    ],
)
def test_a_refusal_is_counted(
    before: int, sent: bytes, status: HTTPStatus, code: str, limits: dict[str, Any]
) -> None:
    async def body(site: Site) -> None:
        _ = [await site.client(HALF) for _ in range(before)]
        was = counted(status, code)
        assert is_refused(await (await site.client(sent)).answer(), status)
        assert counted(status, code) == was + 1

    run(body, **limits)


def test_a_request_that_takes_too_long_is_counted() -> None:
    async def body(site: Site) -> None:
        was = counted(HTTPStatus.REQUEST_TIMEOUT, "request_timeout")
        client = await site.client(HALF)
        await site.shorten_deadline()
        assert is_refused(await client.answer(), HTTPStatus.REQUEST_TIMEOUT)
        assert counted(HTTPStatus.REQUEST_TIMEOUT, "request_timeout") == was + 1

    run(body)


def test_each_kind_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = 1000.0
    refusals = Refusals(clock=lambda: now)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            refusals.add(TOO_SLOW, ("192.0.2.1", 4711))
        refusals.add(NO_ROOM, None)
        now += 59
        refusals.add(TOO_SLOW, ("192.0.2.1", 4711))
        now += 2
        refusals.add(TOO_SLOW, ("192.0.2.9", 4711))
    assert [record.getMessage() for record in caplog.records] == [
        "refused 192.0.2.1 with 408 request_timeout; 1 since the last such line",
        "refused a local socket with 503 busy; 1 since the last such line",
        "refused 192.0.2.9 with 408 request_timeout; 4 since the last such line",
    ]
