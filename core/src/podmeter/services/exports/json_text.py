"""JSON for programs: the document as the API gives it, with what it is."""

import json
from typing import Any

#: Raised when a reader of the older form would misread the newer one.
FORMAT = 1


def write(document: str, content: Any) -> str:
    """The document, indented, its keys in their own order."""
    wrapped = {"format": f"podmeter.{document}/{FORMAT}", "content": content}
    return json.dumps(wrapped, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
