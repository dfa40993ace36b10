"""The API's contract: one error shape, stable operation names, the same text every time."""

from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import RouteContext, iter_route_contexts

from podmeter.domain.experiment import KIND_FORMAT
from podmeter.domain.messages import messages
from podmeter.kinds.registry import names
from podmeter_api.experiments.body_parser import get_document
from podmeter_api.experiments.schemas import spec_schema
from podmeter_api.problems import MEANING, MEDIA_TYPE, Problem
from podmeter_api.runs.event_schemas import event_schema
from podmeter_api.security import get_principal
from podmeter_api.versions import get_if_match, get_precondition


def install(app: FastAPI) -> None:
    """Make the application give our document."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        license_info=app.license_info,
        # Wherever the document was read.
        servers=[{"url": "/"}],
        routes=app.routes,
        separate_input_output_schemas=False,
    )
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas = found.setdefault("components", {}).setdefault("schemas", {})
    schemas |= schema.pop("$defs", {})
    schemas["Problem"] = schema
    for name, own in (("Spec", spec_schema()), ("RunEvent", event_schema())):
        schemas |= own.pop("$defs", {})
        schemas[name] = own
    found["components"]["responses"] = {_name(status): _problem(status) for status in MEANING}
    found["components"]["x-messages"] = dict(messages())
    found = {key: _with_kinds(value) for key, value in found.items()}
    found["components"]["schemas"]["KindName"] = {
        "title": "KindName",
        "type": "string",
        "enum": sorted(names()),
        "description": "The kinds that runs may be of; no experiment is of `import`.",
    }
    for route in iter_route_contexts(app.routes):
        operations = found["paths"].get(route.path_format, {})
        for method in route.methods or ():
            if operation := operations.get(method.lower()):
                _one_alternative(operation)
                _problems(operation, {*_follows(route, method)})
                if get_if_match in _calls(route.dependant):
                    _needs_version(operation)
    return found


def _with_kinds(found: Any) -> Any:
    """The document, with every name of a kind held to those that are registered."""
    if isinstance(found, list):
        return [_with_kinds(one) for one in found]
    if not isinstance(found, dict):
        return found
    if found.get("format") == KIND_FORMAT:
        return {"$ref": "#/components/schemas/KindName"}
    return {key: _with_kinds(value) for key, value in found.items()}


def _follows(route: RouteContext, method: str) -> Iterator[int]:
    """The problems that an operation can answer because of what it takes and depends on."""
    calls = {*_calls(route.dependant)}
    changes = method not in ("GET", "HEAD")
    if get_principal in calls:
        # Whatever it is: a token that is held to something may not reach it.
        yield from (401, 403, 409)
    if calls & {get_if_match, get_precondition}:
        yield from (412, 428)
    if get_document in calls:
        yield from (400, 415)
    if changes:
        yield 413
    if route.body_field is not None:
        yield 400
    if "{" in (route.path_format or ""):
        yield 404


def _calls(dependant: Dependant) -> Iterator[Callable[..., Any] | None]:
    yield dependant.call
    for one in dependant.dependencies:
        yield from _calls(one)


def _problems(operation: dict[str, Any], following: set[int]) -> None:
    """All an operation's problems as references to the one shape, in the order of their status."""
    responses = operation["responses"]
    declared = {int(status) for status in responses}
    problems = {status for status in declared if status in MEANING} | following
    operation["responses"] = {
        str(status): (
            {"$ref": f"#/components/responses/{_name(status)}"}
            if status in problems
            else responses[str(status)]
        )
        for status in sorted(declared | following)
    }


def _needs_version(operation: dict[str, Any]) -> None:
    """If-Match is missed with 428, which FastAPI knows nothing of."""
    for parameter in operation.get("parameters", ()):
        if parameter["name"] == "if-match":
            parameter["required"] = True
            parameter["schema"] = {"type": "string"}


def _name(status: int) -> str:
    return HTTPStatus(status).phrase.title().replace(" ", "").replace("-", "")


def _problem(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": MEANING[status], "content": {MEDIA_TYPE: {"schema": schema}}}


def _one_alternative(operation: dict[str, Any]) -> None:
    """A session or a token: FastAPI lists each scheme as if one of the three were enough.

    An operation that needs neither says so.
    """
    needed = bool(operation.get("security"))
    operation["security"] = [{"session": [], "csrf": []}, {"token": []}] if needed else []
