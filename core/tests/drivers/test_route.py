import json
from dataclasses import replace

import pytest

from podmeter.domain.errors import ToolError
from podmeter.drivers import route
from podmeter.drivers.route import PacketRoute

FOLDER = "iproute2-6.15"


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("route", PacketRoute("v0", 1500, None, "veth", "v0")),
        ("vxlan", PacketRoute("flannel.1", 1450, None, "vxlan", "v0")),
        # A tun device is bound to none: what it wraps goes the way to the other node.
        ("tun", PacketRoute("flannel0", 1500, None, "tun", "v0")),
        ("tun-peer-unknown", PacketRoute("flannel0", 1500, None, "tun", None)),
    ],
)
def test_the_device_its_kind_and_the_nic_below_it(captured, name, way):
    assert route.parse(captured(FOLDER, name)) == way


def test_in_words(captured):
    assert route.parse(captured(FOLDER, "vxlan")).said == "by flannel.1 (vxlan), MTU 1450, NIC v0"
    assert PacketRoute("eth0", 1500, "10.0.0.1", "", "eth0").said == "by eth0, MTU 1500"


def test_what_wireguard_encrypts_leaves_by_the_nic_too(captured):
    """Of its device the kernel tells the kind alone; it is bound to none, as a tun is not."""
    output = captured(FOLDER, "tun")
    lines = output.stdout.replace("flannel0", "flannel-wg").split("\n")
    links = json.loads(lines[1])
    (device,) = (one for one in links if one["ifname"] == "flannel-wg")
    device |= {"mtu": 1420, "linkinfo": {"info_kind": "wireguard"}}
    found = route.parse(
        replace(output, stdout="\n".join([lines[0], json.dumps(links), *lines[2:]]))
    )
    assert found == PacketRoute("flannel-wg", 1420, None, "wireguard", "v0")


def test_what_cilium_takes_to_its_tunnel_goes_by_that(captured):
    """Its route names cilium_host, whatever its programs do then."""
    output = captured(FOLDER, "vxlan")
    lines = output.stdout.split("\n")
    lines[0] = lines[0].replace("flannel.1", "cilium_host")
    tunnel = [lines[0], lines[1].replace("flannel.1", "cilium_vxlan"), *lines[2:]]
    found = route.parse(replace(output, stdout="\n".join(tunnel)))
    assert (found.device, found.kind, found.nic) == ("cilium_vxlan", "vxlan", "v0")
    native = [lines[0], lines[1].replace("flannel.1", "cilium_host"), *lines[2:]]
    assert route.parse(replace(output, stdout="\n".join(native))).device == "cilium_host"


@pytest.mark.parametrize(
    ("told", "mtu"),
    [
        # As pods of Cilium have it in tunnel mode.
        ('"metrics":[{"mtu":1400}],', 1400),
        ('"metrics":[{"advmss":1360,"mtu":1400}],', 1400),
        ('"metrics":[{"advmss":1360}],', 1450),
        ('"metrics":[{"mtu":9000}],', 1450),
        # Learnt of one path, for a while.
        ('"metrics":[{"mtu":1400}],"expires":598,', 1450),
    ],
)
def test_a_route_may_have_a_smaller_mtu_than_its_device(captured, told, mtu):
    output = captured(FOLDER, "vxlan")
    text = output.stdout.replace('[{"dst"', "[{" + told + '"dst"', 1)
    assert text != output.stdout
    assert route.parse(replace(output, stdout=text)).mtu == mtu


def test_no_way_and_half_an_answer_are_errors(captured):
    with pytest.raises(ToolError, match="unreachable"):
        route.parse(captured(FOLDER, "no-route"))
    whole = captured(FOLDER, "vxlan")
    lines = whole.stdout.split("\n")
    for cut in (whole.stdout[:200], lines[0] + "\n", whole.stdout.replace('"flannel.1"', '"x"', 1)):
        with pytest.raises(ToolError):
            route.parse(replace(whole, stdout=cut))


@pytest.mark.parametrize("name", ["route", "vxlan", "tun", "tun-peer-unknown"])
def test_what_was_said_is_read_again(captured, name):
    way = route.parse(captured(FOLDER, name))
    assert route.read(way.said) == replace(way, gateway=None)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "by eth0",
        "by eth0, MTU many",
        "by eth0, MTU 1500, NIC ",
        "to 10.0.0.1 by eth0, MTU 1500",
    ],
)
def test_any_other_text_is_no_way(said):
    assert route.read(said) is None


@pytest.mark.parametrize(
    ("said", "overhead"),
    [
        ("by eth0, MTU 1500", 0),
        ("by eth0 (veth), MTU 1450", 0),
        ("by flannel.1 (vxlan), MTU 1450, NIC eth0", 50),
        ("by genev_sys_6081 (geneve), MTU 1450, NIC eth0", 50),
        ("by tunl0 (ipip), MTU 1480, NIC eth0", 20),
        ("by wireguard.cali (wireguard), MTU 1440, NIC eth0", 60),
        ("by flannel0 (tun), MTU 1472, NIC eth0", 28),
        # What these wrap packets in is their own affair.
        ("by tun0 (tun), MTU 1400, NIC eth0", None),
        ("by gre0 (gre), MTU 1476, NIC eth0", None),
        ("by cilium_host (veth), MTU 1500", None),
    ],
)
def test_what_a_way_wraps_packets_in(said, overhead):
    assert route.read(said).overhead == overhead
