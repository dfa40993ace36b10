"""What a ServiceAccount's token says of itself: whose it is, and how long it lives."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from podmeter.credentials.bearer_token import service_account

ISSUED = 1_790_000_000
CLAIMS = {"sub": "system:serviceaccount:podmeter:podmeter", "iat": ISSUED, "exp": ISSUED + 3600}


def token(claims: Any) -> str:
    part = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"e30.{part}.c2ln"


def test_its_account_and_half_its_life() -> None:
    found = service_account(token(CLAIMS))
    assert found is not None
    assert (found.account, found.seconds) == (("podmeter", "podmeter"), 3600)
    assert found.half_life == datetime.fromtimestamp(ISSUED, UTC) + timedelta(minutes=30)


@pytest.mark.parametrize(
    "text",
    [
        "opaque-token",
        token([]),
        token({**CLAIMS, "sub": "ada@example.org"}),
        token({**CLAIMS, "sub": "system:serviceaccount:podmeter"}),
        token({**CLAIMS, "sub": "system:serviceaccount::podmeter"}),
        token({**CLAIMS, "sub": None}),
        token({**CLAIMS, "exp": None}),
        token({**CLAIMS, "exp": ISSUED}),
        token({**CLAIMS, "iat": "then"}),
        token({**CLAIMS, "exp": 1e300}),
    ],
)
def test_what_is_none_or_never_ends_is_not_taken_for_one(text: str) -> None:
    assert service_account(text) is None
