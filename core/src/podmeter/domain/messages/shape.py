"""The JSON form of a message; the class name is its name in OpenAPI."""

from typing import Annotated

from pydantic import Field, JsonValue
from typing_extensions import TypedDict


class Message(TypedDict):
    """A message: `code` and `params` for programs, `text` in the language of `Accept-Language`.

    A parameter is text, a number, a message, or a list of these. Text that came from a cluster
    or a tool is a parameter, as it came. Codes and their English texts: `x-messages`.
    """

    code: str
    params: dict[str, JsonValue]
    text: Annotated[str, Field(description="in the language of Accept-Language")]
