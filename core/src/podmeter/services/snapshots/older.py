"""Snapshots of older forms: what they say in the shape of today, every figure as it was."""

from typing import Any

_LEVELS = ("within", "blocks", "runs")


def with_floor_rows(content: dict[str, Any]) -> dict[str, Any]:
    """Form 2: a noise floor's deviations are rows, one a level; before, one record had all three.

    Raises KeyError, TypeError where it is no such document.
    """
    cluster = content.get("cluster")
    if cluster is None:
        return content
    floors = [
        {**floor, "figures": [row for one in floor["figures"] for row in _rows(one)]}
        for floor in cluster["noise_floor"]
    ]
    return {**content, "cluster": {**cluster, "noise_floor": floors}}


def _rows(figure: dict[str, Any]) -> list[dict[str, Any]]:
    shared = {name: figure[name] for name in ("metric", "subject", "point")}
    return [
        {
            "key": {
                **shared,
                "unit": "ratio" if one["relative"] else figure["unit"],
                "direction": "none",
            },
            "value": one["deviation"],
            "low": one["low"],
            "high": one["high"],
            "n": one["n"],
            "verdict": None,
            "code": level,
        }
        for level in _LEVELS
        if (one := figure[level]) is not None
    ]
