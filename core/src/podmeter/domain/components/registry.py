"""Every component that can be switched. A new one is one line in `_REGISTERED`."""

from __future__ import annotations

from podmeter.domain.components.calico import CALICO
from podmeter.domain.components.cilium import CILIUM
from podmeter.domain.components.component import Component
from podmeter.domain.components.flannel import FLANNEL
from podmeter.domain.components.kube_proxy import KUBE_PROXY
from podmeter.domain.components.kube_router import KUBE_ROUTER

_REGISTERED: tuple[Component, ...] = (
    KUBE_PROXY,
    FLANNEL,
    CALICO,
    CILIUM,
    KUBE_ROUTER,
)
COMPONENTS = {component.name: component for component in _REGISTERED}
