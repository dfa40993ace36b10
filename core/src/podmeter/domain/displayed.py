"""Text that people type and others read: refused where it would steer a display or hide in it.

Refused are the control characters (C0 but line feed and tabulator in texts of several lines, DEL,
C1), what turns the direction of writing, line and paragraph separators, and characters that nobody
sees: the byte order mark, zero width spaces, soft hyphens, fillers, tags. The zero width joiners
U+200C and U+200D belong to scripts and emoji: they are taken between two characters beyond Latin-1
and refused elsewhere, where they can only make two equal-looking names differ.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import StringConstraints, ValidationInfo
from pydantic_core import core_schema

from podmeter.domain.messages import say
from podmeter.domain.untrusted_text import INVISIBLE, STEERING, printable

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue

#: The `format` of displayed strings in JSON Schema.
LINE_FORMAT, TEXT_FORMAT = "displayed-line", "displayed-text"
#: In a validation's context: the text was stored already, so it is cleaned and not refused.
STORED = "stored"

# JSON Schema's patterns know no characters beyond the basic plane, and no look-around everywhere.
_SHOWN = r"\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e"
_SHOWN += r"\u2060-\u206f\ufeff\ufff9-\ufffb"
_BREAKS = r"\u0009\u000a"


@dataclass(frozen=True)
class Displayed:
    """Marks a string as displayed, of one line or of `several`; `also` are refused characters."""

    several: bool = False
    also: str = ""

    def check(self, text: str, info: ValidationInfo) -> str:
        """The text. Raises ValueError with the first character that is refused, and its place."""
        if isinstance(info.context, dict) and info.context.get(STORED):
            return str(printable(text))
        if (found := self.refused(text)) is not None:
            place, character = found
            name = unicodedata.name(character, "a control character")
            code = f"U+{ord(character):04X}"
            raise ValueError(say("character_refused", code=code, name=name, place=place + 1))
        return text

    def refused(self, text: str) -> tuple[int, str] | None:
        """The first character that may not be displayed, and where it is; None where all may."""
        other = self.also if self.several else f"{self.also}\t\n"
        found = [one.start() for one in (STEERING.search(text), INVISIBLE.search(text)) if one]
        found += [place for one in other if (place := text.find(one)) >= 0]
        return (min(found), text[min(found)]) if found else None

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.with_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        refused = (_SHOWN if self.several else _SHOWN + _BREAKS) + self.also
        format_ = TEXT_FORMAT if self.several else LINE_FORMAT
        # A pattern of the type's own is stricter: JSON Schema has no place for two.
        return {"pattern": f"^[^{refused}]*$", **handler(schema), "format": format_}


#: A name: one line, of which there is something.
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), Displayed()
]
#: One line, which may be empty.
Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), Displayed()]
#: Text of several lines.
Text = Annotated[str, StringConstraints(max_length=4000), Displayed(several=True)]
