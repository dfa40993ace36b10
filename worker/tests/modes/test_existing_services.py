"""With Services of Podmeter's standing, a mode is given longer to be in effect."""

from __future__ import annotations

from typing import Any

import pytest

from podmeter_worker.modes import control, switch_record
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.switcher import SwitchContext


class _Client:
    """A cluster of so many Services of Podmeter's, each with so many ports, and 7 others."""

    def __init__(self, services: int, ports: int = 1) -> None:
        self.services, self.ports = services, ports

    def count(self, path: str) -> int:
        return self.services + (7 if path == "/api/v1/services" else 0)

    def get(self, path: str, query: dict[str, str]) -> Any:
        assert path == "/api/v1/namespaces/podmeter/services"
        count = min(self.services, int(query["limit"]))
        return {"items": [{"spec": {"ports": [{}] * self.ports}}] * count}


class _Switcher:
    """Records the number of Services that it is given."""

    component = "kube-proxy"
    supports_per_node = False

    def __init__(self) -> None:
        self.told: list[int] = []

    def configurations(self, client: Any) -> tuple[str, ...]:
        return ("/of/kube-proxy",)

    def switch(self, context: SwitchContext, value: str) -> bool:
        self.told.append(context.service_ports)
        return True

    def observe(self, context: SwitchContext) -> str:
        self.told.append(context.service_ports)
        return "ipvs"

    def assign(self, context: SwitchContext, values: Any) -> bool:
        self.told.append(context.service_ports)
        return True

    def restore(self, context: SwitchContext, saved: Any) -> None:
        self.told.append(context.service_ports)


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
    assert switcher.told == [5007, 6000, 5007]


def test_ports_count_since_each_has_rules(switcher: _Switcher) -> None:
    """A look at the mode reads them, and so is given as long as a switch."""
    client: Any = _Client(300, ports=100)
    modes = SwitcherModeControl(SwitchContext(client, {}, lambda: None, lambda step: None))
    modes.observe("kube_proxy_mode")
    modes.observe("kube_proxy_mode", "n1")
    modes.assign("kube_proxy_mode", {"n1": "ipvs"})
    modes.switch("kube_proxy_mode", "ipvs")
    assert switcher.told == [30_007] * 4


def test_a_cluster_with_no_services_of_podmeters(switcher: _Switcher) -> None:
    client: Any = _Client(0)
    modes = SwitcherModeControl(SwitchContext(client, {}, lambda: None, lambda step: None))
    modes.observe("kube_proxy_mode")
    assert switcher.told == [7]
