"""kube-router's overlay switched on a real kube-router: what kernels show, what is undone."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from podmeter.domain.modes import ENCAPSULATION, Encapsulation
from podmeter.version import BENCH_IMAGE
from podmeter_testbed.layout import Layout
from podmeter_testbed.modes import Modes
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.errors import ApiRefusedError
from podmeter_worker.kube.facts.cni import read_cni
from podmeter_worker.kube.node_shells import NodeShell
from podmeter_worker.kube.resources import DAEMON_SETS
from podmeter_worker.modes import switch_record
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.registry import configurations
from podmeter_worker.modes.routes import routes_to_pods
from podmeter_worker.modes.switcher import SwitchContext

from .contexts import Open, networked_pods
from .interruptions import KilledError, killed_at

pytestmark = [pytest.mark.cluster, pytest.mark.cni("kube-router"), pytest.mark.timeout(600)]
on_uml = pytest.mark.kernel("uml")

AXIS = ENCAPSULATION
DAEMON_SET = DAEMON_SETS.path("kube-system", "kube-router")
NONE, IPIP = Encapsulation.NONE, Encapsulation.IPIP


def whole(admin: KubeClient) -> dict[str, object]:
    """All of its DaemonSet that a switch could leave a trace on, but the count of templates."""
    found = admin.get(DAEMON_SET)
    annotations = dict(found["metadata"].get("annotations") or {})
    annotations.pop("deprecated.daemonset.template.generation", None)
    return {
        "labels": found["metadata"].get("labels"),
        "annotations": annotations,
        "spec": found["spec"],
    }


def assert_in_effect(context: SwitchContext, value: Encapsulation) -> None:
    """By the kernels: the routes, the devices, the rules, and the MTU of the bridges."""
    for shell in context.shells.values():
        peers = {peer.node: peer.address for peer in context.shells.values()}
        used = set()
        for peer, way in routes_to_pods(shell, context.shells.values()).items():
            used.add(way.device)
            assert (way.kind == "ipip") == (value is IPIP)
            assert way.gateway == (None if value is IPIP else peers[peer])
            assert way.mtu == (1480 if value is IPIP else 1500)
        assert set(tunnels(shell)) == (used if value is IPIP else set())
        rules = json.loads(shell.run(("ip", "-j", "-4", "rule", "show")).stdout)
        own = [one for one in rules if f"{one['src']}/{one.get('srclen')}" == shell.pods]
        assert bool(own) == (value is not NONE)
        bridge = shell.run(("cat", "/sys/class/net/kube-bridge/mtu"))
        assert int(bridge.stdout) == 1500


def tunnels(shell: NodeShell) -> list[str]:
    names = shell.run(("ls", "/sys/class/net")).stdout.split()
    return [name for name in names if name.startswith("tun-")]


@pytest.fixture
def between_subnets(testbed: Layout) -> Iterator[None]:
    """An overlay between subnets, kube-router's default: the nodes are in one, so it wraps none."""
    modes = Modes(testbed)
    modes.set_kube_router_overlay("subnet")
    yield
    modes.set_kube_router_overlay("none")


@on_uml
def test_there_and_back(stood: str, open_here: Open, admin: KubeClient) -> None:
    assert stood == NONE
    before, old = whole(admin), networked_pods(admin)
    context = open_here()
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    modes.note(AXIS, saved)
    for value in (IPIP, NONE, IPIP):
        switched = modes.switch(AXIS, value)
        assert modes.observe(AXIS) == value
        assert_in_effect(context, value)
        assert set(switched.accepted) == set(context.shells)
        ways = [
            way
            for shell in context.shells.values()
            for way in routes_to_pods(shell, context.shells.values()).values()
        ]
        assert read_cni(context.client, ways, None).encapsulation == value
    assert len(switch_record.read_all(context.client, configurations(context.client))) == 1
    modes.restore(AXIS, saved)
    assert_in_effect(context, NONE)
    assert whole(admin) == before
    # Their MTU is their node's, whatever wraps their packets.
    assert networked_pods(admin) == old


@on_uml
@pytest.mark.parametrize("step", ["patched", "rolled", "effective"])
def test_an_interrupted_switch_is_undone(
    stood: str, open_here: Open, admin: KubeClient, step: str
) -> None:
    interrupted(open_here, admin, step, IPIP, NONE)


@pytest.mark.parametrize("step", ["patched", "rolled", "effective"])
def test_the_default_is_put_back_where_a_switch_from_it_is_interrupted(
    between_subnets: None, open_here: Open, admin: KubeClient, step: str
) -> None:
    interrupted(open_here, admin, step, NONE, Encapsulation.IPIP_CROSS_SUBNET)


def interrupted(
    open_here: Open, admin: KubeClient, step: str, target: Encapsulation, stood: Encapsulation
) -> None:
    """A switch to `target` is killed after a step, and the original mode restored."""
    before = whole(admin)
    context = open_here(killed_at(step))
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    with pytest.raises(KilledError):
        modes.switch(AXIS, target)
    context = open_here()
    modes = SwitcherModeControl(context)
    modes.restore(AXIS, saved)
    assert modes.observe(AXIS) == stood
    assert_in_effect(context, stood)
    assert whole(admin) == before


def test_from_its_default_to_no_overlay_and_back(
    between_subnets: None, open_here: Open, admin: KubeClient
) -> None:
    before = whole(admin)
    context = open_here()
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    assert modes.observe(AXIS) == Encapsulation.IPIP_CROSS_SUBNET
    modes.switch(AXIS, NONE)
    assert modes.observe(AXIS) == NONE
    assert_in_effect(context, NONE)
    modes.restore(AXIS, saved)
    assert modes.observe(AXIS) == Encapsulation.IPIP_CROSS_SUBNET
    assert_in_effect(context, Encapsulation.IPIP_CROSS_SUBNET)
    assert whole(admin) == before


def test_what_stands_is_left_alone_by_a_restore(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    before, version = whole(admin), admin.get(DAEMON_SET)["metadata"]["generation"]
    modes = SwitcherModeControl(open_here())
    modes.restore(AXIS, modes.save(AXIS))
    assert whole(admin) == before
    assert admin.get(DAEMON_SET)["metadata"]["generation"] == version


def test_what_one_subnet_and_a_kernel_cannot_do_is_said(stood: str, open_here: Open) -> None:
    context = open_here()
    modes = SwitcherModeControl(context)
    ipip = all(
        shell.run(("test", "-d", "/sys/module/ipip")).exit_code == 0
        for shell in context.shells.values()
    )
    why = modes.why_not(AXIS, IPIP)
    assert (why is None) == ipip
    assert ipip or "has no ipip" in str(why)
    crossing = str(modes.why_not(AXIS, Encapsulation.IPIP_CROSS_SUBNET))
    assert ("in one subnet" if ipip else "has no ipip") in crossing
    assert modes.why_not(AXIS, NONE) is None


def container(admin: KubeClient, **changes: object) -> dict[str, object]:
    """A patch of its only container."""
    (itself,) = admin.get(DAEMON_SET)["spec"]["template"]["spec"]["containers"]
    return {"spec": {"template": {"spec": {"containers": [{**itself, **changes}]}}}}


@pytest.mark.parametrize(
    "changes",
    [
        {"image": BENCH_IMAGE},
        {"command": ["sh", "-c", "reboot"]},
        {"args": ["--enable-overlay=true"]},
        {"more": ["--overlay-type=$(reboot)"]},
        {"more": ["--enable-overlay=maybe"]},
        {"more": ["--run-firewall=false"]},
        {"env": []},
    ],
)
def test_podmeter_may_change_nothing_else_of_its_container(
    client: KubeClient, admin: KubeClient, changes: dict[str, list[str]]
) -> None:
    before = whole(admin)
    (itself,) = admin.get(DAEMON_SET)["spec"]["template"]["spec"]["containers"]
    if "more" in changes:
        changes = {"args": [*itself["args"], *changes["more"]]}
    refused(client, container(admin, **changes))
    assert whole(admin) == before


@pytest.mark.parametrize(
    "patch",
    [
        {"spec": {"template": {"spec": {"nodeSelector": {"x": "y"}}}}},
        {"spec": {"template": {"spec": {"hostIPC": True}}}},
        {"spec": {"template": {"metadata": {"annotations": {"x": "y"}}}}},
        {"spec": {"minReadySeconds": 7}},
        {"metadata": {"labels": {"x": "y"}}},
        {"metadata": {"annotations": {"x": "y"}}},
    ],
)
def test_podmeter_may_change_nothing_else_of_it(
    client: KubeClient, admin: KubeClient, patch: dict[str, object]
) -> None:
    before = whole(admin)
    refused(client, patch)
    assert whole(admin) == before


def refused(client: KubeClient, patch: dict[str, object]) -> None:
    with pytest.raises(ApiRefusedError) as caught:
        client.patch(DAEMON_SET, patch)
    assert caught.value.status in (403, 422)
    assert "held to what it measures by" in str(caught.value.said)
