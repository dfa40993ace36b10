"""How fast the API answers with a million measurements stored, and finds things among many runs."""

from __future__ import annotations

from typing import Any

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(site: BenchEnvironment) -> list[Row]:
    arguments = ("--runs", "20", "--requests", "40", "--rounds", "1") if site.quick else ()
    found = script.figures("backend/bench/api_speed.py", *arguments)
    few = ("--runs", "200", "--requests", "40", "--rounds", "1") if site.quick else ()
    found += script.figures("backend/bench/search_speed.py", *few)
    return [
        Row(
            what=f"p95 of {one['what']}, {one['when']}",
            value=one["p95_ms"],
            unit="ms",
            bar=one["bar_ms"],
            note=_note(one),
        )
        for one in found
    ]


def _note(one: dict[str, Any]) -> str:
    told = [f"p50 {one['p50_ms']:g} ms", f"n = {one['requests']}"]
    if one["api_cpu_ms"] is not None:
        told.insert(1, f"{one['api_cpu_ms']:g} ms CPU of the API")
    return ", ".join(told) + f"; rounds, p95 (loop) in ms: {one['rounds']}"


SECTION = Section("api", "API", needs_testbed=False, measure=_measure)
