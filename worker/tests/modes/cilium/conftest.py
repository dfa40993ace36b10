"""A cluster of objects with Cilium, and tests that wait for nothing in vain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter_worker.modes import pod_renewal
from podmeter_worker.modes.cilium import switcher as cilium_routing

from ..cluster_of_objects import served
from .objects import Cilium


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cilium]:
    with served(Cilium, tmp_path) as made:
        made.set_up()
        yield made


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What never comes is not waited for as long as on a real cluster."""
    for name in ("_ROLL_SECONDS", "_EFFECTIVE_SECONDS"):
        monkeypatch.setattr(cilium_routing, name, 0.0)
    monkeypatch.setattr(cilium_routing, "_RESTART_SECONDS", 2.0)
    monkeypatch.setattr(pod_renewal, "_SECONDS", 5.0)
