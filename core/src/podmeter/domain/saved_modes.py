"""What stood before a switch, in words for people; components save it as plain data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue


def in_words(saved: Mapping[str, JsonValue]) -> str:
    """Each setting with its value, without braces and quotes; what holds nothing is left out."""
    return ", ".join(f"{name}: {_said(value)}" for name, value in saved.items() if value != {})


def _said(value: JsonValue) -> str:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        # A component's own configuration, which is JSON in its ConfigMap.
        try:
            return _said(json.loads(value))
        except ValueError:
            return value
    if isinstance(value, dict):
        parts = (f"{name} {_said(one)}" for name, one in value.items() if one != {})
        return f"({', '.join(parts)})"
    if isinstance(value, list):
        return ", ".join(_said(one) for one in value)
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) or '""'
