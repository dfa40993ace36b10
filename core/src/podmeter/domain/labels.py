"""How everything that Podmeter puts into a cluster can be recognised, and removed again."""

from __future__ import annotations

MANAGED_BY = {"app.kubernetes.io/managed-by": "podmeter"}
RUN = "podmeter.io/run"


def of_run(run_label: str) -> dict[str, str]:
    """The labels of an object that a run made."""
    return {**MANAGED_BY, RUN: run_label}


def selector(run_label: str) -> str:
    """Selects everything that a run made."""
    return f"{RUN}={run_label}"
