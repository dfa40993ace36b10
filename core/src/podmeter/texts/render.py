"""Renders texts of the catalog, as i18next does in the web UI.

`{{name}}` is a parameter. `{{name, axis_value}}` is a parameter with a term of the API, which the
catalog's group of words `axis_value` (or the next group in the list that has it) names. A text that
depends on a number has a key for each plural form of its language (Unicode CLDR): `key_one`,
`key_other` and so on. The parameter `count` decides.

A parameter is text, a number, a message (`{"code", "params"}`), or a list of these.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from babel import Locale

from podmeter.texts.loader import Language, catalog

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The blanks that part a parameter from Chinese are left out where the parameter is Chinese too.
_HOLE = re.compile(r"((?<=[\u3400-\u9fff]) )?\{\{(\w+)((?:, \w+)*)\}\}( (?=[\u3400-\u9fff]))?")
_HAN = re.compile(r"[\u3400-\u9fff]")
#: The parameter that a plural form follows.
COUNT = "count"


class _Hole(NamedTuple):
    """A parameter in a text: its name, its groups of words, and the blanks beside it."""

    before: str
    name: str
    groups: tuple[str, ...]
    after: str


def render(language: Language, key: str, /, **parameters: Any) -> str:
    """The text of a key. Raises KeyError for a key or parameter that is missing."""
    texts = catalog(language)
    if f"{key}_other" in texts:
        key = f"{key}_{plural_form(language)(parameters[COUNT])}"
    said = [
        part if isinstance(part, str) else _filled(language, part, parameters[part.name])
        for part in _parts(texts[key])
    ]
    return "".join(said)


@cache
def _parts(text: str) -> tuple[str | _Hole, ...]:
    """A text of the catalog, split at its parameters once: searching took half of rendering."""
    found: list[str | _Hole] = []
    end = 0
    for hole in _HOLE.finditer(text):
        before, name, groups, after = hole.groups(default="")
        words = tuple(groups.split(", ")[1:])
        found += [text[end : hole.start()], _Hole(before, name, words, after)]
        end = hole.end()
    return (*found, text[end:])


def _filled(language: Language, hole: _Hole, value: Any) -> str:
    said = _said(language, value, hole.groups)
    if not hole.groups:
        return hole.before + said + hole.after
    begins, ends = _HAN.match(said[:1]), _HAN.match(said[-1:])
    return ("" if begins else hole.before) + said + ("" if ends else hole.after)


def word(language: Language, group: str, term: str) -> str | None:
    """The word for a term of the API; None where the language has none."""
    return catalog(language).get(f"{group}.{term_key(term)}")


def term_key(term: str) -> str:
    """How a term is spelled in a key, where a dot parts groups."""
    return term.replace(".", "_")


def holes(text: str) -> frozenset[str]:
    """The names of a text's parameters."""
    return frozenset(hole[2] for hole in _HOLE.finditer(text))


@cache
def plural_form(language: Language) -> Any:
    """What gives the name of a number's plural form: one, two, few, many or other."""
    return Locale.parse(language).plural_form


def _said(language: Language, value: Any, groups: tuple[str, ...]) -> str:
    if isinstance(value, list | tuple):
        return _several(language, value, groups)
    if isinstance(value, dict):
        return message_text(language, value)
    spelled = f"{value:g}" if isinstance(value, float) else str(value)
    for group in groups:
        if named := word(language, group, spelled):
            return named
    return spelled


def message_text(language: Language, message: Mapping[str, Any]) -> str:
    """What a message says; the text that it was stored with where the catalog has no such code."""
    try:
        return render(language, f"message.{message['code']}", **message["params"])
    except KeyError:
        return str(message.get("text", message["code"]))


def _several(
    language: Language, values: list[Any] | tuple[Any, ...], groups: tuple[str, ...]
) -> str:
    said = [_said(language, one, groups) for one in values]
    signs = catalog(language)
    if not any(isinstance(one, dict) for one in values):
        return signs["sign.and"].join(said)
    # Whole sentences are parted by their own ends.
    whole = all(one.endswith(signs["sign.full_stop"]) for one in said)
    return signs["sign.sentences" if whole else "sign.semicolon"].join(said)
