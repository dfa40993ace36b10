"""Stable pseudonyms: node-A, node-B, …, one for each name, in the order they are first met."""

import re
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """What is replaced."""

    CLUSTER = "cluster"
    NODE = "node"
    NAMESPACE = "namespace"
    HOST = "host"
    ACCOUNT = "account"
    ADDRESS = "address"
    URL = "url"
    TOKEN = "token"  # noqa: S105 - a word, not a token
    PEM = "pem"


SECRET_KINDS = frozenset({Kind.TOKEN, Kind.PEM})
# Names of Kubernetes' own are lower case, so a pseudonym is never mistaken for one of them.
PSEUDONYM = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(Kind)})-[A-Z]+(?![A-Za-z0-9])")


@dataclass(frozen=True)
class Replacement:
    """One name and its pseudonym, with how often it was replaced.

    ``original`` is what the preview shows: of a secret only how it begins and how long it is.
    """

    kind: Kind
    original: str
    pseudonym: str
    count: int


@dataclass
class Pseudonyms:
    """Gives pseudonyms and counts them; ``reserved`` ones already stand in the content."""

    reserved: frozenset[str] = frozenset()
    _given: dict[tuple[Kind, str], str] = field(default_factory=dict)
    _counts: dict[tuple[Kind, str], int] = field(default_factory=dict)
    _next: dict[Kind, int] = field(default_factory=dict)

    def prepare(self, kind: Kind, name: str) -> None:
        """Settle a name's pseudonym without counting a replacement."""
        key = (kind, name)
        if key not in self._given:
            self._given[key] = self._new(kind)

    def replace(self, kind: Kind, name: str) -> str:
        """Give a name's pseudonym for one replacement."""
        self.prepare(kind, name)
        self._counts[kind, name] = self._counts.get((kind, name), 0) + 1
        return self._given[kind, name]

    def replacements(self) -> tuple[Replacement, ...]:
        """List what was replaced, by kind and pseudonym."""
        found = [
            Replacement(kind, _shown(kind, name), self._given[kind, name], count)
            for (kind, name), count in self._counts.items()
        ]
        return tuple(sorted(found, key=lambda one: (one.kind, len(one.pseudonym), one.pseudonym)))

    def _new(self, kind: Kind) -> str:
        while True:
            index = self._next.get(kind, 0)
            self._next[kind] = index + 1
            pseudonym = f"{kind}-{_letters(index)}"
            if pseudonym not in self.reserved:
                return pseudonym


def _letters(index: int) -> str:
    """A, B, …, Z, AA, AB, …"""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _shown(kind: Kind, name: str) -> str:
    if kind in SECRET_KINDS:
        return f"{name[:4] if len(name) >= 16 else ''}… ({len(name)} characters)"
    return name
