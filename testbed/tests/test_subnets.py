"""Nodes in two subnets: their addresses, the router between them, and what is still reached."""

import ipaddress
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from podmeter_testbed import addons, lifecycle, machines, status
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.kubectl import Kubectl
from podmeter_testbed.layout import CONTROL_PLANE, MACHINE_DEVICE, NODES, Layout
from podmeter_testbed.modes import FLANNEL_DEVICES, FLANNEL_MTU, Modes
from podmeter_testbed.settings import Settings, Subnets
from podmeter_testbed.shell import run, wait_for
from podmeter_testbed.workloads import NGINX, Namespace, fetch, namespace, pod, service


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """The layout that is asked for, with nothing started."""
    monkeypatch.setenv("PODMETER_TESTBED_STATE", str(tmp_path))
    monkeypatch.setenv("PODMETER_TESTBED_SUBNETS", "2")
    monkeypatch.delenv("PODMETER_TESTBED_SUBNET", raising=False)
    return Layout.from_environment()


def test_both_are_halves_of_the_testbeds_own(two: Layout) -> None:
    near, far = (two.network_of(name) for name in NODES)
    assert list(two.subnet.subnets()) == [near, far]
    assert two.routed_subnet == two.router.network == far
    for name in ("machine", *two.machines):
        address = ipaddress.IPv4Address(two.address(name))
        assert address in (far if name == "node-2" else near)
        assert two.interface(name) == f"{address}/25"
    addresses = {two.address(name) for name in ("machine", *two.machines)} | {str(two.router.ip)}
    assert len(addresses) == 5
    # This machine asks for them by its own subnet, where node-1 answers.
    first, last = map(ipaddress.IPv4Address, two.load_balancer_pool.split("-"))
    assert {first, last} <= set(near.hosts())
    assert not any(first <= ipaddress.IPv4Address(address) <= last for address in addresses)
    assert "nodeSelectors: [{matchLabels: {kubernetes.io/hostname: node-1}}]" in addons.manifest(
        two, "metallb-pool"
    )
    assert '"Type": "vxlan"' in addons.manifest(two, "flannel")


def test_one_subnet_has_no_router(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_STATE", str(tmp_path))
    monkeypatch.setenv("PODMETER_TESTBED_SUBNETS", "1")
    layout = Layout.from_environment()
    assert layout.routed_subnet is None
    assert {layout.network_of(name) for name in layout.machines} == {layout.subnet}
    assert "nodeSelectors: []" in addons.manifest(layout, "metallb-pool")
    assert '"Type": "host-gw"' in addons.manifest(layout, "flannel")


def test_other_numbers_of_subnets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_SUBNETS", "3")
    with pytest.raises(TestbedError, match=r"SUBNETS=3 is none of 1, 2; without it .* one subnet"):
        Settings.from_environment()


@pytest.mark.usefixtures("taken_for_up")
def test_a_testbed_that_was_started_is_told_as_it_is(
    two: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By every command, with or without the setting; another start is refused."""
    two.asked.keep(two.state)
    monkeypatch.delenv("PODMETER_TESTBED_SUBNETS")
    layout = Layout.from_environment()
    assert layout.subnets is Subnets.TWO
    assert layout.address("node-2") == two.address("node-2") == "10.89.0.140"
    lifecycle.up(layout)
    monkeypatch.setenv("PODMETER_TESTBED_SUBNETS", "1")
    with pytest.raises(TestbedError, match="up with SUBNETS=2, not 1"):
        lifecycle.up(Layout.from_environment())


@pytest.fixture
def room(testbed: Layout, kubectl: Kubectl) -> Iterator[Namespace]:
    """A client on the first node, a server on the second."""
    with namespace(kubectl, "subnets") as room:
        room.apply(
            pod("client", "node-1"),
            pod("server", "node-2", NGINX),
            service("node", "server", "NodePort"),
            service("balanced", "server", "LoadBalancer"),
        )
        room.wait_until_ready("client", "server")
        yield room


@pytest.mark.cluster
@pytest.mark.subnets("2")
def test_a_router_is_between_the_nodes(testbed: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    assert status.report(testbed)
    assert f"{testbed.network_of('node-1')}, {testbed.network_of('node-2')}" in (
        capsys.readouterr().out
    )
    for name, gateway in (
        ("node-1", testbed.address(CONTROL_PLANE)),
        ("node-2", str(testbed.router.ip)),
    ):
        other = testbed.address(next(one for one in NODES if one != name))
        node = machines.require(testbed, name)
        (way,) = json.loads(node.run("ip", "-json", "route", "get", other))
        assert (way["dev"], way["gateway"]) == ("eth0", gateway)
    (way,) = json.loads(run("ip", "-json", "route", "get", testbed.address("node-2")))
    assert (way["dev"], way["gateway"]) == (MACHINE_DEVICE, testbed.address(CONTROL_PLANE))


@pytest.mark.cluster
@pytest.mark.cni("flannel")
@pytest.mark.subnets("2")
def test_flannel_comes_up_with_vxlan(testbed: Layout, room: Namespace) -> None:
    address = room.address("server")
    way = Modes(testbed).path_to("node-1", address)
    assert way == (FLANNEL_DEVICES["vxlan"], FLANNEL_MTU["vxlan"])
    url = f"http://{address}/"
    wait_for("the server", lambda: room.succeeds("client", *fetch(url)), 60)


@pytest.mark.cluster
@pytest.mark.subnets("2")
@pytest.mark.addons("load-balancers")
def test_this_machine_reaches_both_nodes_and_the_load_balancer(
    testbed: Layout, room: Namespace
) -> None:
    def balanced() -> list[str]:
        found = room.get("service", "balanced")["status"]["loadBalancer"].get("ingress", [])
        return [one["ip"] for one in found]

    wait_for("an address from MetalLB", lambda: bool(balanced()), 60)
    assert ipaddress.IPv4Address(balanced()[0]) in testbed.network_of("machine")
    port = room.get("service", "node")["spec"]["ports"][0]["nodePort"]
    for url in (
        *(f"http://{testbed.address(name)}:{port}/" for name in NODES),
        f"http://{balanced()[0]}/",
    ):
        wait_for(f"this machine to reach {url}", lambda url=url: reached(url), 60)  # type: ignore[misc]


def reached(url: str) -> bool:
    return subprocess.run(fetch(url), capture_output=True, check=False).returncode == 0
