"""Answers that are documents of the core: written as JSON once, not validated a second time."""

from http import HTTPStatus
from typing import Any

from fastapi import Response
from pydantic import TypeAdapter

from podmeter.results.spoken import Language, speaking
from podmeter_api.language import VARY

MEDIA_TYPE = "application/json"


def answer(
    adapter: TypeAdapter[Any],
    document: object,
    language: Language | None = None,
    headers: dict[str, str] | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    """The document as the adapter's type writes it, its sentences in the language."""
    if language is None:
        return Response(adapter.dump_json(document), status, headers, MEDIA_TYPE)
    with speaking(language):
        content = adapter.dump_json(document)
    return Response(content, status, {**(headers or {}), **VARY}, MEDIA_TYPE)
