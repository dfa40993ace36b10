"""A cluster of objects with Calico, and tests that wait for nothing in vain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ...kube.object_server import served
from .conformance import IMPATIENT
from .objects import Calico


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Calico]:
    with served(Calico, tmp_path) as made:
        made.set_up()
        yield made


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What never comes is not waited for as long as on a real cluster."""
    for where, seconds in IMPATIENT.items():
        monkeypatch.setattr(where, seconds)
