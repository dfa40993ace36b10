"""What a trial takes besides its tool, in a real run of each kind."""

from __future__ import annotations

import shlex

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(site: BenchEnvironment) -> list[Row]:
    return script.rows(
        "worker.bench.overhead",
        *("--kubeconfig", str(site.kubeconfig), "--kubectl", shlex.join(site.kubectl)),
        *(("--quick",) if site.quick else ()),
    )


SECTION = Section("overhead", "overhead", needs_testbed=True, measure=_measure)
