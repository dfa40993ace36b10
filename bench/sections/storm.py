"""Hostile API servers beside one honest cluster."""

from __future__ import annotations

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(site: BenchEnvironment) -> list[Row]:
    return script.rows("bench.storm", "--minutes", "1" if site.quick else "10")


SECTION = Section("storm", "storm", needs_testbed=False, measure=_measure)
