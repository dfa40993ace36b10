"""JSON for programs: the document as the API gives it, with what it is."""

import json
import re
from typing import Any

from pydantic import TypeAdapter

from podmeter.domain.untrusted_text import INVISIBLE, STEERING
from podmeter.texts import ENGLISH, documents_in

#: Raised when a reader of the older form would misread the newer one.
FORMAT = 2
#: Written as escapes: what would steer a terminal, or be seen by nobody.
_UNSEEN = re.compile(f"{STEERING.pattern}|{INVISIBLE.pattern}")


def write(name: str, adapter: TypeAdapter[Any], document: object) -> str:
    """The document, indented, its keys in their own order; its sentences in English."""
    with documents_in(ENGLISH):
        content = adapter.dump_python(document, mode="json")
    wrapped = {"format": f"podmeter.{name}/{FORMAT}", "content": content}
    return _seen(json.dumps(wrapped, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def line(content: Any) -> str:
    """One document on a line of its own."""
    return _seen(json.dumps(content, ensure_ascii=False, allow_nan=False)) + "\n"


def _seen(text: str) -> str:
    # Outside of strings JSON has none of these.
    return _UNSEEN.sub(lambda one: json.dumps(one[0])[1:-1], text)
