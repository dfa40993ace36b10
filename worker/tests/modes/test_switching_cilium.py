"""Cilium's routing switched on a real Cilium: what kernels show, what pods have, what is undone."""

from __future__ import annotations

import json

import pytest

from podmeter.domain.modes import ENCAPSULATION, Encapsulation
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.workloads import namespace, pod
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.cni import read_cni
from podmeter_worker.kube.node_shells import NodeShell
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS
from podmeter_worker.modes import switch_record
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.registry import configurations
from podmeter_worker.modes.routes import routes_to_pods
from podmeter_worker.modes.switcher import SwitchContext

from .contexts import Open, networked_pods
from .interruptions import KilledError, killed_at

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.cni("cilium"),
    pytest.mark.kernel("machine"),
    pytest.mark.subnets("1"),
    pytest.mark.timeout(600),
]

AXIS = ENCAPSULATION
CONFIG = CONFIG_MAPS.path("kube-system", "cilium-config")
DEVICES = {Encapsulation.NATIVE: "eth0", Encapsulation.VXLAN: "cilium_vxlan"}
ROUTE_MTU = {Encapsulation.NATIVE: 1500, Encapsulation.VXLAN: 1450}


def whole(admin: KubeClient) -> dict[str, object]:
    """All of Cilium's objects that a switch could leave a trace on."""
    found: dict[str, object] = {}
    for path in (CONFIG, DAEMON_SETS.path("kube-system", "cilium")):
        one = admin.get(path)
        metadata = {key: one["metadata"].get(key) for key in ("labels", "annotations")}
        metadata["annotations"] = metadata["annotations"] or None
        # Nobody touches the template: then its number would be another.
        metadata["generation"] = one["metadata"].get("generation")
        found[path] = {"metadata": metadata, "data": one.get("data"), "spec": one.get("spec")}
    return found


def tunnels(shell: NodeShell) -> list[str]:
    names = shell.run(("ls", "/sys/class/net")).stdout.split()
    return [name for name in names if name in ("cilium_vxlan", "cilium_geneve")]


def assert_in_effect(context: SwitchContext, value: Encapsulation) -> None:
    for shell in context.shells.values():
        peers = {peer.node: peer.address for peer in context.shells.values()}
        for peer, way in routes_to_pods(shell, context.shells.values()).items():
            assert way.device == DEVICES[value]
            assert (way.gateway == peers[peer]) == (value is Encapsulation.NATIVE)
        expected = [] if value is Encapsulation.NATIVE else [DEVICES[value]]
        assert tunnels(shell) == expected
        # Only the agent reports what the kernel routes by itself.
        told = json.loads(shell.run(("ip", "-j", "route", "show")).stdout)
        direct = [route for route in told if route.get("gateway") in peers.values()]
        assert bool(direct) == (value is Encapsulation.NATIVE)


def test_there_and_back(stood: str, open_here: Open, admin: KubeClient) -> None:
    assert stood == Encapsulation.VXLAN
    before = whole(admin)
    context = open_here()
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    modes.note(AXIS, saved)
    for value in (Encapsulation.NATIVE, Encapsulation.VXLAN, Encapsulation.NATIVE):
        old = networked_pods(admin)
        switched = modes.switch(AXIS, value)
        assert modes.observe(AXIS) == value
        assert_in_effect(context, value)
        assert set(switched.accepted) == set(context.shells)
        # Those of before would keep the MTU of before.
        assert not old & networked_pods(admin)
        features = read_cni(context.client, (), None).features
        assert features["routing-mode"] == ("native" if value == "native" else "tunnel")
        assert features["host_routing"] == "legacy"
    assert len(switch_record.read_all(context.client, configurations(context.client))) == 1
    modes.restore(AXIS, saved)
    assert_in_effect(context, Encapsulation.VXLAN)
    assert whole(admin) == before


@pytest.mark.parametrize("value", [Encapsulation.NATIVE, Encapsulation.VXLAN])
def test_pods_have_the_mtu_of_their_mode(
    stood: str, open_here: Open, kubectl: Kubectl, value: Encapsulation
) -> None:
    SwitcherModeControl(open_here()).switch(AXIS, value)
    with namespace(kubectl, "routes") as room:
        room.apply(pod("one", "node-1"))
        room.wait_until_ready("one")
        route = room.execute("one", "ip", "route", "show", "default")
        assert ("mtu 1450" in route) == (ROUTE_MTU[value] == 1450)


@pytest.mark.parametrize("step", ["patched", "rolled", "effective", "recreated"])
def test_an_interrupted_switch_is_undone(
    stood: str, open_here: Open, admin: KubeClient, step: str
) -> None:
    before = whole(admin)
    context = open_here(killed_at(step))
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    with pytest.raises(KilledError):
        modes.switch(AXIS, Encapsulation.NATIVE)
    old = networked_pods(admin)
    context = open_here()
    SwitcherModeControl(context).restore(AXIS, saved)
    assert_in_effect(context, Encapsulation(stood))
    assert whole(admin) == before
    assert not old & networked_pods(admin)


def test_what_stands_is_left_alone_by_a_restore(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    before, old = whole(admin), networked_pods(admin)
    modes = SwitcherModeControl(open_here())
    modes.restore(AXIS, modes.save(AXIS))
    assert whole(admin) == before
    assert networked_pods(admin) == old


def test_geneve_is_refused_by_name_where_a_kernel_lacks_it(stood: str, open_here: Open) -> None:
    context = open_here()
    why = SwitcherModeControl(context).why_not(AXIS, Encapsulation.GENEVE)
    probe = ("ip", "link", "add", "probe", "type", "geneve", "id", "9", "remote", "192.0.2.1")
    has = all(
        shell.run(probe).exit_code == 0
        and shell.run(("ip", "link", "delete", "probe")).exit_code == 0
        for shell in context.shells.values()
    )
    assert (why is None) == has
    assert has or "geneve" in str(why)


@pytest.mark.parametrize(
    "patch",
    [
        {"data": {"enable-policy": "never"}},
        {"data": {"routing-mode": "direct"}},
        {"data": {"tunnel-protocol": "gre"}},
        {"data": {"auto-direct-node-routes": "maybe"}},
        {"data": {"ipv4-native-routing-cidr": "$(reboot)"}},
        {"data": {"bpf-root": None}},
        {"metadata": {"labels": {"x": "y"}}},
        {"metadata": {"annotations": {"x": "y"}}},
    ],
)
def test_podmeter_may_change_nothing_else_of_it(
    client: KubeClient, admin: KubeClient, patch: dict[str, object]
) -> None:
    before = whole(admin)
    with pytest.raises(ApiRefusedError) as caught:
        client.patch(CONFIG, patch)
    assert caught.value.status in (403, 422)
    assert "held to what it measures by" in str(caught.value.said)
    assert whole(admin) == before
