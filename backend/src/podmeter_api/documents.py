"""Answers that are documents of the core: written as JSON once, not validated a second time."""

from http import HTTPStatus
from typing import Any

from fastapi import Response
from pydantic import TypeAdapter

MEDIA_TYPE = "application/json"


def answer(
    adapter: TypeAdapter[Any],
    document: object,
    headers: dict[str, str] | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    """The document as the adapter's type writes it."""
    return Response(adapter.dump_json(document), status, headers, MEDIA_TYPE)
