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


class TooDeepError(ValueError):
    """The text nests deeper than MAX_DEPTH."""


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
