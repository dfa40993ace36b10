"""What tables and sentences call the sides of a comparison, and its cases."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def side_name(side: dict[str, Any]) -> str:
    """What people call a side: its modes, else its run; what was not measured is marked."""
    name = ", ".join(str(value) for value in side["where"].values()) or str(side["label"])
    if side["reference_id"] is not None:
        return f"{name} (published)"
    return f"{name} (imported)" if side["imported"] else name


def varying_axes(points: Iterable[dict[str, Any]]) -> set[str]:
    """The axes that tell cases from each other."""
    values: dict[str, set[str]] = {}
    for point in points:
        for axis, value in point.items():
            values.setdefault(axis, set()).add(str(value))
    return {axis for axis, seen in values.items() if len(seen) > 1}


def case_name(point: dict[str, Any], axes: set[str]) -> str:
    """A case by its values on these axes; by all of its values where it has none of them."""
    named = {axis: value for axis, value in point.items() if axis in axes} or point
    return ", ".join(f"{axis} {value}" for axis, value in named.items())
