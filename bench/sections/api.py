"""How fast the API answers with a million measurements stored."""

from __future__ import annotations

from bench import script
from bench.row import Row, Section, Site

_BAR_MS = 100.0


def _measure(site: Site) -> list[Row]:
    arguments = ("--runs", "20", "--requests", "40") if site.quick else ()
    found = script.figures("backend/bench/api_speed.py", *arguments)
    return [
        Row(
            what=f"p95 of {one['what']}, {one['when']}",
            value=one["p95_ms"],
            unit="ms",
            bar=_BAR_MS,
            note=f"p50 {one['p50_ms']:g} ms, {one['api_cpu_ms']:g} ms CPU of the API, "
            f"n = {one['requests']}",
        )
        for one in found
    ]


SECTION = Section("api", "API", needs_testbed=False, measure=_measure)
