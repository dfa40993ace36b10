"""That no answer surprises who read the OpenAPI document: a check of every answer in every test."""

import json
import re
from pathlib import Path
from typing import Any

import httpx

_DOCUMENT: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "docs" / "openapi.json").read_text()
)
#: (method, path as a pattern, what may be answered); where two fit, the one without parameters.
_OPERATIONS = [
    (
        method.upper(),
        re.compile(re.sub(r"\{\w+\}", "[^/]+", path)),
        frozenset(map(int, operation["responses"])),
    )
    for path, operations in sorted(_DOCUMENT["paths"].items(), key=lambda one: "{" in one[0])
    for method, operation in operations.items()
]


def check_declared(answer: httpx.Response) -> None:
    """Raises AssertionError where an operation's answer has a status that it does not declare."""
    request = answer.request
    for method, pattern, declared in _OPERATIONS:
        if method == request.method and pattern.fullmatch(request.url.path):
            said = f"{method} {request.url.path} answered {answer.status_code}: not in OpenAPI"
            assert answer.status_code in declared, said
            return
