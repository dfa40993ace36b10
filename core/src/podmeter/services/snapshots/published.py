"""What articles print is public, and nobody's name in it is a user's: it is not redacted."""

from collections.abc import Iterator
from typing import Any

#: Text of a source, or of our data file of it.
_PUBLISHED = ("title", "subject", "url", "said", "quote", "where", "printed", "columns")


def taken_out(articles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Take what is published out of reproductions; what was taken, in the order of its places."""
    return [
        {name: place.pop(name) for name in _PUBLISHED if name in place}
        for place in _places(articles)
    ]


def restore_state(articles: list[dict[str, Any]], taken: list[dict[str, Any]]) -> None:
    """Put it where it was."""
    for place, published in zip(list(_places(articles)), taken, strict=True):
        place |= published


def _places(articles: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The articles, their claims, tables, rows and cells; never what is ours in them."""
    for article in articles:
        yield article
        yield from article["claims"]
        for table in article["tables"]:
            yield table
            for row in table["rows"]:
                yield row
                yield from row["cells"]
