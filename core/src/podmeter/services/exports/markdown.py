"""Markdown (GitHub's), with every text escaped."""

import re
from collections.abc import Iterable, Sequence

from podmeter.services.headlines.document import Headline

_TICKS = re.compile("`+")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def escape(text: str) -> str:
    """A text that stands for itself, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def heading(text: str, level: int = 2) -> str:
    """A heading."""
    return f"{'#' * level} {escape(text)}\n"


def bullets(texts: Iterable[str]) -> str:
    """A list, a text each."""
    return "".join(f"- {escape(text)}\n" for text in texts)


def headline(found: Headline | None) -> list[str]:
    """What was found, under a heading of its own; nothing where a document has none."""
    if found is None:
        return []
    said = [heading("In short"), bullets(one.en for one in found.every)]
    if found.recommendation:
        said += [heading("Recommendation"), bullets(one.en for one in found.recommendation)]
    return said


def fenced(text: str, language: str) -> str:
    """A document as it stands, in a fence that nothing in it ends."""
    longest = max((len(found) for found in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the texts may hold anything."""
    lines = [header, ["---"] * len(header)]
    text = [f"| {' | '.join(escape(cell) for cell in lines[0])} |", f"| {' | '.join(lines[1])} |"]
    text += [f"| {' | '.join(escape(cell) for cell in row)} |" for row in rows]
    return "\n".join(text) + "\n"
