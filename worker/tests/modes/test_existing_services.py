"""With Services of Podmeter's standing, a mode is given longer to be in effect."""

from __future__ import annotations

from typing import Any

import pytest

from podmeter_worker.modes import control, switch_record
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.switcher import SwitchContext


class _Client:
    """A cluster of so many Services."""

    def __init__(self, services: int) -> None:
        self.services = services

    def count(self, path: str) -> int:
        assert path == "/api/v1/namespaces/podmeter/services"
        return self.services


class _Switcher:
    """Records the number of Services that it is given."""

    component = "kube-proxy"
    supports_per_node = False

    def __init__(self) -> None:
        self.told: list[int] = []

    def configurations(self, client: Any) -> tuple[str, ...]:
        return ("/of/kube-proxy",)

    def switch(self, context: SwitchContext, value: str) -> bool:
        self.told.append(context.added)
        return True

    def restore(self, context: SwitchContext, saved: Any) -> None:
        self.told.append(context.added)


@pytest.fixture
def switcher(monkeypatch: pytest.MonkeyPatch) -> _Switcher:
    made = _Switcher()
    monkeypatch.setattr(control, "switcher_for", lambda context, axis: made)
    monkeypatch.setattr(control, "by_component", lambda component: made)
    for what in ("claim", "forget"):
        monkeypatch.setattr(switch_record, what, lambda *given: None)
    return made


def test_what_stands_is_told_by_the_cluster_where_no_caller_knows(switcher: _Switcher) -> None:
    client: Any = _Client(5000)
    modes = SwitcherModeControl(SwitchContext(client, {}, lambda: None, lambda step: None))
    modes.switch("kube_proxy_mode", "ipvs")
    modes.switch("kube_proxy_mode", "ipvs", 6000)
    modes.restore("kube_proxy_mode", {"component": "kube-proxy", "saved": {}})
    assert switcher.told == [5000, 6000, 5000]
