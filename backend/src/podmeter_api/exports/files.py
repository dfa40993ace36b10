"""A document as a file that a browser saves."""

import re
from typing import Annotated, Any

from fastapi import Query, Response

from podmeter.services.exports.formats import MEDIA_TYPES, SUFFIXES, Format

FormatQuery = Annotated[
    Format, Query(alias="format", description="csv neutralises what a spreadsheet might execute")
]


def _schema(format_: Format) -> dict[str, Any]:
    if format_ is Format.JSON:
        return {"type": "object", "additionalProperties": True}
    return {"type": "string"}


#: For OpenAPI: the answer is a file of one of these types.
RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "content": {
            media_type.partition(";")[0]: {"schema": _schema(format_)}
            for format_, media_type in MEDIA_TYPES.items()
        },
    }
}


def file(text: str, format_: Format, name: str, headers: dict[str, str] | None = None) -> Response:
    """The text as a file called after `name`."""
    attached = disposition(name, SUFFIXES[format_])
    return Response(text, media_type=MEDIA_TYPES[format_], headers={**attached, **(headers or {})})


def disposition(name: str, suffix: str) -> dict[str, str]:
    """The header that has a browser save a file called after `name`."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:80] or "podmeter"
    return {"Content-Disposition": f'attachment; filename="{stem}.{suffix}"'}
