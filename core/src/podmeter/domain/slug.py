"""Slugs: short names that fit into a path, and that an organization has once.

Letters and digits of any script, parted by single hyphens. `podmeter_cli.slugs` makes the same
ones; a test holds the two together.
"""

import re
import unicodedata
import uuid

LONGEST = 63
_PARTS = re.compile(r"[\W_]+")


def slug_of(name: str) -> str:
    """The slug of a name, the same for each name that differs only in case and punctuation."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    slug = _PARTS.sub("-", plain).strip("-")[:LONGEST].rstrip("-") or "experiment"
    # A path takes an id or a slug: one is never read as the other.
    return f"experiment-{slug}" if _is_id(slug) else slug


def is_slug(text: str) -> bool:
    """Whether the text is a slug."""
    return slug_of(text) == text


def numbered(slug: str, number: int) -> str:
    """The slug of the experiment that is not the first one of its name."""
    end = f"-{number}"
    return f"{slug[: LONGEST - len(end)].rstrip('-')}{end}"


def _is_id(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
