"""YAML's core schema (YAML 1.2, 10.3), as the server and the editor in the browser read it.

PyYAML alone reads YAML 1.1, in which `off` is false and `1:30` is ninety, and of a key that is
there twice it silently takes the last.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

_PREFIX = "tag:yaml.org,2002:"
_OF_YAML_1_1 = {_PREFIX + name for name in ("bool", "int", "float", "timestamp", "merge", "value")}


class CoreLoader(yaml.SafeLoader):
    """Reads text, numbers, true, false and null. Raises YAMLError."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """The mapping; an error where a key is there twice."""
        lines: dict[str, int] = {}
        for key, _ in node.value:
            name, line = str(key.value), key.start_mark.line + 1
            if name in lines:
                text = f"{name!r} is defined twice, on lines {lines[name]} and {line}"
                raise yaml.constructor.ConstructorError(None, None, text, key.start_mark)
            lines[name] = line
        return super().construct_mapping(node, deep)


def _whole(loader: CoreLoader, node: yaml.ScalarNode) -> int:
    text = str(loader.construct_scalar(node))
    return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))


CoreLoader.yaml_implicit_resolvers = {
    first: [one for one in resolvers if one[0] not in _OF_YAML_1_1]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _name, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?",
        "-+.0123456789",
    ),
):
    CoreLoader.add_implicit_resolver(
        _PREFIX + _name, re.compile(rf"(?:{_pattern})\Z"), list(_first)
    )
CoreLoader.add_constructor(_PREFIX + "int", _whole)
