"""Every component that can be switched. A new one is one line in `COMPONENTS`."""

from __future__ import annotations

from podmeter.domain.components.calico import CALICO
from podmeter.domain.components.cilium import CILIUM
from podmeter.domain.components.component import Component
from podmeter.domain.components.flannel import FLANNEL
from podmeter.domain.components.kube_proxy import KUBE_PROXY
from podmeter.domain.components.kube_router import KUBE_ROUTER

COMPONENTS: tuple[Component, ...] = (
    KUBE_PROXY,
    FLANNEL,
    CALICO,
    CILIUM,
    KUBE_ROUTER,
)


def fields_of(axis: str) -> tuple[str, ...]:
    """The fields that may differ with the modes of an axis's components."""
    return tuple(field for one in COMPONENTS if one.axis == axis for field in one.fields)


def absent_with(axis: str) -> tuple[str, ...]:
    """The fields that some modes of an axis's components have and others have not."""
    return tuple(field for one in COMPONENTS if one.axis == axis for field in one.absent_with)
