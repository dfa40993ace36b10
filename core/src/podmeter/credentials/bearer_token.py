"""Look at a bearer token without verifying it: is it one, and when does it expire."""

import base64
import binascii
import re
from datetime import UTC, datetime

from podmeter.domain.shallow_json import loads

# RFC 6750's b64token is narrower, but bootstrap and cloud tokens also use ":" and "|".
_TOKEN = re.compile(r"[\x21-\x7e]{8,16384}")


def is_token(text: str) -> bool:
    """Whether the text can stand in an Authorization header: printable ASCII, no spaces."""
    return _TOKEN.fullmatch(text) is not None


def is_encoded_again(text: str) -> bool:
    """Whether it is a JWT in base64 once more, as the data of a Secret shows it."""
    return text.startswith("ZXlK") and "." not in text


def expiry(token: str) -> datetime | None:
    """Give a JWT's ``exp``, unverified; None where the token is no JWT or never expires.

    A wrong ``exp`` only makes a wrong warning: the API server decides.
    """
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        claims = loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        seconds = claims["exp"] if isinstance(claims, dict) else None
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
            return None
        return datetime.fromtimestamp(seconds, UTC)
    except (KeyError, ValueError, OverflowError, OSError, binascii.Error):
        return None
