"""The API's contract: one error shape, stable operation names, the same text every time."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from podmeter.domain.messages import CATALOG
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
    found["components"]["x-messages"] = CATALOG
    for operations in found["paths"].values():
        for operation in operations.values():
            _one_alternative(operation)
    return found


def _one_alternative(operation: dict[str, Any]) -> None:
    """A session or a token: FastAPI lists each scheme as if one of the three were enough."""
    if operation.get("security"):
        operation["security"] = [{"session": [], "csrf": []}, {"token": []}]
