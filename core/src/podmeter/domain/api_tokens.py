"""API tokens: made once, shown once, stored as a hash.

``podmeter_`` + 43 characters of base62 (256 bits) + 6 of a CRC-32. The prefix lets secret
scanners find leaked ones, the checksum lets typing errors be told without a database. A slow
hash would add nothing to 256 random bits, so SHA-256 it is.
"""

import hashlib
import hmac
import re
import secrets
import string
import zlib

PREFIX = "podmeter_"
_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_RANDOM_LENGTH, _CHECK_LENGTH = 43, 6
_SHAPE = re.compile(rf"{PREFIX}[0-9A-Za-z]{{{_RANDOM_LENGTH + _CHECK_LENGTH}}}", re.ASCII)


def make_api_token() -> str:
    """Make a token. Show it once and store it nowhere."""
    body = PREFIX + _base62(secrets.randbits(256), _RANDOM_LENGTH)
    return body + _checksum(body)


def is_well_formed(token: str) -> bool:
    """Whether prefix, length, characters and checksum are right."""
    if _SHAPE.fullmatch(token) is None:
        return False
    body, check = token[:-_CHECK_LENGTH], token[-_CHECK_LENGTH:]
    return hmac.compare_digest(_checksum(body), check)


def hash_api_token(token: str) -> str:
    """Give the hex SHA-256 that is stored and looked up."""
    return hashlib.sha256(token.encode()).hexdigest()


def hint(token: str) -> str:
    """Give the part of a token by which its owner can tell it from others."""
    return token[: len(PREFIX) + 4] + "…"


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode()), _CHECK_LENGTH)


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))
