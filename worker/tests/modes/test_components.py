"""Every switcher acts by a component that the core declares with all that follows from it."""

from fnmatch import fnmatchcase

import pytest

from podmeter.domain.axes import MODE_AXES, mode_axes
from podmeter.domain.components import cilium
from podmeter.domain.components.calico import CALICO, CONFIG, INSTALLATION, STATUSES
from podmeter.domain.components.cilium import CILIUM
from podmeter.domain.components.flannel import FLANNEL
from podmeter.domain.components.kube_proxy import CONFIGURATIONS, ON_NODES
from podmeter.domain.components.kube_router import DAEMON_SET, KUBE_ROUTER
from podmeter.domain.components.registry import COMPONENTS
from podmeter.rbac.capabilities import Capability, rights_of
from podmeter_worker.modes.calico import datapath as calico_datapath
from podmeter_worker.modes.calico import pools as calico_pools
from podmeter_worker.modes.cilium import datapath as cilium_datapath
from podmeter_worker.modes.cilium import switcher as cilium_routing
from podmeter_worker.modes.flannel import datapath as flannel_datapath
from podmeter_worker.modes.flannel import switcher as flannel_backend
from podmeter_worker.modes.kube_proxy import switcher as kube_proxy
from podmeter_worker.modes.kube_router import datapath as kube_router_datapath
from podmeter_worker.modes.registry import SWITCHERS

#: Flannel's devices as they are called on nodes.
DEVICES = (
    *("flannel.1", "flannel.4096", "flannel0", "flannel.ipip", "flannel-wg", "flannel-wg-v6"),
    "cni0",
)


def test_switchers_and_declared_components_are_the_same() -> None:
    switched = {(one.component, one.axis) for one in SWITCHERS.values() if one.axis in MODE_AXES}
    assert switched == {(one.name, one.axis) for one in COMPONENTS.values()}


@pytest.mark.parametrize("component", COMPONENTS.values(), ids=lambda one: one.name)
def test_what_a_component_declares_is_asked_for_and_explained(component) -> None:  # type: ignore[no-untyped-def]
    (axis,) = (one for one in mode_axes() if one.name == component.axis)
    assert component.rights
    assert set(component.rights) <= set(rights_of(Capability.SWITCH_MODES))
    assert set(component.values) <= set(axis.choices)
    assert set(component.fields) <= set(axis.follows)
    assert set(component.absent_with) <= set(axis.absent_with)


def test_the_devices_that_flannel_is_observed_by_are_declared() -> None:
    observed = [*flannel_datapath._DEVICES.values()]
    for device in DEVICES:
        known = device == flannel_datapath._BRIDGE or any(one.fullmatch(device) for one in observed)
        assert known
        assert any(fnmatchcase(device, pattern) for pattern in FLANNEL.devices)


def test_the_devices_that_calico_is_observed_by_are_declared() -> None:
    for device in (*calico_datapath._DEVICES.values(), calico_datapath._VXLAN_6):
        assert any(fnmatchcase(device, pattern) for pattern in CALICO.devices)


def test_what_calico_s_settings_are_read_from_may_be_read() -> None:
    read = {right.resource for right in CALICO.rights if {"get", "list"} & set(right.verbs)}
    assert read == {
        "ippools",
        "felixconfigurations",
        "bgpconfigurations",
        "bgppeers",
        calico_pools.INSTALLATIONS.plural,
        "tigerastatuses",
        "configmaps",
    }
    # A manifest that was applied before there was any of it still does for all else.
    assert all(right.optional for right in CALICO.rights)


def test_the_devices_that_cilium_is_observed_by_are_declared() -> None:
    for device in (*cilium_datapath.DEVICES.values(), "cilium_host", "cilium_net"):
        assert any(fnmatchcase(device, pattern) for pattern in CILIUM.devices)


def test_what_cilium_s_overrides_are_read_from_may_be_read() -> None:
    granted = {right.resource for right in CILIUM.rights if "list" in right.verbs}
    assert granted == {kind.plural for kind in cilium_routing._NODE_CONFIGS}
    assert all(right.optional for right in CILIUM.rights)


def test_the_devices_that_kube_router_is_observed_by_are_declared() -> None:
    for device in (f"{kube_router_datapath._TUNNEL}1089011", kube_router_datapath._BRIDGE):
        assert any(fnmatchcase(device, pattern) for pattern in KUBE_ROUTER.devices)
    assert all(right.optional for right in KUBE_ROUTER.rights)


def test_what_is_patched_by_name_is_what_rights_are_asked_for() -> None:
    patched = {
        "kube-proxy": {name for name, _ in CONFIGURATIONS} | {kube_proxy._NAME, *ON_NODES.values()},
        "flannel": {flannel_backend._CONFIG},
        "calico": {CONFIG, INSTALLATION, *STATUSES},
        "cilium": {cilium.CONFIG},
        "kube-router": {DAEMON_SET},
    }
    for component in COMPONENTS.values():
        granted = {name for right in component.rights for name in right.names}
        assert granted == patched[component.name]
