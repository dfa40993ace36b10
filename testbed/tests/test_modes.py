"""Switching a mode changes the kernel of both nodes."""

import contextlib
import re
from collections.abc import Iterator

import pytest

from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import NODES, Layout
from podmeter_testbed.modes import (
    CILIUM_ROUTE_MTU,
    FLANNEL_DEVICES,
    FLANNEL_MTU,
    KUBE_ROUTER_MTU,
    Modes,
)
from podmeter_testbed.settings import Cni, kept_cni
from podmeter_testbed.shell import wait_for
from podmeter_testbed.workloads import NGINX, Namespace, fetch, namespace, pod, service

pytestmark = pytest.mark.cluster


@pytest.fixture
def modes(testbed: Layout) -> Iterator[Modes]:
    """The testbed's modes, as they were at the end."""
    modes = Modes(testbed)
    yield modes
    if any(modes.kube_proxy_mode(node) != "iptables" for node in NODES):
        modes.set_kube_proxy_mode("iptables")
    # The tests that come after begin with what a testbed begins with.
    if kept_cni(testbed.state) is Cni.CILIUM and modes.cilium_uses(NODES[0]) != "vxlan":
        modes.set_cilium_routing("vxlan")


@pytest.fixture
def room(kubectl: Kubectl) -> Iterator[Namespace]:
    with namespace(kubectl, "modes") as room:
        room.apply(service("cluster", "server"))
        start_pods(room)
        yield room


def start_pods(room: Namespace) -> None:
    room.apply(pod("client", "node-1"), pod("server", "node-2", NGINX))
    room.wait_until_ready("client", "server")


def reaches(room: Namespace, url: str) -> None:
    wait_for(f"the client to reach {url}", lambda: room.succeeds("client", *fetch(url)), 60)


def test_kube_proxy_modes(modes: Modes, room: Namespace) -> None:
    address = room.get("service", "cluster")["spec"]["clusterIP"]
    assert {node: modes.kube_proxy_mode(node) for node in NODES} == dict.fromkeys(NODES, "iptables")
    for mode in ("nftables", "iptables"):
        modes.set_kube_proxy_mode(mode)
        for node in NODES:
            rules = modes.service_rules(node)
            assert rules.pop(mode) >= 3, f"{node} has no rules of mode {mode}"
            assert sum(rules.values()) == 0, f"{node} kept rules of another mode"
        reaches(room, f"http://{address}/")


@pytest.mark.kernel("machine")
def test_ipvs_answers_with_kube_proxys_own_error(modes: Modes) -> None:
    """This kernel has no ip_vs; kube-proxy says so itself, and recovers with its old mode."""
    if "ip_vs" in modes.nodes["node-1"].run("ls", "/proc/sys/net/ipv4"):
        pytest.fail("this kernel has ip_vs, so the testbed should offer it as a mode")
    with pytest.raises(TestbedError):
        modes.set_kube_proxy_mode("ipvs", rolled_within=20)

    def said() -> bool:
        words = ("logs", "--selector=k8s-app=kube-proxy", "--tail=50", "--prefix")
        with contextlib.suppress(TestbedError):  # a container that is about to start has no log
            return "ipvs" in modes.kubectl.run("--namespace", "kube-system", *words).lower()
        return False

    wait_for("kube-proxy to say why", said, 120, pause=1)
    modes.set_kube_proxy_mode("iptables")
    assert {node: modes.kube_proxy_mode(node) for node in NODES} == dict.fromkeys(NODES, "iptables")


@pytest.mark.cni("flannel")
@pytest.mark.subnets("1")
@pytest.mark.parametrize(
    "backends",
    [
        pytest.param(("vxlan", "udp", "host-gw")),
        pytest.param(("ipip", "host-gw"), marks=pytest.mark.kernel("uml")),
        pytest.param(("wireguard", "udp", "wireguard", "host-gw"), marks=pytest.mark.kernel("uml")),
    ],
)
def test_flannel_backends(modes: Modes, room: Namespace, backends: tuple[str, ...]) -> None:
    for backend in backends:
        modes.set_flannel_backend(backend)
        # Pods keep the MTU they were made with, so they are recreated.
        room.run("delete", "pod", "client", "server", "--wait=true")
        start_pods(room)
        expected = (FLANNEL_DEVICES[backend], FLANNEL_MTU[backend])
        assert modes.path_to("node-1", room.address("server")) == expected
        assert modes.path_to("node-2", room.address("client")) == expected
        mtu = room.execute("client", "cat", "/sys/class/net/eth0/mtu")
        assert int(mtu) == FLANNEL_MTU[backend]
        reaches(room, f"http://{room.address('server')}/")


@pytest.mark.cni("cilium")
@pytest.mark.subnets("1")
def test_cilium_routing(modes: Modes, room: Namespace) -> None:
    for mode in ("native", "vxlan"):
        modes.set_cilium_routing(mode)
        assert {node: modes.cilium_uses(node) for node in NODES} == dict.fromkeys(NODES, mode)
        # Pods keep the MTU of the route that they were made with, so they are recreated.
        room.run("delete", "pod", "client", "server", "--wait=true")
        start_pods(room)
        route = room.execute("client", "ip", "route", "show", "default")
        assert re.findall(r" mtu ([0-9]+)", route) == [str(CILIUM_ROUTE_MTU[mode])]
        reaches(room, f"http://{room.address('server')}/")


@pytest.mark.cni("kube-router")
@pytest.mark.parametrize(
    "overlays",
    [
        pytest.param(("subnet", "none")),
        pytest.param(("full", "subnet", "full", "none"), marks=pytest.mark.kernel("uml")),
    ],
)
def test_kube_router_overlays(modes: Modes, room: Namespace, overlays: tuple[str, ...]) -> None:
    for overlay in overlays:
        modes.set_kube_router_overlay(overlay)
        uses = {node: modes.kube_router_uses(node) for node in NODES}
        assert uses == dict.fromkeys(NODES, overlay)
        tunnels = [name for node in NODES for name in devices(modes, node) if name[:4] == "tun-"]
        assert len(tunnels) == (2 if overlay == "full" else 0)
        device, mtu = modes.path_to("node-1", room.address("server"))
        assert (device.startswith("tun-"), mtu) == (overlay == "full", KUBE_ROUTER_MTU[overlay])
        assert room.execute("client", "cat", "/sys/class/net/eth0/mtu").strip() == "1500"
        reaches(room, f"http://{room.address('server')}/")


def devices(modes: Modes, node: str) -> list[str]:
    return modes.nodes[node].run("ls", "/sys/class/net").split()


@pytest.mark.cni("kube-router")
@pytest.mark.kernel("machine")
def test_a_kernel_without_ipip_is_said(modes: Modes) -> None:
    if "ipip" in modes.nodes["node-1"].run("ls", "/sys/module").split():
        pytest.fail("this kernel has ipip, so the testbed should offer the overlay full")
    with pytest.raises(TestbedError, match="KERNEL=uml` starts a kernel that has it"):
        modes.set_kube_router_overlay("full")
    assert {node: modes.kube_router_uses(node) for node in NODES} == dict.fromkeys(NODES, "none")
