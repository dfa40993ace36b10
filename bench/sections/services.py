"""Creating Services against the barest loop."""

from __future__ import annotations

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(site: BenchEnvironment) -> list[Row]:
    return script.rows(
        "worker/bench/services.py",
        *("--kubeconfig", str(site.kubeconfig)),
        *(("--counts", "250", "--rounds", "1") if site.quick else ("--counts", "2000,5000")),
    )


SECTION = Section("services", "Services", needs_testbed=True, measure=_measure)
