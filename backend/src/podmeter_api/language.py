"""The language that an answer speaks: what the request's Accept-Language asks for first."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import Depends, Request

from podmeter.results.spoken import Language

ENGLISH: Language = "en"
CHINESE: Language = "zh"
#: What an answer that speaks depends on, for caches.
VARY = {"Vary": "Accept-Language"}


def language_of(accepted: str) -> Language:
    """The language of ours that an Accept-Language asks for first; English where it is neither."""
    wanted: list[tuple[float, int, Language]] = []
    for place, one in enumerate(accepted.split(",")):
        tag, *options = (part.strip().lower() for part in one.split(";"))
        for known in (ENGLISH, CHINESE):
            if tag.partition("-")[0] == known:
                wanted.append((-_weight(options), place, known))
    return min(wanted)[2] if wanted else ENGLISH


def language(request: Request) -> Language:
    """That of a request."""
    return language_of(request.headers.get("accept-language", ""))


LanguageDep = Annotated[Language, Depends(language)]


def _weight(options: Iterable[str]) -> float:
    for option in options:
        name, _, value = option.partition("=")
        if name == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
