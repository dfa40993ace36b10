"""JSON from others, read only where it does not nest deep.

The parser of the standard library calls itself for each level. That it ends in a RecursionError is
not enough: whatever is collected as garbage at the bottom is finalised there, with no room left to
close what it holds.
"""

import json
import re
from typing import Any

#: Levels of lists and objects. No tool and no Kubernetes object nests a tenth as deep.
MAX_DEPTH = 200

#: What comes before the next bracket, strings as a whole (also one that never ends), and that.
_TO_BRACKET = re.compile(
    r"""[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"?[^"\[\]{}]*+)*+([\[\]{}])""", re.DOTALL
)

#: What marks no structure, outside of strings.
_NO_MARK = bytes(byte for byte in range(256) if byte not in b"[]{},")


class TooDeepError(ValueError):
    """The text nests too deep."""


class TooManyValuesError(ValueError):
    """The text has more keys and items than are taken."""


def loads(text: str | bytes, **hooks: Any) -> Any:
    """What json.loads gives, by its hooks. Bytes are UTF-8, nothing else (RFC 8259, 8.1).

    Raises TooDeepError, or another ValueError for what is no JSON or no UTF-8.
    """
    read = text.decode() if isinstance(text, bytes) else text
    if read.count("[") + read.count("{") > MAX_DEPTH:
        check_depth(read)
    return json.loads(read, **hooks)


def check_depth(text: str, at: int = 0) -> None:
    """Raise TooDeepError if the JSON value that begins at a place nests deeper than MAX_DEPTH.

    Looks no further than where the value ends.
    """
    depth = 0
    while found := _TO_BRACKET.match(text, at):
        depth += 1 if found[1] in "[{" else -1
        if depth > MAX_DEPTH:
            raise TooDeepError(f"nested more than {MAX_DEPTH} levels deep")
        if depth <= 0:
            return
        at = found.end()


def check_shape(text: bytes, depth: int, values: int) -> None:
    """Refuse JSON text of too many levels, or of too many keys and items in all.

    Nothing is built, and no more is checked than decides. Text that is not UTF-8 counts as any
    other: `loads` refuses it, but json.loads alone reads UTF-16 and UTF-32, which have a NUL in
    each mark of structure, and hide them from this. So text with a NUL is refused as well.

    Raises TooDeepError, TooManyValuesError, and ValueError for what can be no JSON.
    """
    if b"\0" in text:
        raise ValueError("JSON is UTF-8, and has no NUL")
    # Bytes are searched as a whole: a loop over what they mean would itself be worth an attack.
    # A backslash outside of a string is no JSON: nothing behind it is read.
    quoted = text.replace(rb"\\", b"").replace(rb"\"", b"")
    # A key and a value are two strings; where more come, it is no JSON.
    if quoted.count(b'"') > 2 * (2 * values + 1):
        raise TooManyValuesError(f"more than {values} keys and items")
    marks = b"".join(quoted.split(b'"')[::2]).translate(None, _NO_MARK)
    if len(marks) - marks.count(b"]") - marks.count(b"}") > values:
        raise TooManyValuesError(f"more than {values} keys and items")
    level = 0
    for mark in marks.replace(b",", b""):
        level += 1 if mark in b"[{" else -1
        if level > depth:
            raise TooDeepError(f"nested more than {depth} levels deep")
        if level < 0:
            raise ValueError("closed more often than opened")
