"""The language that documents are written in: what is stored has codes and parameters alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ClassVar, Literal

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import core_schema

Language = Literal["en", "zh"]
_SPEAKING: ContextVar[Language | None] = ContextVar("speaking", default=None)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Documents that are written meanwhile have texts beside their codes, in the language."""
    token = _SPEAKING.set(language)
    try:
        yield
    finally:
        _SPEAKING.reset(token)


def spoken() -> Language | None:
    """The language that documents are written in now; None where texts are left out."""
    return _SPEAKING.get()


class Spoken:
    """A dataclass that documents give a text beside its code: the JSON Schema has it too.

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
