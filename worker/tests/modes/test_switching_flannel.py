"""flannel's backend switched on a real cluster: what packets take, what is left, what is undone."""

import pytest

from podmeter.domain.modes import ENCAPSULATION, Encapsulation
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.node_shells import NodeShell
from podmeter_worker.kube.resources import CONFIG_MAPS, PODS
from podmeter_worker.modes.control import SwitcherModeControl
from podmeter_worker.modes.routes import routes_to_pods
from podmeter_worker.modes.switcher import SwitchContext

from .contexts import Open, networked_pods
from .interruptions import KilledError, killed_at

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.cni("flannel"),
    pytest.mark.subnets("1"),
    pytest.mark.timeout(600),
]

AXIS = ENCAPSULATION
DEVICES = {
    Encapsulation.HOST_GW: ("eth0", 1500),
    Encapsulation.VXLAN: ("flannel.1", 1450),
    Encapsulation.UDP: ("flannel0", 1472),
    Encapsulation.IPIP: ("flannel.ipip", 1480),
    Encapsulation.WIREGUARD: ("flannel-wg", 1420),
}


def configuration(admin: KubeClient) -> str:
    found = admin.get(CONFIG_MAPS.path("kube-flannel", "kube-flannel-cfg"))
    return str(found["data"]["net-conf.json"])


def flannel_devices(shell: NodeShell) -> list[str]:
    names = shell.run(("ls", "/sys/class/net")).stdout.split()
    return [name for name in names if name.startswith("flannel")]


def assert_in_effect(context: SwitchContext, value: Encapsulation) -> None:
    device, mtu = DEVICES[value]
    for shell in context.shells.values():
        for way in routes_to_pods(shell, context.shells.values()).values():
            assert (way.device, way.mtu) == (device, mtu)
        assert flannel_devices(shell) == ([] if device == "eth0" else [device])
        bridge = shell.run(("cat", "/sys/class/net/cni0/mtu"))
        ports = shell.run(("sh", "-c", "ls /sys/class/net/cni0/brif | wc -l")).stdout
        if bridge.exit_code == 0 and int(ports):
            assert int(bridge.stdout) == mtu


@pytest.mark.parametrize(
    "tour",
    [
        # host-gw to udp is the switch that only looks like one: the old routes are longer.
        pytest.param(
            (Encapsulation.HOST_GW, Encapsulation.UDP, Encapsulation.VXLAN),
            marks=pytest.mark.smoke,
        ),
        pytest.param(
            (Encapsulation.IPIP, Encapsulation.VXLAN, Encapsulation.IPIP, Encapsulation.HOST_GW),
            marks=pytest.mark.kernel("uml"),
        ),
        # Its route is the whole network's, as udp's is: what others left would be longer.
        pytest.param(
            (
                *(Encapsulation.HOST_GW, Encapsulation.WIREGUARD, Encapsulation.UDP),
                *(Encapsulation.WIREGUARD, Encapsulation.IPIP, Encapsulation.WIREGUARD),
                *(Encapsulation.WIREGUARD, Encapsulation.VXLAN),
            ),
            marks=[pytest.mark.kernel("uml"), pytest.mark.timeout(1200)],
        ),
    ],
)
def test_through_backends_and_back(
    stood: str, open_here: Open, admin: KubeClient, tour: tuple[Encapsulation, ...]
) -> None:
    before = configuration(admin)
    context = open_here()
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    for value in tour:
        old = networked_pods(admin)
        modes.switch(AXIS, value)
        assert modes.observe(AXIS) == value
        assert_in_effect(context, value)
        # Also where it stood already.
        assert not old & networked_pods(admin)
    modes.restore(AXIS, saved)
    assert modes.observe(AXIS) == stood
    assert configuration(admin) == before


@pytest.mark.parametrize("step", ["patched", "rolled", "effective"])
@pytest.mark.parametrize(
    "target",
    [
        pytest.param(Encapsulation.VXLAN),
        pytest.param(Encapsulation.IPIP, marks=pytest.mark.kernel("uml")),
        pytest.param(Encapsulation.WIREGUARD, marks=pytest.mark.kernel("uml")),
    ],
)
def test_an_interrupted_switch_is_undone(
    stood: str, open_here: Open, admin: KubeClient, step: str, target: Encapsulation
) -> None:
    before = configuration(admin)
    if stood == target:
        target = Encapsulation.HOST_GW

    context = open_here(killed_at(step))
    modes = SwitcherModeControl(context)
    saved = modes.save(AXIS)
    with pytest.raises(KilledError):
        modes.switch(AXIS, target)
    context = open_here()
    SwitcherModeControl(context).restore(AXIS, saved)
    assert_in_effect(context, Encapsulation(stood))
    assert configuration(admin) == before


@pytest.mark.kernel("uml")
def test_a_device_that_a_killed_flannel_left_is_removed(stood: str, open_here: Open) -> None:
    context = open_here()
    for shell in context.shells.values():
        added = shell.run(("ip", "link", "add", "flannel-wg", "type", "wireguard"))
        assert added.exit_code == 0, added.stderr
    SwitcherModeControl(context).switch(AXIS, Encapsulation.VXLAN)
    assert_in_effect(context, Encapsulation.VXLAN)


def test_wireguard_is_refused_by_name_where_a_kernel_lacks_it(stood: str, open_here: Open) -> None:
    context = open_here()
    why = SwitcherModeControl(context).why_not(AXIS, Encapsulation.WIREGUARD)
    before = [shell.run(("ls", "/sys/class/net")).stdout for shell in context.shells.values()]
    has = all(
        shell.run(("ip", "link", "add", "probe", "type", "wireguard")).exit_code == 0
        and shell.run(("ip", "link", "delete", "probe")).exit_code == 0
        for shell in context.shells.values()
    )
    assert (why is None) == has
    assert has or "wireguard" in str(why)
    assert not any("pm-probe" in names for names in before)


def test_a_pod_that_nobody_would_replace_stands_against_it(
    stood: str, open_here: Open, admin: KubeClient
) -> None:
    image = admin.list_all(PODS.path("kube-system")).items[0]["spec"]["containers"][0]["image"]
    path = PODS.path("default", "alone")
    body = {
        "metadata": {"name": "alone"},
        "spec": {"containers": [{"name": "any", "image": image}], "schedulerName": "nobody"},
    }
    admin.create(PODS.path("default"), body)
    try:
        context = open_here()
        modes = SwitcherModeControl(context)
        assert "default/alone" in (modes.why_not(AXIS, Encapsulation.VXLAN) or "")
    finally:
        admin.delete(path)
