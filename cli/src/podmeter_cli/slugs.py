"""The slug that the server gives an experiment by its name; a test holds the two together."""

from __future__ import annotations

import re
import unicodedata
import uuid

_LONGEST = 63
_PARTS = re.compile(r"[\W_]+")


def slug_of(name: str) -> str:
    """The slug of a name."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    slug = _PARTS.sub("-", plain).strip("-")[:_LONGEST].rstrip("-") or "experiment"
    try:
        uuid.UUID(slug)
    except ValueError:
        return slug
    return f"experiment-{slug}"
