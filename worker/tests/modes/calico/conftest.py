"""A cluster of objects with Calico, and tests that wait for nothing in vain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter_worker.modes.calico import switcher as calico_ippool

from ..cluster_of_objects import served
from .objects import Calico


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Calico]:
    with served(Calico, tmp_path) as made:
        made.set_up()
        yield made


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What never comes is not waited for as long as on a real cluster."""
    for name in ("_FOLLOW_SECONDS", "_ROLL_SECONDS", "_EFFECTIVE_SECONDS"):
        monkeypatch.setattr(calico_ippool, name, 0.0)
    monkeypatch.setattr(calico_ippool, "_MTU_SECONDS", 0.0)
