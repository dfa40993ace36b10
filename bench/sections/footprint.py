"""Memory of the idle stack."""

from __future__ import annotations

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(_: BenchEnvironment) -> list[Row]:
    return script.rows("core.bench.footprint")


SECTION = Section("footprint", "footprint", needs_testbed=False, measure=_measure)
