"""Generated requests against the API as it is served: none breaks it, none takes long."""

from __future__ import annotations

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(site: BenchEnvironment) -> list[Row]:
    few = ("--requests", "500", "--streams", "30")
    return script.rows("backend/bench/fuzz.py", *(few if site.quick else ()))


SECTION = Section("fuzz", "generated requests", needs_testbed=False, measure=_measure)
