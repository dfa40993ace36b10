"""A cluster of objects with kube-proxy, and tests that wait for nothing in vain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter_worker.modes import daemon_set
from podmeter_worker.modes.kube_proxy import cleanup as kube_proxy_cleanup
from podmeter_worker.modes.kube_proxy import effect as kube_proxy_effect

from ..cluster_of_objects import served
from .objects import KubeProxies


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[KubeProxies]:
    with served(KubeProxies, tmp_path) as made:
        made.set_up()
        yield made


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What never comes is not waited for as long as on a real cluster."""
    monkeypatch.setattr(daemon_set, "_SECONDS", 0.0)
    monkeypatch.setattr(kube_proxy_cleanup, "_SECONDS", 0.0)
    monkeypatch.setattr(kube_proxy_effect, "_EFFECTIVE_SECONDS", (0.0, 0.0, 0.0, 0.0))
