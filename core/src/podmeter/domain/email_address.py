"""E-mail addresses as names of accounts: which texts are one, and when two are the same.

Lower case is made of ASCII letters alone, here as in the database. Unicode has letters whose lower
case is an ASCII letter (the Kelvin sign's is "k"), so anyone who owns one address would be taken
for the owner of another one.
"""

import re
import string
import unicodedata
from typing import TypeGuard

LONGEST = 320
#: Whatever is reserved so that nobody can have it (RFC 2606): addresses that were taken away.
NOBODYS = ".invalid"
_SHAPE = re.compile(r"[^\s@]+@[^\s@]+")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def address_key(email: str) -> str:
    """What spellings of one address share: PostgreSQL's `lower(email COLLATE "C")`."""
    return email.translate(_LOWER)


def is_address(text: object) -> TypeGuard[str]:
    """Whether it may be somebody's: as it is displayed it is, and it looks like no other one.

    Compatibility characters (full-width letters, the Kelvin sign), what is not composed, invisible
    and bidirectional characters would look like another address.
    """
    return (
        isinstance(text, str)
        and len(text) <= LONGEST
        and _SHAPE.fullmatch(text) is not None
        and text.isprintable()
        and unicodedata.normalize("NFKC", text) == text
        and not address_key(text).endswith(NOBODYS)
    )
