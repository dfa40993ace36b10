"""flannel's configuration and devices as text."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.errors import PreconditionError
from podmeter.domain.messages import Message
from podmeter.domain.ports import CommandOutput
from podmeter.drivers.route import PacketRoute
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.node_shells import NodeShell
from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS
from podmeter_worker.modes.flannel.datapath import of_device
from podmeter_worker.modes.flannel.net_conf import read_backend, with_backend
from podmeter_worker.modes.flannel.switcher import FlannelBackendSwitcher
from podmeter_worker.modes.routes import parse_route
from podmeter_worker.modes.switcher import SwitchContext

from ..kube.object_server import Objects

SWITCHER = FlannelBackendSwitcher()
VXLAN = '{"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789}}'


def test_a_backend_is_changed_without_its_predecessors_settings() -> None:
    changed = json.loads(with_backend(VXLAN, "host-gw"))
    assert changed == {"Network": "10.244.0.0/16", "Backend": {"Type": "host-gw"}}


def test_the_backend_that_stands_keeps_its_settings() -> None:
    assert with_backend(VXLAN, "vxlan") == VXLAN


def test_flannels_default_is_udp_and_nonsense_is_none() -> None:
    assert read_backend('{"Network": "10.244.0.0/16"}') == "udp"
    assert read_backend("") is None
    assert read_backend("[]") is None


def test_types_are_read_in_any_case_and_names_in_one_spelling() -> None:
    """As flannel does, which would also take the names in any."""
    assert read_backend('{"Backend": {"Type": "VXLAN"}}') == "vxlan"
    assert with_backend('{"Backend": {"Type": "VXLAN"}}', "vxlan").count("VXLAN") == 1
    for text in ('{"backend": {"Type": "vxlan"}}', '{"Backend": {"type": "vxlan"}}'):
        assert read_backend(text) is None


@pytest.mark.parametrize(
    ("device", "backend"),
    [
        ("flannel.1", "vxlan"),
        ("flannel.4096", "vxlan"),
        ("flannel0", "udp"),
        ("flannel.ipip", "ipip"),
        ("flannel-wg", "wireguard"),
        ("flannel-wg-v6", "wireguard"),
        ("eth0", "host-gw"),
        ("bond0.12", "host-gw"),
        ("cni0", "host-gw"),
    ],
)
def test_a_device_tells_the_backend(device: str, backend: str) -> None:
    assert of_device(device) == backend


def test_a_way_is_the_kernels_answer() -> None:
    said = '[{"dst":"10.244.1.2","gateway":"10.89.0.12","dev":"eth0","prefsrc":"10.89.0.11"}]\n'
    bridge = '{"ifname":"cni0","mtu":1450,"linkinfo":{"info_kind":"bridge"}}'
    links = f'[{bridge},{{"ifname":"eth0","mtu":1500}}]\n'
    output = CommandOutput(said + links, "", 0, 0.01)
    assert parse_route(output, "node-1") == PacketRoute("eth0", 1500, "10.89.0.12", "", "eth0")
    with pytest.raises(PreconditionError, match="unreachable"):
        parse_route(CommandOutput("", "RTNETLINK answers: unreachable", 2, 0.01), "node-1")


@dataclass
class Node:
    """Stands for a NodeShell of a node whose kernel has all modules but these."""

    node: str
    lacks: frozenset[str] = frozenset()
    pods: str = "10.244.1.0/24"

    def run(self, argv: Sequence[str]) -> CommandOutput:
        assert argv[:2] == ("sh", "-c")
        return CommandOutput("", "", 1 if argv[-1] in self.lacks else 0, 0.0)


@pytest.fixture
def client(objects: Objects) -> Iterator[KubeClient]:
    access = ClusterAccess(objects.kept, AddressPolicy.of(["127.0.0.0/8"]))
    with KubeClient(access, patience_seconds=5) as client:
        yield client


def set_up(objects: Objects, backend: dict[str, Any], image: str = "flannel:v0.26.7") -> None:
    template = {"spec": {"containers": [{"name": "kube-flannel", "image": image}]}}
    path = DAEMON_SETS.path("kube-flannel", "kube-flannel-ds")
    objects.put(path, {"spec": {"template": template}})
    text = json.dumps({"Network": "10.244.0.0/16", "Backend": backend})
    path = CONFIG_MAPS.path("kube-flannel", "kube-flannel-cfg")
    objects.put(path, {"data": {"net-conf.json": text}})


def site_of(client: KubeClient, *nodes: Node) -> SwitchContext:
    shells = {one.node: cast("NodeShell", one) for one in nodes}
    return SwitchContext(client, shells, lambda: None, lambda step: None)


def code(said: str | None) -> str | None:
    return None if said is None else Message.of(said).code


@pytest.mark.parametrize(
    ("image", "lacks", "why"),
    [
        ("flannel:v0.26.7", "", None),
        ("flannel:v0.16.0", "", None),
        ("flannel@sha256:0", "", None),
        ("flannel:v0.15.1", "", "flannel_too_old"),
        ("flannel:v0.26.7", "wireguard", "kernel_no_wireguard"),
        ("flannel:v0.26.7", "ipip", None),
    ],
)
def test_wireguard_takes_a_flannel_and_kernels_that_have_it(
    objects: Objects, client: KubeClient, image: str, lacks: str, why: str | None
) -> None:
    set_up(objects, {"Type": "vxlan"}, image)
    # One at a time: the ways between nodes are host-gw's affair.
    said = SWITCHER.values(site_of(client, Node("node-2", frozenset({lacks}))))
    assert code(said["wireguard"]) == why
    assert code(said["ipip"]) == ("kernel_no_ipip" if lacks == "ipip" else None)
    assert said["vxlan"] is None


@pytest.mark.parametrize("name", ["PSK", "psk"])
def test_a_pre_shared_key_is_not_taken_into_keeping(
    objects: Objects, client: KubeClient, name: str
) -> None:
    context = site_of(client, Node("node-1"))
    set_up(objects, {"Type": "wireguard", "ListenPort": 51820})
    assert SWITCHER.why_absent(context) is None
    set_up(objects, {"Type": "wireguard", name: "c2VjcmV0"})
    said = SWITCHER.why_absent(context)
    assert code(said) == "flannel_pre_shared_key"
    assert "c2VjcmV0" not in str(said)
