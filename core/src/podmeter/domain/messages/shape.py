"""The JSON form of a message; the class name is its name in OpenAPI."""

from typing import Annotated

from pydantic import Field, JsonValue
from typing_extensions import TypedDict


class Message(TypedDict):
    """Something said: `code` and `params` for programs and translations, `text` in English.

    A parameter is text, a number, a message, or a list of these. Text that came from a cluster
    or a tool is a parameter, as it came. Codes and their English sentences: `x-messages`.
    """

    code: str
    params: dict[str, JsonValue]
    text: Annotated[str, Field(description="the sentence in English")]
