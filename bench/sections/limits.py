"""What a logged-in user feels of attacks on the API, and what these cost in memory."""

from __future__ import annotations

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(site: BenchEnvironment) -> list[Row]:
    return script.rows("backend/bench/limits.py", "--seconds", "5" if site.quick else "25")


SECTION = Section("limits", "limits", needs_testbed=False, measure=_measure)
