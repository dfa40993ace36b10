"""Look at a bearer token without verifying it: is it one, and when does it expire."""

import base64
import binascii
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from podmeter.domain.shallow_json import loads

_SERVICE_ACCOUNT = "system:serviceaccount:"
# RFC 6750's b64token is narrower, but bootstrap and cloud tokens also use ":" and "|".
_TOKEN = re.compile(r"[\x21-\x7e]{8,16384}")


def is_token(text: str) -> bool:
    """Whether the text can stand in an Authorization header: printable ASCII, no spaces."""
    return _TOKEN.fullmatch(text) is not None


def is_encoded_again(text: str) -> bool:
    """Whether it is a JWT in base64 once more, as the data of a Secret shows it."""
    return text.startswith("ZXlK") and "." not in text


@dataclass(frozen=True)
class ServiceAccountToken:
    """What a ServiceAccount's token says of itself, unverified; `account` is (namespace, name)."""

    account: tuple[str, str]
    issued_at: datetime
    expires_at: datetime

    @property
    def seconds(self) -> int:
        """For how long it was given."""
        return round((self.expires_at - self.issued_at).total_seconds())

    @property
    def half_life(self) -> datetime:
        """When half its life is over."""
        return self.issued_at + (self.expires_at - self.issued_at) / 2


def service_account(token: str) -> ServiceAccountToken | None:
    """What a token says of itself; None where it is no ServiceAccount's, or never expires."""
    claims = _claims(token)
    subject = str(claims.get("sub"))
    parts = subject.removeprefix(_SERVICE_ACCOUNT).split(":")
    issued, expires = _moment(claims.get("iat")), _moment(claims.get("exp"))
    if not subject.startswith(_SERVICE_ACCOUNT) or len(parts) != 2 or not all(parts):
        return None
    if issued is None or expires is None or issued >= expires:
        return None
    return ServiceAccountToken((parts[0], parts[1]), issued, expires)


def expiry(token: str) -> datetime | None:
    """Give a JWT's ``exp``, unverified; None where the token is no JWT or never expires.

    A wrong ``exp`` only makes a wrong warning: the API server decides.
    """
    return _moment(_claims(token).get("exp"))


def _claims(token: str) -> dict[str, Any]:
    """What a JWT claims; nothing where the text is none."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        claims = loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, binascii.Error):
        return {}
    return claims if isinstance(claims, dict) else {}


def _moment(seconds: object) -> datetime | None:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
