"""Strangers, on the stack as `make up` starts it."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from core.tests.strangers import (
    API_PROCESSES,
    BURST,
    HALF_BODY,
    HALF_HEAD,
    PLACES_OF_AN_ADDRESS,
    WHOLE,
    Strangers,
)

from .own_stack import Place, own_stack

pytestmark = [pytest.mark.services, pytest.mark.full]

ATTACKER = "127.0.0.10"
TWENTY = tuple(f"127.0.0.{10 + number}" for number in range(20))
#: What all processes together serve of one address, and how many come.
PLACES = PLACES_OF_AN_ADDRESS * API_PROCESSES
MANY = PLACES + 100


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with own_stack() as made:
        yield made


def test_half_a_request_and_headers_without_end_are_bounded(place: Place) -> None:
    address = urlsplit(place.stack.api.url)
    with Strangers(str(address.hostname), int(address.port or 0)) as strangers:
        strangers.assert_bounded()


def test_headers_that_never_end_are_refused_from_20_addresses(place: Place) -> None:
    lines = (b"X-Other: " + b"y" * 1000 + b"\r\n") * 4
    with place.crowd(20, HALF_HEAD, TWENTY, drip=lines * 10) as crowd:
        assert crowd.endings() == {"431": 20}


@pytest.mark.parametrize(("sent", "drip"), [(HALF_HEAD, b""), (HALF_BODY, b" ")])
def test_beyond_its_places_an_address_is_refused_and_another_one_is_served(
    place: Place, sent: bytes, drip: bytes
) -> None:
    with place.crowd(MANY, sent, (ATTACKER,), drip) as crowd:
        crowd.wait_until_sent()
        assert place.ask("/readyz").status_code == 200
        # By a session too: what is asked of PostgreSQL and Redis is not held up either.
        assert place.stack.api.get("/me")
        endings = crowd.endings()
        assert set(endings) == {"408", "429"}
        assert endings["408"] <= PLACES
        assert endings["429"] >= MANY - PLACES
        for answer in crowd.answers("429"):
            assert b"\r\nretry-after: " in answer.lower()
    # Its own user is served again once the attack is over.
    assert place.ask("/healthz", ATTACKER).status_code == 200


@pytest.mark.parametrize("sources", [(ATTACKER,), TWENTY], ids=["one address", "20 addresses"])
def test_a_burst_of_a_thousand_connections_is_answered_without_a_reset(
    place: Place, sources: tuple[str, ...]
) -> None:
    with place.crowd(BURST, WHOLE, sources) as crowd:
        crowd.assert_answered_without_a_reset()
