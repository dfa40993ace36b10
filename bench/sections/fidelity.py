"""Podmeter's trials against the same command by hand."""

from __future__ import annotations

import shlex

from bench import script
from bench.row import BenchEnvironment, Row, Section


def _measure(site: BenchEnvironment) -> list[Row]:
    return script.rows(
        "worker/bench/fidelity.py",
        *("--kubeconfig", str(site.kubeconfig), "--kubectl", shlex.join(site.kubectl)),
        *(
            ("--pairs", "3", "--short-pairs", "10", "--seconds", "1")
            if site.quick
            else ("--pairs", "20", "--short-pairs", "200")
        ),
    )


SECTION = Section("fidelity", "fidelity", needs_testbed=True, measure=_measure)
