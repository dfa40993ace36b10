"""What a cluster tells about itself: text of any kind, made one that can be kept and shown."""

from __future__ import annotations

import re
from typing import Annotated, TypeVar

from pydantic import BeforeValidator

#: No name or version of Kubernetes' is longer: a node's name has 253 characters at most.
LONGEST = 300
#: No report of a node or a pod network has more parts.
MOST = 500
_CUT = "…"
#: What steers a terminal or turns the direction of writing instead of being read; neither lines nor
#: tabulators, which a tool's own words have.
STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
#: What nobody sees: soft hyphens, fillers, zero width spaces, byte order marks, tags; and joiners
#: where they join nothing, as they do between characters of the scripts and emoji that need them.
INVISIBLE = re.compile(
    r"[\xad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff"
    r"\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
    r"|(?<![^\x00-\xff])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\xff])"
)
T = TypeVar("T")


def cut(text: T, longest: int = LONGEST) -> T | str:
    """The text, and where it is longer its beginning; what is no text is left as it is."""
    if isinstance(text, str) and len(text) > longest:
        return text[: longest - len(_CUT)] + _CUT
    return text


def printable(text: T) -> T | str:
    """The text with U+FFFD for each character that steers or hides.

    What is no text is left as it is.
    """
    if isinstance(text, str):
        return INVISIBLE.sub("\ufffd", STEERING.sub("\ufffd", text.replace("\r\n", "\n")))
    return text


def sanitize_text(text: T, longest: int = LONGEST) -> T | str:
    """The text, printable and cut. Only its beginning is read, so that a megabyte costs nothing."""
    if isinstance(text, str):
        # Twice as many characters: a line end may have two.
        return cut(printable(text[: 2 * longest + 2]), longest)
    return text


def _few(parts: object) -> object:
    if isinstance(parts, dict):
        return dict(list(parts.items())[:MOST])
    return parts[:MOST] if isinstance(parts, list | tuple) else parts


#: One text.
SafeText = Annotated[str, BeforeValidator(sanitize_text)]
#: Names with the texts of each.
SafeTextMap = Annotated[dict[SafeText, SafeText], BeforeValidator(_few)]
NumberByText = Annotated[dict[SafeText, int], BeforeValidator(_few)]
SafeTextList = Annotated[tuple[SafeText, ...], BeforeValidator(_few)]
