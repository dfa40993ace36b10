"""The OpenAPI document in the words of 3.0, for generators that do not read 3.1 yet.

It describes the same API with fewer words: patterns of keys and the shapes of tuples are left out,
and defaults that are objects, of which generators of Go make no code. Numbers are doubles: without
a format generators of Go take 32 bits, which are too few for a rate in bit/s.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

#: Keywords of JSON Schema 2020-12 that 3.0 does not have and clients do without.
_UNKNOWN = frozenset(
    {
        "patternProperties",
        "propertyNames",
        "prefixItems",
        "contentMediaType",
        "contentEncoding",
        "contentSchema",
    }
)


def downgraded(document: dict[str, Any]) -> dict[str, Any]:
    """The document as OpenAPI 3.0.3. The one given is not changed."""
    components = {
        name: {key: _schema(one) for key, one in entries.items()}
        if name == "schemas"
        else _rest(entries)
        for name, entries in document["components"].items()
    }
    info = {key: value for key, value in document["info"].items() if key != "summary"}
    paths = _rest(document["paths"])
    made = {**document, "openapi": "3.0.3", "info": info, "paths": paths, "components": components}
    _type_nullable(made, components["schemas"])
    _drop_schemas_of_left_out_keywords(document, made)
    return made


def _drop_schemas_of_left_out_keywords(document: dict[str, Any], made: dict[str, Any]) -> None:
    """In place: `contentSchema` alone names the schema of events; unused schemas are dead code."""
    schemas, used_before = made["components"]["schemas"], {*_references(document)}
    while unused := used_before & schemas.keys() - {*_references(made)}:
        for name in unused:
            del schemas[name]


def _references(node: Any) -> Iterator[str]:
    """The names of the schemas that are referred to."""
    if isinstance(node, list):
        for one in node:
            yield from _references(one)
    elif isinstance(node, dict):
        if isinstance(reference := node.get("$ref"), str):
            yield reference.rpartition("/")[2]
        for one in node.values():
            yield from _references(one)


def _rest(node: Any) -> Any:
    """What is no schema, with the schemas in it."""
    if isinstance(node, list):
        return [_rest(one) for one in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _schema(value) if key == "schema" else _rest(value)
        for key, value in node.items()
        # Extensions of ours may hold anything.
        if not key.startswith("x-")
    }


def _schema(schema: Any) -> Any:
    """One schema, with those inside of it."""
    if not isinstance(schema, dict):
        # `additionalProperties: true`
        return schema
    converted = {key: value for key, value in schema.items() if key not in _UNKNOWN}
    if patterns := schema.get("patternProperties"):
        converted["additionalProperties"] = next(iter(patterns.values()))
    if "prefixItems" in schema:
        converted["items"] = {}
    if "const" in converted:
        converted["enum"] = [converted.pop("const")]
    if isinstance(converted.get("default"), dict):
        del converted["default"]
    if examples := converted.pop("examples", None):
        converted["example"] = examples[0]
    for limit in ("Minimum", "Maximum"):
        if f"exclusive{limit}" in converted:
            converted[limit.lower()] = converted[f"exclusive{limit}"]
            converted[f"exclusive{limit}"] = True
    if converted.get("type") == "number":
        converted.setdefault("format", "double")
    if "$ref" in converted and len(converted) > 1:
        # In 3.0 a reference has nothing beside it.
        converted["allOf"] = [{"$ref": converted.pop("$ref")}]
    _one_type(converted)
    if "properties" in converted:
        converted["properties"] = {
            name: _schema(one) for name, one in converted["properties"].items()
        }
    for key in ("items", "additionalProperties", "not"):
        if key in converted:
            converted[key] = _schema(converted[key])
    return _without_null(converted)


def _one_type(schema: dict[str, Any]) -> None:
    """A list of types becomes alternatives; `null` among them is said by `nullable`."""
    types = schema.get("type")
    if not isinstance(types, list):
        return
    del schema["type"]
    alternatives = [_schema({"type": one}) for one in types]
    schema["anyOf"] = alternatives


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Alternatives of which one is null are the others, which may be null."""
    for key in ("anyOf", "oneOf", "allOf"):
        if key not in schema:
            continue
        alternatives = [_schema(one) for one in schema.pop(key)]
        others = [one for one in alternatives if one.get("type") != "null"]
        if len(others) < len(alternatives):
            schema["nullable"] = True
        if len(others) == 1 and "$ref" not in others[0]:
            schema = {**others[0], **schema}
        elif len(others) == 1:
            schema["allOf"] = others
        else:
            schema[key] = others
    return schema


def _type_nullable(node: Any, schemas: dict[str, Any]) -> None:
    """In 3.0 `nullable` says nothing without a type beside it: give it one, in place."""
    if isinstance(node, list):
        for one in node:
            _type_nullable(one, schemas)
        return
    if not isinstance(node, dict):
        return
    for one in node.values():
        _type_nullable(one, schemas)
    if node.get("nullable") is not True or "type" in node:
        return
    if "allOf" in node:
        node["type"] = _type_of(node, schemas)
        return
    (key,) = {"anyOf", "oneOf"} & node.keys()
    del node["nullable"]
    first, *others = node[key]
    if "$ref" in first:
        first = {"allOf": [first], "type": _type_of(first, schemas)}
    node[key] = [{**first, "nullable": True}, *others]


def _type_of(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """The type that a schema, or what it refers to, has."""
    if "$ref" in schema:
        return _type_of(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "type" in schema:
        return str(schema["type"])
    (first, *_) = (schema[key][0] for key in ("allOf", "anyOf", "oneOf") if key in schema)
    return _type_of(first, schemas)
