"""A sentence that knows what it says: a code and parameters besides its English text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, JsonValue
from pydantic_core import core_schema

from podmeter.domain.messages import shape
from podmeter.domain.messages.catalog import CATALOG, TEXT
from podmeter.domain.told import kept

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler


#: What a tool or a cluster said is kept to this length.
LONGEST_SAID = 4_000


class Message(str):
    """The English sentence, for anyone who wants text, with `code` and `params` for who does not.

    `params` are plain JSON; a message among them is `{"code", "params", "text"}`, as `plain` gives
    it. Made by `say`. What is put together from it by other means than `say` is text again.
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
            found = self.params.get(name)
            if isinstance(found, list) and len(found) == 1:
                found = found[0]
            if isinstance(found, dict) and {"code", "params", "text"} <= found.keys():
                return Message.read(found).innermost
        return self

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
        """As JSON, for the database and the API."""
        return {"code": self.code, "params": self.params, "text": str(self)}

    @classmethod
    def of(cls, text: str) -> Message:
        """The text itself if it is a message, else one that says no more than the text."""
        return text if isinstance(text, Message) else say(TEXT, text=text)

    @classmethod
    def read(cls, kept: Any) -> Message:
        """What `plain` gave, or bare text from before there were messages. Raises ValueError."""
        if isinstance(kept, str):
            return cls.of(kept)
        if not isinstance(kept, dict) or not kept.keys() >= {"code", "params", "text"}:
            raise ValueError("not a message")
        return Message(kept["code"], kept["params"], kept["text"])

    @classmethod
    def __get_pydantic_core_schema__(
        cls, _: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        written = handler.generate_schema(shape.Message)
        return core_schema.no_info_plain_validator_function(
            cls.read,
            json_schema_input_schema=written,
            serialization=core_schema.plain_serializer_function_ser_schema(
                _plain, return_schema=written
            ),
        )


def say(code: str, /, **params: Any) -> Message:
    """The message of a code of the catalog. Raises KeyError for a code or parameter that is not.

    A parameter may be text, a number, a message, or several of these.
    """
    kept = {name: _kept(value) for name, value in params.items()}
    text = CATALOG[code].format_map({name: _said(value) for name, value in kept.items()})
    return Message(code, kept, text)


def _kept(value: Any) -> JsonValue:
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
        return [_kept(one) for one in value]
    except TypeError:
        return _shown(value)


def _shown(said: object) -> str:
    return str(kept(str(said), LONGEST_SAID))


def _said(value: JsonValue) -> str:
    """A parameter within the English sentence."""
    if isinstance(value, list):
        said = [_said(one) for one in value]
        if not any(isinstance(one, dict) for one in value):
            return ", ".join(said)
        # Whole sentences are parted by their own ends.
        return (" " if all(one.endswith(".") for one in said) else "; ").join(said)
    if isinstance(value, dict):
        return str(value["text"])
    return f"{value:g}" if isinstance(value, float) else str(value)


def reason(text: str) -> Message | None:
    """What is said, None for '', nothing said."""
    return Message.of(text) if text else None


def plain(text: str) -> dict[str, JsonValue] | None:
    """What is said, as JSON; None for '', nothing said."""
    return Message.of(text).plain() if text else None


def _plain(value: str) -> Any:
    return Message.of(value).plain()


#: A message, or None for nothing said, which is '' where it is text.
Reason = Annotated[Message | None, BeforeValidator(lambda value: value or None)]
