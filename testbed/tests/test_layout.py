"""Settings from the environment."""

from pathlib import Path

import pytest

from podmeter_testbed import addons
from podmeter_testbed.errors import TestbedError
from podmeter_testbed.layout import DEFAULT_SUBNET, PROJECT, Layout
from podmeter_testbed.settings import Cni, Kernel


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PODMETER_TESTBED_STATE", "PODMETER_TESTBED_SUBNET", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    layout = Layout.from_environment()
    assert layout.kubeconfig == PROJECT / ".testbed" / "kubeconfig"
    assert layout.cache == Path.home() / ".cache" / "podmeter" / "testbed"
    assert str(layout.subnet) == DEFAULT_SUBNET
    assert layout.api_server == "https://10.89.0.2:6443"


def test_addresses_are_distinct_and_outside_the_load_balancers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_STATE", str(tmp_path / "none"))
    monkeypatch.setenv("PODMETER_TESTBED_SUBNET", "192.0.2.0/24")
    monkeypatch.setenv("PODMETER_TESTBED_NODES", "3")
    layout = Layout.from_environment()
    addresses = {layout.address(name) for name in ("machine", *layout.machines)}
    assert len(addresses) == 5
    assert layout.load_balancer_pool == "192.0.2.200-192.0.2.250"
    assert all(int(address.rpartition(".")[2]) < 200 for address in addresses)


@pytest.mark.parametrize(
    ("subnet", "says"),
    [
        ("10.89.0.0/25", "too small"),
        ("10.89.0.1/24", "no IPv4 network"),
        ("fd00::/64", "no IPv4 network"),
        ("hello", "no IPv4 network"),
        ("10.244.7.0/24", "10.244.0.0/16"),
        ("10.96.0.0/16", "10.96.0.0/12"),
    ],
)
def test_bad_subnets_say_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, subnet: str, says: str
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_SUBNET", subnet)
    with pytest.raises(TestbedError, match=says) as caught:
        Layout.from_environment()
    assert subnet in str(caught.value)


def test_unknown_pod_networks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_CNI", "calico")
    with pytest.raises(TestbedError, match="CNI=calico is none of flannel, cilium, kube-router"):
        Layout.from_environment()


def test_cilium_is_for_the_machines_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_CNI", "cilium")
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", "machine")
    layout = Layout.from_environment()
    assert (layout.asked.kernel, layout.asked.cni) == (Kernel.MACHINE, Cni.CILIUM)
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", "uml")
    with pytest.raises(TestbedError, match="for the kernel of this machine"):
        Layout.from_environment()


def test_kube_router_is_for_every_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_CNI", "kube-router")
    for kernel in Kernel:
        monkeypatch.setenv("PODMETER_TESTBED_KERNEL", kernel)
        layout = Layout.from_environment()
        assert (layout.asked.kernel, layout.asked.cni) == (kernel, Cni.KUBE_ROUTER)


def test_kube_router_crosses_subnets_by_ip_in_ip(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PODMETER_TESTBED_STATE", str(tmp_path / "none"))
    monkeypatch.setenv("PODMETER_TESTBED_CNI", "kube-router")
    monkeypatch.setenv("PODMETER_TESTBED_SUBNETS", "2")
    with pytest.raises(TestbedError, match="add KERNEL=uml"):
        Layout.from_environment()
    monkeypatch.setenv("PODMETER_TESTBED_KERNEL", "uml")
    text = addons.manifest(Layout.from_environment(), "kube-router-network")
    assert "--enable-overlay=true" in text
    monkeypatch.delenv("PODMETER_TESTBED_SUBNETS")
    text = addons.manifest(Layout.from_environment(), "kube-router-network")
    assert "--enable-overlay=false" in text
