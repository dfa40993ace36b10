"""The key-encryption keys: several, each known by its id, the first of which encrypts."""

import base64
import binascii
import hashlib
import re
import secrets
from dataclasses import dataclass, field

from podmeter.credentials.errors import EnvelopeError, KeyRingError
from podmeter.domain.messages import say

KEY_BYTES = 32
KEY_ID_BYTES = 8
_LEAST_DISTINCT_BYTES = 8


@dataclass(frozen=True)
class EncryptionKey:
    """A 256-bit key and its id, which is derived from it, so the two cannot be mixed up."""

    key_id: bytes
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, key: bytes) -> "EncryptionKey":
        """Derive the id of a key."""
        digest = hashlib.sha256(b"podmeter key id\0" + key).digest()
        return cls(digest[:KEY_ID_BYTES], key)


@dataclass(frozen=True)
class KeyRing:
    """Keys by id; the first is used to encrypt, all to decrypt."""

    keys: tuple[EncryptionKey, ...]

    @classmethod
    def parse(cls, text: str | None) -> "KeyRing":
        """Read base64 keys with commas between them, as they are in a setting.

        There is no default. Raises KeyRingError, which says how to make a key and shows none,
        where the text is absent, or a key is malformed, too short, doubled or clearly no
        random one.
        """
        parts = [one.strip() for one in (text or "").split(",")]
        if not any(parts):
            raise KeyRingError(say("key_absent", how=say("key_how")))
        keys = [EncryptionKey.of(_decoded(one, place)) for place, one in enumerate(parts, 1)]
        if len({one.key_id for one in keys}) != len(keys):
            raise KeyRingError(say("key_doubled"))
        return cls(tuple(keys))

    @property
    def primary(self) -> EncryptionKey:
        """The key that encrypts."""
        return self.keys[0]

    def find(self, key_id: bytes) -> EncryptionKey:
        """Give the key of an id; raises EnvelopeError where the ring has none."""
        for one in self.keys:
            if one.key_id == key_id:
                return one
        raise EnvelopeError(say("key_unknown", key=key_id.hex()))


def generate_key() -> str:
    """Make a key as it is written in the setting."""
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def _decoded(text: str, place: int) -> bytes:
    key = b""
    # Both alphabets of base64 are accepted, with or without padding.
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    if re.fullmatch(r"[A-Za-z0-9+/]+", plain):
        try:
            key = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        except binascii.Error:
            key = b""
    if len(key) != KEY_BYTES:
        how = say("key_how")
        raise KeyRingError(say("key_malformed", place=place, bytes=KEY_BYTES, how=how))
    # 32 random bytes have about 30 different values; fewer than 8 never happens by chance.
    if len(set(key)) < _LEAST_DISTINCT_BYTES:
        raise KeyRingError(say("key_not_random", place=place, how=say("key_how")))
    return key
