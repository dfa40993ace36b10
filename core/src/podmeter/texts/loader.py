"""The catalog: every text of a language by its key, such as `message.node_unknown`.

Texts are JSON files in the format of i18next (JSON v4), which the web UI reads as they are (ADR
0014). General texts are in `texts/<language>/`. Those of a kind, a tool or a switcher are beside
its code: `texts.<language>.json` in its folder, or `<name>.texts.<language>.json` beside its file.
A key is the path to a text in its file; each has one place. A language is a folder here and its
files.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: The code of a language, as its files have it in their names.
Language = str
#: What other languages are translated from, and what is said where nobody asks for another one.
ENGLISH: Language = "en"
#: The package; its folders have all texts.
ROOT = Path(__file__).resolve().parents[1]


def languages() -> tuple[Language, ...]:
    """All that have texts, English first."""
    return _languages(ROOT)


def catalog(language: Language) -> Mapping[str, str]:
    """All texts of a language by their keys."""
    return compiled(ROOT, language)


def group(language: Language, name: str) -> Mapping[str, str]:
    """The texts of a group by what follows its name."""
    return _group(ROOT, language, name)


@cache
def _group(root: Path, language: Language, name: str) -> Mapping[str, str]:
    prefix = f"{name}."
    texts = compiled(root, language).items()
    return MappingProxyType(
        {key[len(prefix) :]: text for key, text in texts if key.startswith(prefix)}
    )


@cache
def _languages(root: Path) -> tuple[Language, ...]:
    folders = (one.name for one in (root / "texts").iterdir() if one.is_dir())
    others = sorted(name for name in folders if name != ENGLISH and not name.startswith("_"))
    return (ENGLISH, *others)


@cache
def compiled(root: Path, language: Language) -> Mapping[str, str]:
    """All texts of the files below `root`. Raises ValueError for a key that two files have."""
    found: dict[str, str] = {}
    places: dict[str, Path] = {}
    for path in files(root, language):
        for key, text in _flat(json.loads(path.read_text(encoding="utf-8"))):
            if key in found:
                raise ValueError(f"{key} is in {places[key]} and in {path}")
            found[key], places[key] = text, path
    return MappingProxyType(found)


def files(root: Path, language: Language) -> list[Path]:
    """The files of a language."""
    general = (root / "texts" / language).rglob("*.json")
    return sorted({*general, *root.rglob(f"*texts.{language}.json")})


def _flat(texts: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, text in texts.items():
        if isinstance(text, dict):
            yield from _flat(text, f"{prefix}{key}.")
        else:
            yield prefix + key, str(text)
