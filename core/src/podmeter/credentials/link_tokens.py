"""The secret of a link that lets somebody in once: 256 bits, stored as a hash.

It stands behind the `#` of an address, which browsers send to no server.
"""

import hashlib
import secrets


def make_link_token() -> str:
    """Make a token of 43 URL-safe characters. It is shown once and kept nowhere."""
    return secrets.token_urlsafe(32)


def hash_link_token(token: str) -> str:
    """Give the hex SHA-256 that is stored and looked up."""
    return hashlib.sha256(b"podmeter link\0" + token.encode("utf-8", "replace")).hexdigest()
