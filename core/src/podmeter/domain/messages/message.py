"""A message: a code and parameters, and its text in every language of the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, JsonValue
from pydantic_core import core_schema

from podmeter.domain.messages import shape
from podmeter.domain.untrusted_text import sanitize_text
from podmeter.texts import ENGLISH, Language, document_language, group, holes, message_text, render

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler


#: Text that has no code: of an older version, or of what is not known here.
TEXT = "text"
#: What a tool or a cluster said is kept to this length.
LONGEST_SAID = 4_000


class Message(str):
    """The English text, with `code` and `params`, of which every language makes its own.

    `params` are plain JSON; a message among them is `{"code", "params"}`. Made by `say`. What is
    put together from it by other means than `say` is text again.
    """

    __slots__ = ("code", "params")
    code: str
    params: dict[str, JsonValue]

    def __new__(cls, code: str, params: Mapping[str, JsonValue], text: str) -> Self:
        """A message as it was kept; `say` makes new ones."""
        made = super().__new__(cls, text)
        made.code, made.params = code, dict(params)
        return made

    def __getnewargs__(self) -> tuple[str, dict[str, JsonValue], str]:  # type: ignore[override]
        return self.code, self.params, str(self)

    @property
    def innermost(self) -> Message:
        """The one reason inside others, such as a component's inside an axis'."""
        for name in ("reasons", "why"):
            inner = self.params.get(name)
            if isinstance(inner, list) and len(inner) == 1:
                inner = inner[0]
            if isinstance(inner, dict) and {"code", "params"} <= inner.keys():
                return Message.read(inner).innermost
        return self

    @property
    def spoken(self) -> str:
        """The text in the language that is spoken now, English where none is."""
        return self.in_language(document_language() or ENGLISH)

    def in_language(self, language: Language) -> str:
        """The text in a language; where the catalog has no such code, as it was stored."""
        if language == ENGLISH:
            return str(self)
        return message_text(language, {"code": self.code, "params": self.params, "text": str(self)})

    @property
    def causes(self) -> Message | list[Message]:
        """Its reasons alone, for a sentence that itself says what they are the reasons of.

        The message where it has no reasons inside.
        """
        found = self.params.get("reasons")
        if isinstance(found, list) and found:
            return [Message.read(one) for one in found]
        return Message.read(found) if isinstance(found, dict) else self

    def plain(self) -> dict[str, JsonValue]:
        """As JSON for the database: the text is left out where the catalog has it."""
        stored: dict[str, JsonValue] = {"code": self.code, "params": self.params}
        return stored if self.code in messages() else {**stored, "text": str(self)}

    @classmethod
    def of(cls, text: str) -> Message:
        """The text itself if it is a message, else one that says no more than the text."""
        return text if isinstance(text, Message) else say(TEXT, text=text)

    @classmethod
    def read(cls, stored: Any) -> Message:
        """What `plain` gave, or bare text from before there were messages. Raises ValueError."""
        if isinstance(stored, str):
            return cls.of(stored)
        if not isinstance(stored, dict) or not stored.keys() >= {"code", "params"}:
            raise ValueError("not a message")
        return Message(stored["code"], stored["params"], message_text(ENGLISH, stored))

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        written = handler.generate_schema(shape.Message)
        return core_schema.no_info_plain_validator_function(
            cls.read,
            json_schema_input_schema=written,
            serialization=core_schema.plain_serializer_function_ser_schema(
                _written, return_schema=written
            ),
        )


def messages(language: Language = ENGLISH) -> Mapping[str, str]:
    """The text of every code."""
    return group(language, "message")


def placeholders(code: str) -> frozenset[str]:
    """The names of a code's parameters. Raises KeyError for a code that is not known."""
    return holes(messages()[code])


def say(code: str, /, **params: Any) -> Message:
    """The message of a code of the catalog. Raises KeyError for an unknown code or parameter.

    A parameter may be text, a number, a message, or several of these.
    """
    stored = {name: _stored(value) for name, value in params.items()}
    return Message(code, stored, render(ENGLISH, f"message.{code}", **stored))


def _stored(value: Any) -> JsonValue:
    if isinstance(value, Message):
        return value.plain()
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    if isinstance(value, str):
        return _shown(value)
    if isinstance(value, BaseException):
        raise TypeError("say what the error says: error.message")
    if isinstance(value, Mapping):
        raise TypeError("a mapping is no parameter")
    try:
        return [_stored(one) for one in value]
    except TypeError:
        return _shown(value)


def _shown(value: object) -> str:
    return str(sanitize_text(str(value), LONGEST_SAID))


def reason(text: str) -> Message | None:
    """What is said, None for '', nothing said."""
    return Message.of(text) if text else None


def plain(text: str) -> dict[str, JsonValue] | None:
    """What is said, as JSON for the database; None for '', nothing said."""
    return Message.of(text).plain() if text else None


def _written(value: str) -> Any:
    """In a document: with texts in the language that is spoken, without where none is."""
    message, language = Message.of(value), document_language()
    if language is None:
        return message.plain()
    params = {name: _with_texts(one, language) for name, one in message.params.items()}
    return {"code": message.code, "params": params, "text": message.in_language(language)}


def _with_texts(param: Any, language: Language) -> Any:
    if isinstance(param, list):
        return [_with_texts(one, language) for one in param]
    if isinstance(param, dict):
        params = {name: _with_texts(one, language) for name, one in param["params"].items()}
        return {"code": param["code"], "params": params, "text": message_text(language, param)}
    return param


#: A message, or None for nothing said, which is '' where it is text.
Reason = Annotated[Message | None, BeforeValidator(lambda value: value or None)]
