"""A JSON value in a paste, with the lines that it stands on."""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from podmeter.domain.messages import say
from podmeter.drivers.fields import leading_json
from podmeter.drivers.pasted import shell

if TYPE_CHECKING:
    from podmeter.drivers.pasted.text import Cursor, Line


def begins(text: str) -> bool:
    """Whether a line begins a JSON document."""
    return (text.startswith(("{", "[{", "[ {")) or text == "[") and not shell.is_blank(text)


def value(cursor: Cursor) -> tuple[Any, Line, Line]:
    """The JSON value at the cursor with its first and last line; the cursor is then behind it."""
    first = cursor.line
    begin = cursor.starts[cursor.at]
    begin += len(first.text) - len(first.text.lstrip())
    try:
        held, end = leading_json(cursor.whole, begin)
    except json.JSONDecodeError as error:
        said = say("paste_json", said=error.msg, column=error.colno)
        cursor.lines[place_of(cursor, error.pos)].refuse(said)
    last = place_of(cursor, end - 1)
    if cursor.lines[last].text[end - cursor.starts[last] :].strip().strip(","):
        cursor.lines[last].refuse(say("paste_unknown"))
    cursor.at = last + 1
    return held, first, cursor.lines[last]


def skip_value(cursor: Cursor) -> None:
    """Go behind a JSON value that is not read, where one is next."""
    while not cursor.ended and not cursor.line.flat:
        cursor.at += 1
    if not cursor.ended and begins(cursor.line.flat):
        value(cursor)


def place_of(cursor: Cursor, at: int) -> int:
    """Which of the cursor's lines a place of the whole text is in."""
    return bisect_right(cursor.starts, at) - 1
