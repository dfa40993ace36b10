"""The unguessable part of a snapshot's link: 128 bits, stored as a hash."""

import hashlib
import re
import secrets

_BYTES = 16
_SHAPE = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)


def make_snapshot_token() -> str:
    """Make a token of 22 URL-safe characters."""
    return secrets.token_urlsafe(_BYTES)


def is_snapshot_token(text: str) -> bool:
    """Whether the text has the shape of a snapshot token."""
    return _SHAPE.fullmatch(text) is not None


def hash_snapshot_token(token: str) -> str:
    """Give the hex SHA-256 that is stored and looked up."""
    return hashlib.sha256(b"podmeter snapshot\0" + token.encode()).hexdigest()
