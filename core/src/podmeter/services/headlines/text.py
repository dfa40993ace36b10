"""The sentences of headlines, and the texts that they are made of, in every language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.services.headlines import forms
from podmeter.texts import ENGLISH, Language, catalog, group, holes, render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class Text:
    """Part of a sentence; `plain` is what documents keep of it."""

    plain: JsonValue

    def __str__(self) -> str:
        """In English."""
        return forms.say(self.plain, ENGLISH)


def text(form: str, **parts: JsonValue) -> Text:
    """A text of a form of `headlines.forms`."""
    return Text({"form": form, **parts})


def joined(texts: Iterable[Text], sign: str = "comma") -> Text:
    """Several texts one after the other."""
    return text("list", of=[one.plain for one in texts], sign=sign)


#: The codes that say that something differs.
DIFFERENT = frozenset(
    {"costs", "gives", "raises", "lowers", "overtakes", "degrades", "falls", "rises"}
    | {"gives_times", "raises_times", "rises_to", "has_times"}
    | {"loses", "adds", "gains", "spares", "slowest_link", "slowest_links"}
    | {"slow_pair", "slow_pairs"}
)
#: The codes that say that nothing does.
ALIKE = frozenset(
    {"same", "small_more", "small_less", "flat"} | {"loses_nothing", "path_more", "path_less"}
)
#: The parameter of a sentence that an older version wrote out in its languages.
AS_WRITTEN = "as_written"


def parameters_of(
    code: str, given: Mapping[str, Text | str | float | None]
) -> dict[str, JsonValue]:
    """What is kept of a sentence. Raises KeyError for an unknown code or parameter."""
    missing = holes(group(ENGLISH, "sentence")[code]) - given.keys()
    if missing:
        raise KeyError(*missing)
    return {name: one.plain if isinstance(one, Text) else one for name, one in given.items()}


def statements() -> list[tuple[str, list[str]]]:
    """The codes of all sentences with their parameters, and the forms with theirs."""
    sentences = [(code, sorted(holes(said))) for code, said in group(ENGLISH, "sentence").items()]
    return [*sorted(sentences), ("", list(forms.vocabulary()))]


def parameter_names() -> set[str]:
    """What sentences have as parameters."""
    return {name for text in group(ENGLISH, "sentence").values() for name in holes(text)}


def say(
    code: str,
    parameters: Mapping[str, JsonValue],
    language: Language,
    details: Iterable[JsonValue] = (),
) -> str:
    """The sentence of a code, with details behind it."""
    written = parameters.get(AS_WRITTEN)
    if isinstance(written, dict):
        return str(written.get(language, written[ENGLISH]))
    key = f"sentence.{code}"
    texts = {name: forms.say(part, language) for name, part in parameters.items()}
    parts = [render(language, key, **texts), *(forms.say(one, language) for one in details)]
    sentence = catalog(language)["sign.semicolon"].join(parts)
    return _spaced(sentence) if _HAN.search(catalog(language)[key]) else _begun(sentence)


def _begun(text: str) -> str:
    """A sentence begins with a capital, unless a name or a unit stands there as it is written."""
    first = text.partition(" ")[0]
    plain = first.isalpha() and first.islower()
    return text[0].upper() + text[1:] if plain and first not in _NAMES else text


def _spaced(text: str) -> str:
    """Chinese with a space where it meets words and figures of the Latin script."""
    return _BEFORE.sub(" ", _AFTER.sub(" ", text))


_HAN = re.compile(r"[\u4e00-\u9fff]")
_AFTER = re.compile(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9+−])")
_BEFORE = re.compile(r"(?<=[A-Za-z0-9%\]])(?=[\u4e00-\u9fff])")
#: Written small wherever they stand.
_NAMES = frozenset({"iptables", "nftables", "podmeter"})
