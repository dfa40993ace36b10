"""JSON from others, read only where it does not nest deep.

The parser of the standard library calls itself for each level. That it ends in a RecursionError is
not enough: whatever is collected as garbage at the bottom is finalised there, with no room left to
close what it holds.
"""

import json
import re
from itertools import accumulate, takewhile
from typing import Any

#: Levels of lists and objects. No tool and no Kubernetes object nests a tenth as deep.
MAX_DEPTH = 200

#: A string, or one that never ends.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_OTHERS = bytes(set(range(256)) - _STEPS.keys())


class TooDeepError(ValueError):
    """The text nests deeper than MAX_DEPTH."""


def loads(text: str | bytes, **hooks: Any) -> Any:
    """What json.loads gives, by its hooks. Bytes are UTF-8, nothing else (RFC 8259, 8.1).

    Raises TooDeepError, or another ValueError for what is no JSON or no UTF-8.
    """
    read = text.decode() if isinstance(text, bytes) else text
    check_depth(read)
    return json.loads(read, **hooks)


def check_depth(text: str, at: int = 0) -> None:
    """Raise TooDeepError if the JSON value that begins at a place nests deeper than MAX_DEPTH."""
    if text.count("[", at) + text.count("{", at) <= MAX_DEPTH:
        return
    brackets = _STRING.sub(b"", text[at:].encode(errors="replace")).translate(None, _OTHERS)
    depths = takewhile(lambda depth: depth > 0, accumulate(map(_STEPS.__getitem__, brackets)))
    if max(depths, default=0) > MAX_DEPTH:
        raise TooDeepError(f"nested more than {MAX_DEPTH} levels deep")
