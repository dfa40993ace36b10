"""The API's document as a page to read: no scripts, nothing fetched from anywhere else."""

import json
from collections.abc import Iterator
from typing import Any

from podmeter_api.public.markup import Html, element, fragment, raw_style, table
from podmeter_api.public.style import CSS

_SCHEMAS = "#/components/schemas/"
Object = dict[str, Any]


def render(document: Object) -> str:
    """The whole page of an OpenAPI document."""
    info = document["info"]
    by_tag: dict[str, list[Html]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            (tag, *_) = operation.get("tags") or ["other"]
            by_tag.setdefault(tag, []).append(_operation(method, path, operation))
    title = f"The API of {info['title']} {info['version']}"
    body = element(
        "main",
        element("h1", title),
        element("p", info.get("summary", "")),
        element("p", "As a file: ", element("a", "openapi.json", href="/api/v1/openapi.json"), "."),
        [
            element("section", element("h2", tag.capitalize()), operations)
            for tag, operations in by_tag.items()
        ],
        element(
            "section",
            element("h2", "Shapes"),
            [_shape(name, one) for name, one in document["components"]["schemas"].items()],
        ),
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        raw_style(CSS),
    )
    return f"<!doctype html>{element('html', head, element('body', body), lang='en')}"


def _operation(method: str, path: str, operation: Object) -> Html:
    return element(
        "article",
        element("h3", element("code", f"{method.upper()} {path}")),
        element("p", operation.get("description", "")),
        _parameters(operation.get("parameters", [])),
        [
            element("p", f"Body, {media_type}: ", _links(content.get("schema", {})))
            for media_type, content in operation.get("requestBody", {}).get("content", {}).items()
        ],
        element(
            "ul",
            [_answer(status, answer) for status, answer in operation["responses"].items()],
        ),
        id=operation["operationId"],
    )


def _parameters(parameters: list[Object]) -> Html:
    rows = [
        (
            element("code", one["name"]),
            one["in"] + (", needed" if one.get("required") else ""),
            element("code", _brief(one["schema"])),
            one.get("description", ""),
        )
        for one in parameters
    ]
    header = ("name", "where", "what", "meaning")
    return table("Parameters", header, rows) if rows else fragment()


def _answer(status: str, answer: Object) -> Html:
    if "$ref" in answer:
        return element("li", f"{status}: ", element("a", "a problem", href="#schema-Problem"))
    contents = [
        fragment(f" {media_type} ", _links(content.get("schema", {})))
        for media_type, content in answer.get("content", {}).items()
    ]
    return element("li", f"{status}: {answer['description']}", contents)


def _links(schema: Object) -> list[Html]:
    """The shapes that a schema names."""
    names = list(dict.fromkeys(_names(schema)))
    return [fragment(" ", element("a", name, href=f"#schema-{name}")) for name in names]


def _names(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for one in schema:
            yield from _names(one)
    elif isinstance(schema, dict):
        found = schema.get("$ref")
        if isinstance(found, str) and found.startswith(_SCHEMAS):
            yield found.removeprefix(_SCHEMAS)
        for one in schema.values():
            yield from _names(one)


def _brief(schema: Object) -> str:
    names = list(_names(schema))
    kinds = [one.get("type", "") for one in schema.get("anyOf", [schema])]
    told = ", ".join(dict.fromkeys([*filter(None, kinds), *names]))
    return told if "default" not in schema else f"{told} = {json.dumps(schema['default'])}"


def _shape(name: str, schema: Object) -> Html:
    text = json.dumps(schema, indent=2, ensure_ascii=False)
    return element(
        "details",
        element("summary", element("code", name)),
        element("p", "Of it: ", _links(schema)) if _links(schema) else "",
        element("pre", text),
        id=f"schema-{name}",
    )
