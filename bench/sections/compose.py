"""Memory and start-up of the stack in containers, beside `podmeter-admin up`'s."""

from __future__ import annotations

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(_: BenchEnvironment) -> list[Row]:
    engine = (script.command("podmeter-testbed"), "engine")
    return script.rows("bench.compose_figures", through=engine)


SECTION = Section("compose", "compose", needs_testbed=False, measure=_measure)
