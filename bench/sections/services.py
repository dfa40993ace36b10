"""Creating Services against the barest loop."""

from __future__ import annotations

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(site: BenchEnvironment) -> list[Row]:
    return script.rows(
        "worker/bench/services.py",
        *("--kubeconfig", str(site.kubeconfig)),
        *("--counts", "500,1000" if site.quick else "5000,30000"),
    )


SECTION = Section("services", "Services", needs_testbed=True, measure=_measure)
