"""Nodes that a router is between, on a real cluster: routes to pods cannot be had there."""

import pytest

from podmeter.domain.modes import ENCAPSULATION, Encapsulation
from podmeter_worker.modes import routes
from podmeter_worker.modes.control import SwitcherModeControl

from .contexts import Open

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.cni("flannel"),
    pytest.mark.subnets("2"),
    pytest.mark.timeout(600),
]

AXIS = ENCAPSULATION


def test_routes_are_refused_and_tunnels_are_not(open_here: Open) -> None:
    context = open_here()
    modes = SwitcherModeControl(context)
    assert modes.observe(AXIS) == Encapsulation.VXLAN
    names = sorted(context.shells)
    why = modes.why_not(AXIS, Encapsulation.HOST_GW)
    assert why is not None
    assert why == routes.why_not_direct(context.shells.values())
    assert "through a router" in why
    assert all(name in why for name in names)
    for value in (Encapsulation.VXLAN, Encapsulation.UDP):
        assert modes.why_not(AXIS, value) is None


def test_tunnels_are_switched_through_the_router(stood: str, open_here: Open) -> None:
    modes = SwitcherModeControl(open_here())
    assert stood == Encapsulation.VXLAN
    modes.switch(AXIS, Encapsulation.UDP)
    assert modes.observe(AXIS) == Encapsulation.UDP
