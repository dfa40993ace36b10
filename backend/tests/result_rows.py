"""Reads rows of analyses as the API gives them."""

from collections.abc import Iterable, Iterator
from typing import Any

Rows = dict[str, Any]


def groups(rows: Iterable[Any]) -> Iterator[Rows]:
    """The rows of each effect, loss or pair of curves by code and side; they stand together."""
    found: Rows = {}
    for row in rows:
        name = f"{row['code']} {row['parameters'].get('side', '')}".rstrip()
        if name in found:
            yield found
            found = {}
        found[name] = row
    if found:
        yield found


def effects_of(rows: Iterable[Any]) -> list[Rows]:
    """Each effect: its verdict, the parameters of that row, and its rows by code and side."""
    return [
        {
            "metric": found["ratio"]["key"]["metric"],
            "verdict": found["ratio"]["verdict"],
            **found["ratio"]["parameters"],
            **found,
        }
        for found in groups(rows)
    ]


def every_effect(contender: dict[str, Any]) -> list[Rows]:
    """The effects of all pairs of a contender."""
    return [effect for pair in contender["pairs"] for effect in effects_of(pair["effects"])]


def summaries_of(report: dict[str, Any]) -> list[Rows]:
    """Each summary of a run: its key, the parameters of its median, and both of its rows."""
    return [
        {**found["median"]["key"], **found["median"]["parameters"], **found}
        for found in groups(report["summaries"])
    ]
