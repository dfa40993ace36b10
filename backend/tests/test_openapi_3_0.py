"""The document of the API in the words of OpenAPI 3.0."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter_api.openapi_3_0 import downgraded

from .everything import DOCUMENT

#: Keywords of 3.1 that a reader of 3.0 takes for nothing, or for a mistake.
ONLY_3_1 = {"const", "patternProperties", "propertyNames", "prefixItems", "examples"}


def schemas_in(node: Any) -> list[dict[str, Any]]:
    """All schemas of a document, those inside of others too."""
    if isinstance(node, list):
        return [found for one in node for found in schemas_in(one)]
    if not isinstance(node, dict):
        return []
    inside = [found for one in node.values() for found in schemas_in(one)]
    return [node, *inside]


def test_every_schema_has_the_words_of_3_0() -> None:
    document = downgraded(DOCUMENT)
    assert document["openapi"] == "3.0.3"
    schemas = schemas_in([document["paths"], document["components"]["schemas"]])
    assert len(schemas) > 3_000
    for schema in schemas:
        if isinstance(schema.get("type"), dict):
            # The property `type` of an object.
            continue
        assert not isinstance(schema.get("type"), list), schema
        assert schema.get("type") != "null", schema
        assert isinstance(schema.get("exclusiveMinimum", True), bool | dict), schema
        assert not any(key in schema and "properties" not in schema for key in ONLY_3_1), schema


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "string", "nullable": True}),
        (
            {"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}], "title": "a"},
            {"allOf": [{"$ref": "#/components/schemas/A"}], "nullable": True, "title": "a"},
        ),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        (
            {"type": ["string", "integer", "null"]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}], "nullable": True},
        ),
        ({"const": "a", "type": "string"}, {"enum": ["a"], "type": "string"}),
        ({"exclusiveMinimum": 0}, {"minimum": 0, "exclusiveMinimum": True}),
        (
            {"patternProperties": {"^a": {"type": "string"}}},
            {"additionalProperties": {"type": "string"}},
        ),
        ({"default": {"profile": "quick"}}, {}),
        ({"properties": {"const": {"const": 1}}}, {"properties": {"const": {"enum": [1]}}}),
    ],
)
def test_each_keyword(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    given = {"info": {}, "paths": {}, "components": {"schemas": {"Given": schema}}}
    assert downgraded(given)["components"]["schemas"]["Given"] == expected


def test_it_is_served_beside_the_other(admin: TestClient) -> None:
    path = "/api/v1/openapi.json"
    assert admin.get(path, params={"version": "3.0"}).json() == downgraded(admin.get(path).json())
    assert admin.get(path, params={"version": "2.0"}).status_code == 422
