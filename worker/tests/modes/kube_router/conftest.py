"""A cluster of objects with kube-router, and tests that wait for nothing in vain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter_worker.modes import daemon_set, pod_renewal
from podmeter_worker.modes.kube_router import switcher as kube_router_overlay

from ..cluster_of_objects import served
from .objects import KubeRouter


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[KubeRouter]:
    with served(KubeRouter, tmp_path) as made:
        made.set_up()
        yield made


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What never comes is not waited for as long as on a real cluster."""
    for name in ("_ROLL_SECONDS", "_EFFECTIVE_SECONDS", "_MTU_SECONDS"):
        monkeypatch.setattr(kube_router_overlay, name, 0.0)
    monkeypatch.setattr(kube_router_overlay, "_RESTART_SECONDS", 2.0)
    monkeypatch.setattr(daemon_set, "_SECONDS", 0.0)
    monkeypatch.setattr(pod_renewal, "_SECONDS", 5.0)
