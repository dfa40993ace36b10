"""How often verdicts are wrong, and which effects they find, by simulation."""

from __future__ import annotations

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(site: BenchEnvironment) -> list[Row]:
    runs = ("--runs", "100") if site.quick else ()
    return [
        *script.rows("core.bench.decisions", *runs),
        *script.rows("core.bench.rotations", *runs),
        *script.rows("core.bench.calibration", *runs),
    ]


SECTION = Section("calibration", "calibration", needs_testbed=False, measure=_measure)
