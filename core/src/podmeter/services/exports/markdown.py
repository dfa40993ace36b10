"""Markdown (GitHub's), with every text escaped."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from podmeter.domain.untrusted_text import printable
from podmeter.services.headlines.document import Headline

_TICKS = re.compile("`+")
#: What CommonMark and GitHub read: emphasis, code, links, entities, HTML, tables, math.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~&$])")
#: What begins a list, a rule or an underlined heading where it begins a line.
_LEADING = re.compile(r"^([-+](?=\s|$)|[-=](?=[-=\s]*$)|\d{1,9}(?=[.)](?:\s|$)))")
#: Addresses that GitHub makes links of: by a scheme, by `www.`, and after an at sign.
_SCHEME = re.compile(r"(?i)(?<=[a-z]):(?=//)|(?<=mailto):|(?<=xmpp):")
_WWW = re.compile(r"(?i)\b(www)\.")
#: What an address in angle brackets cannot have as it is.
_UNFIT = re.compile(r"[\s<>\\]")
_AT = re.compile(r"@(?=[A-Za-z0-9])")


class Markdown(str):
    """Text that is Markdown already."""

    __slots__ = ()


def escape(text: str) -> Markdown:
    """A text that stands for itself, on one line, with no link made of what is an address.

    What is Markdown already is left as it is. An at sign is parted from what follows by an empty
    comment, as GitHub looks for addresses and for people's names after it has taken backslashes
    away.
    """
    if isinstance(text, Markdown):
        return text
    line = _SPECIAL.sub(r"\\\1", " ".join(printable(text).split()))
    line = _LEADING.sub(_escaped_lead, line)
    return Markdown(_AT.sub("@<!-- -->", _WWW.sub(r"\1\\.", _SCHEME.sub(r"\\:", line))))


def _escaped_lead(lead: re.Match[str]) -> str:
    """A bullet with a backslash; of a number, which takes none, the first digit as an entity."""
    found = lead[0]
    return f"&#{ord(found[0])};{found[1:]}" if found[0].isdigit() else f"\\{found}"


def code(text: str) -> Markdown:
    """A text as code, on one line, which nothing in it ends."""
    line = " ".join(printable(text).split())
    longest = max((len(found) for found in _TICKS.findall(line)), default=0)
    ticks = "`" * (longest + 1)
    return Markdown(f"{ticks} {line} {ticks}" if longest else f"{ticks}{line}{ticks}")


def link(text: str, address: str) -> Markdown:
    """A link to an address of the web; of any other address the text alone."""
    if not re.match(r"https?://", address):
        return escape(text)
    target = _UNFIT.sub(lambda one: quote(one[0]), address)
    return Markdown(f"[{escape(text)}](<{target}>)")


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
    said = [heading("In short"), bullets(map(str, found.every))]
    if found.recommendation:
        said += [heading("Recommendation"), bullets(map(str, found.recommendation))]
    return said


def fenced(text: str, language: str) -> str:
    """A document as it is, in a fence that nothing in it ends."""
    longest = max((len(found) for found in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{printable(text).rstrip()}\n{fence}\n"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the texts may hold anything, code in cells no `|`."""
    rule = [Markdown("---")] * len(header)
    lines = [f"| {' | '.join(map(escape, row))} |" for row in (header, rule, *rows)]
    return "\n".join(lines) + "\n"
