"""The language that is spoken now: documents are written with texts in it.

What is stored has codes and parameters alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import GetJsonSchemaHandler, computed_field
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import core_schema

from podmeter.texts.loader import ENGLISH, Language, catalog
from podmeter.texts.render import render

_LANGUAGE: ContextVar[Language | None] = ContextVar("speaking", default=None)


@contextmanager
def documents_in(language: Language | None) -> Iterator[None]:
    """Documents that are written meanwhile have texts in the language; None leaves texts out."""
    token = _LANGUAGE.set(language)
    try:
        yield
    finally:
        _LANGUAGE.reset(token)


def document_language() -> Language | None:
    """The language that documents are written in now; None where texts are left out."""
    return _LANGUAGE.get()


def text_of(key: str, /, **parameters: Any) -> str:
    """The text of a key in the language that is spoken now, English where none is."""
    return render(document_language() or ENGLISH, key, **parameters)


def text_if_any(key: str, /) -> str | None:
    """The same; None where the catalog has no such key."""
    return text_of(key) if key in catalog(ENGLISH) else None


class Localized:
    """A class that documents give a text beside its code: the JSON Schema has it too.

    It is computed, so that a schema of what is read has no place for it of its own.
    """

    __slots__ = ()
    #: The computed field that has the text.
    SPOKEN: ClassVar[str] = "text"

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        found = handler(schema)
        fields = handler.resolve_ref_schema(found)
        name = cls.SPOKEN
        fields["properties"] |= {name: {"type": "string", "title": name.title()}}
        fields["required"] = [*{**dict.fromkeys(fields.get("required", ())), name: None}]
        return found


@dataclass(frozen=True, slots=True)
class CatalogText(Localized):
    """A text that documents keep by its key in the catalog.

    What an older version stored by its languages is `as_written`: it is said where the catalog has
    the key no more.
    """

    key: str
    as_written: dict[Language, str] | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def text(self) -> str:
        """The text in the language that is spoken; '' where none is."""
        language = document_language()
        return "" if language is None else self._in(language)

    def __str__(self) -> str:
        """In English."""
        return self._in(ENGLISH)

    def _in(self, language: Language) -> str:
        if self.as_written is not None and self.key not in catalog(ENGLISH):
            return self.as_written.get(language) or self.as_written[ENGLISH]
        return render(language, self.key)
