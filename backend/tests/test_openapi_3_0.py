"""The document of the API in the words of OpenAPI 3.0."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter_api.openapi_3_0 import downgraded

from .everything import DOCUMENT

#: Keywords of 3.1 that a reader of 3.0 takes for nothing, or for a mistake.
ONLY_3_1 = {
    "const",
    "contentSchema",
    "patternProperties",
    "propertyNames",
    "prefixItems",
    "examples",
}


A = {"anyOf": [{"type": "string"}, {"type": "integer"}]}


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
        # Without a type beside it, `nullable` says nothing.
        assert schema.get("nullable") is not True or "type" in schema, schema
        assert schema.get("type") != "number" or schema.get("format") == "double", schema


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "string", "nullable": True}),
        (
            {"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "null"}], "title": "a"},
            {
                "allOf": [{"$ref": "#/components/schemas/A"}],
                "nullable": True,
                "title": "a",
                "type": "string",
            },
        ),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        (
            {"type": ["string", "integer", "null"]},
            {"anyOf": [{"type": "string", "nullable": True}, {"type": "integer"}]},
        ),
        (
            {"anyOf": [{"$ref": "#/components/schemas/A"}, {"type": "number"}, {"type": "null"}]},
            {
                "anyOf": [
                    {
                        "allOf": [{"$ref": "#/components/schemas/A"}],
                        "nullable": True,
                        "type": "string",
                    },
                    {"type": "number", "format": "double"},
                ]
            },
        ),
        (
            {"$ref": "#/components/schemas/A", "default": "a"},
            {"allOf": [{"$ref": "#/components/schemas/A"}], "default": "a"},
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
    given = {"info": {}, "paths": {}, "components": {"schemas": {"Given": schema, "A": A}}}
    assert downgraded(given)["components"]["schemas"]["Given"] == expected


def test_no_schema_is_unused() -> None:
    """Redocly warns of them; generators make dead code of them."""
    for document in (DOCUMENT, downgraded(DOCUMENT)):
        referenced = {
            node["$ref"].rpartition("/")[2]
            for node in schemas_in(document)
            if isinstance(node.get("$ref"), str)
        }
        assert document["components"]["schemas"].keys() - referenced == set()


def test_it_is_served_beside_the_other(admin: TestClient) -> None:
    path = "/api/v1/openapi.json"
    assert admin.get(path, params={"version": "3.0"}).json() == downgraded(admin.get(path).json())
    assert admin.get(path, params={"version": "2.0"}).status_code == 422


def test_every_operation_says_whether_it_needs_a_login() -> None:
    """Without the word a generator, and Redocly, take it for forgotten."""
    operations = {
        operation["operationId"]: operation.get("security")
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
    }
    assert None not in operations.values()
    assert operations["log_in"] == []
    assert operations["list_runs"] == [{"session": [], "csrf": []}, {"token": []}]


def test_every_event_says_its_type() -> None:
    """Else a reader cannot tell which of the alternatives it is."""
    schemas = DOCUMENT["components"]["schemas"]
    events = [one["$ref"].rpartition("/")[2] for one in schemas["RunEvent"]["oneOf"]]
    assert "EndEvent" in events
    assert [name for name in events if "type" not in schemas[name]["required"]] == []
