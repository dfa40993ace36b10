"""flannel's configuration and devices as text."""

import json

import pytest

from podmeter.domain.errors import PreconditionError
from podmeter.domain.ports import CommandOutput
from podmeter.drivers.route import Way
from podmeter_worker.modes.flannel_backend import of_device, read_backend, with_backend
from podmeter_worker.modes.routes import parse_way

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


@pytest.mark.parametrize(
    ("device", "backend"),
    [
        ("flannel.1", "vxlan"),
        ("flannel.4096", "vxlan"),
        ("flannel0", "udp"),
        ("flannel.ipip", "ipip"),
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
    assert parse_way(output, "node-1") == Way("eth0", 1500, "10.89.0.12", "", "eth0")
    with pytest.raises(PreconditionError, match="unreachable"):
        parse_way(CommandOutput("", "RTNETLINK answers: unreachable", 2, 0.01), "node-1")
