"""YAML's core schema (YAML 1.2, 10.3), as the form's editor reads it: text, numbers, true, null.

PyYAML alone reads YAML 1.1, in which `on` is true, `1:30` is ninety, dates are objects, and a
number of any length is computed. Tags of other types are refused.
"""

import math
import re
from typing import Any

import yaml

#: No parameter, axis or figure has more digits; to compute a number of 200,000 takes seconds.
MOST_DIGITS = 40
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # several times as fast in C
_PREFIX = "tag:yaml.org,2002:"


class CoreLoader(_BASE):  # type: ignore[misc]
    """Reads the core schema and nothing else. Raises YAMLError."""

    yaml_implicit_resolvers: dict[str | None, Any] = {}  # noqa: RUF012 (PyYAML's own shape)
    yaml_constructors: dict[str | None, Any] = {}  # noqa: RUF012


def whole(text: str) -> int:
    """A whole number in base 10, 8 (0o) or 16 (0x). Raises ValueError for a long one."""
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    bases = {"0o": 8, "0x": 16}
    return int(text, bases.get(text[:2], 10))


def fraction(text: str) -> float:
    """A finite number. Raises ValueError for one too long or too large."""
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    found = float(text)
    if not math.isfinite(found):
        raise ValueError(f"{text} is too large a number")
    return found


def _refused(_: object, node: yaml.Node) -> object:
    raise yaml.constructor.ConstructorError(
        None, None, f"the tag {node.tag!r} is not taken", node.start_mark
    )


def _scalar(tag: str, pattern: str, first: str, read: Any) -> None:
    CoreLoader.add_implicit_resolver(_PREFIX + tag, re.compile(rf"(?:{pattern})\Z"), list(first))

    def construct(loader: Any, node: yaml.ScalarNode) -> object:
        try:
            return read(loader.construct_scalar(node))
        except ValueError as error:
            raise yaml.constructor.ConstructorError(
                None, None, str(error), node.start_mark
            ) from error

    CoreLoader.add_constructor(_PREFIX + tag, construct)


_scalar("null", r"~|null|Null|NULL", "~nN", lambda _: None)
CoreLoader.add_implicit_resolver(_PREFIX + "null", re.compile(r"\Z"), [""])
_scalar("bool", "true|True|TRUE|false|False|FALSE", "tTfF", lambda text: text.lower() == "true")
_scalar("int", "[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789", whole)
_scalar(
    "float",
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?",
    "-+.0123456789",
    fraction,
)
CoreLoader.add_constructor(_PREFIX + "str", _BASE.construct_yaml_str)
CoreLoader.add_constructor(_PREFIX + "seq", _BASE.construct_yaml_seq)
CoreLoader.add_constructor(_PREFIX + "map", _BASE.construct_yaml_map)
CoreLoader.add_constructor(None, _refused)
