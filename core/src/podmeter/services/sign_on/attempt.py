"""A sign-on that was begun, kept by the browser that began it in a cookie that only we can read.

So nothing is stored for those who begin and never come back; that an attempt is finished once is
noted when it is finished.
"""

import base64
import binascii
import hashlib
import json
import re
import secrets
import time
from dataclasses import asdict, dataclass

from podmeter.credentials.envelope import Binding, seal, unseal
from podmeter.credentials.errors import EnvelopeError
from podmeter.credentials.key_ring import KeyRing

#: As long as somebody may take to sign on at the provider, in seconds.
LIFETIME = 600
_BINDING = Binding("", "", purpose="sign-on attempt")
#: A path of ours: no other host, which `//` and, in browsers, `/\\` would name.
_INSIDE = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")
LONGEST_WAY_BACK = 1000


@dataclass(frozen=True)
class Attempt:
    """What was sent to the provider and must come back, and where to go then."""

    state: str
    nonce: str
    verifier: str
    way_back: str
    expires_at: float
    #: An account with the address that nobody proved must be set aside.
    new_account: bool = False

    @classmethod
    def begin(cls, way_back: str, *, new_account: bool = False) -> "Attempt":
        """A new one."""
        state, nonce = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        expires_at = time.time() + LIFETIME
        verifier = secrets.token_urlsafe(48)
        return cls(state, nonce, verifier, inside(way_back), expires_at, new_account)

    @property
    def digest(self) -> str:
        """What it is known by once it was finished."""
        return hashlib.sha256(self.state.encode()).hexdigest()

    def sealed(self, ring: KeyRing) -> str:
        """For the cookie."""
        text = json.dumps(asdict(self)).encode()
        return base64.urlsafe_b64encode(seal(text, _BINDING, ring)).decode()


def unsealed(text: str, ring: KeyRing) -> Attempt | None:
    """The attempt in a cookie; None for what we did not write, or too long ago."""
    try:
        plain = unseal(base64.urlsafe_b64decode(text.encode()), _BINDING, ring)
    except (EnvelopeError, binascii.Error, UnicodeEncodeError):
        return None
    found = Attempt(**json.loads(plain))
    return found if found.expires_at > time.time() else None


def inside(way_back: str) -> str:
    """The path, or that of the first page for what might lead elsewhere."""
    taken = len(way_back) <= LONGEST_WAY_BACK and _INSIDE.fullmatch(way_back)
    return way_back if taken else "/"
