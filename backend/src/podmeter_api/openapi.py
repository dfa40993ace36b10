"""The API's contract: one error shape, stable operation names, the same text every time."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from podmeter.domain.experiment import KIND_FORMAT
from podmeter.experiments.registry import KINDS
from podmeter_api.experiments.schemas import spec_schema
from podmeter_api.problems import Problem

VERSION = "0.1.0"


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
        routes=app.routes,
        separate_input_output_schemas=False,
    )
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas = found.setdefault("components", {}).setdefault("schemas", {})
    schemas |= schema.pop("$defs", {})
    schemas["Problem"] = schema
    spec = spec_schema()
    schemas |= spec.pop("$defs", {})
    schemas["Spec"] = spec
    found = {key: _with_kinds(value) for key, value in found.items()}
    found["components"]["schemas"]["KindName"] = {
        "title": "KindName",
        "type": "string",
        "enum": sorted(KINDS),
        "description": "The kinds of experiment that this version runs.",
    }
    for operations in found["paths"].values():
        for operation in operations.values():
            _one_alternative(operation)
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


def _one_alternative(operation: dict[str, Any]) -> None:
    """A session or a token: FastAPI lists each scheme as if one of the three were enough."""
    if operation.get("security"):
        operation["security"] = [{"session": [], "csrf": []}, {"token": []}]
