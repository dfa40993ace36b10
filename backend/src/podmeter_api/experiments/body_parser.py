"""The body of a request that is an experiment's document: YAML or JSON, by Content-Type."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool

from podmeter.domain.messages import say
from podmeter.services.experiments.document import parse_json, parse_yaml
from podmeter_api.callers import caller_of
from podmeter_api.errors import HttpProblemError
from podmeter_api.lanes import lanes_of
from podmeter_api.problems import Fault

_PARSERS = {
    "application/json": parse_json,
    "application/yaml": parse_yaml,
    "application/x-yaml": parse_yaml,
    "text/yaml": parse_yaml,
}
_SPEC = {"$ref": "#/components/schemas/Spec"}
#: Clients send YAML as text: generators know how to write JSON alone.
_YAML = {
    "type": "string",
    "format": "binary",
    "description": "YAML of the schema `Spec`",
    "contentSchema": _SPEC,
}
#: For OpenAPI: the body is read here and not by FastAPI, which knows JSON alone.
DOCUMENT_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": _SPEC}, "application/yaml": {"schema": _YAML}},
    }
}


async def get_document(request: Request) -> object:
    """The document, of plain types and not validated yet. Raises InvalidSpecError."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    parser = _PARSERS.get(media_type)
    if parser is None:
        raise HttpProblemError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            say("media_type_asked"),
            Fault.at(say("media_type_not_taken", type=media_type or "none"), header="Content-Type"),
        )
    # Parse in a thread: 64 KiB take 0.1 s, which would block all other requests on the event loop.
    body = await request.body()
    async with lanes_of(request).parsing.place(caller_of(request)):
        return await run_in_threadpool(parser, body)


Document = Annotated[object, Depends(get_document)]
