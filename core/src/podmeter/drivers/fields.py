"""A tool's answer in JSON, read field by field; what is not there or not so is a ToolError."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from podmeter.domain.errors import ToolError
from podmeter.domain.messages import say
from podmeter.domain.shallow_json import check_depth, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

#: No counter of a kernel or a tool holds more.
_LARGEST = 2.0**63


def json_fields(tool: str, text: str) -> Fields:
    """The one JSON object that `text` is.

    ToolError if it is truncated or nested too deep, gives a field two values or has a number that
    is none.
    """
    try:
        document = loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except ValueError as error:
        raise ToolError(say("tool_not_json", tool=tool, characters=len(text))) from error
    if not isinstance(document, dict):
        raise ToolError(say("tool_not_object", tool=tool))
    return Fields(tool, document)


def leading_json(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at a place of a text, and where it ends; read as strictly.

    Raises json.JSONDecodeError with the place where it is broken off or odd.
    """
    # A terminal may have broken a line inside a string.
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_once, parse_constant=_no_constant)
    try:
        check_depth(text, at)
        return decoder.raw_decode(text, at)
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise json.JSONDecodeError(str(error), text, at) from error


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object; `path` leads to it."""

    tool: str
    held: Mapping[str, Any]
    path: str = ""

    def __contains__(self, name: str) -> bool:
        return name in self.held

    def object(self, name: str) -> Fields:
        """The object of that name."""
        return self._as_object(self.held.get(name), self._to(name))

    def objects(self, name: str) -> tuple[Fields, ...]:
        """The objects in the array of that name; an empty array is an answer."""
        value, path = self.held.get(name), self._to(name)
        if not isinstance(value, list):
            self._refuse("array", path)
        return tuple(self._as_object(one, f"{path}.{i}") for i, one in enumerate(value))

    def number(self, name: str) -> float:
        """A finite number, 0 or above."""
        value, path = self.held.get(name), self._to(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ToolError(say("tool_no_number", tool=self.tool, path=path))
        if not 0 <= value < _LARGEST or not math.isfinite(value):
            raise ToolError(say("tool_odd_number", tool=self.tool, path=path, value=_shown(value)))
        return float(value)

    def positive(self, name: str) -> float:
        """A finite number above 0."""
        value = self.number(name)
        if value == 0:
            raise ToolError(say("tool_odd_number", tool=self.tool, path=self._to(name), value="0"))
        return value

    def count(self, name: str) -> int:
        """A whole number, 0 or above."""
        value = self.number(name)
        if value != int(value):
            raise ToolError(
                say("tool_odd_number", tool=self.tool, path=self._to(name), value=_shown(value))
            )
        return int(self.held[name])

    def text(self, name: str) -> str:
        """A text."""
        value = self.held.get(name)
        if not isinstance(value, str):
            self._refuse("text", self._to(name))
        return value

    def _to(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def _as_object(self, value: Any, path: str) -> Fields:
        if not isinstance(value, dict):
            self._refuse("object", path)
        return Fields(self.tool, value, path)

    def _refuse(self, what: str, path: str) -> NoReturn:
        raise ToolError(say("tool_no_field", tool=self.tool, what=what, path=path))


def _shown(value: float) -> str:
    """A number that may have thousands of digits."""
    try:
        return f"{value:.7g}"
    except OverflowError:
        return "a number too large"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        # iperf3's server says one setting twice, in the same words.
        if found.setdefault(name, value) != value:
            raise ValueError("a field has two values")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
