"""Parsers against mutated answers of their tools."""

from __future__ import annotations

from core.bench import parsers

from bench.row import BenchEnvironment, Row, Section


def _measure(site: BenchEnvironment) -> list[Row]:
    return [Row(**row) for row in parsers.rows(mutations=1_000 if site.quick else 100_000)]


SECTION = Section("parsers", "parsers", needs_testbed=False, measure=_measure)
