"""Facts read from what clusters and nodes say."""

import json
from decimal import Decimal
from typing import Any

import pytest

from podmeter.domain.components import cilium, flannel
from podmeter.domain.errors import PodmeterError
from podmeter.domain.fingerprint import USER_MODE_LINUX
from podmeter.domain.ports import CommandOutput
from podmeter.drivers.netfilter.backend import Backend
from podmeter.drivers.route import PacketRoute
from podmeter_worker.kube.facts import node_probe
from podmeter_worker.kube.facts.cni import encapsulation_of, identify
from podmeter_worker.kube.facts.fingerprint import quantity
from podmeter_worker.kube.facts.kube_proxy import parse_setup, seconds
from podmeter_worker.kube.facts.nodes import internal_address, pod_network, why_unfit
from podmeter_worker.kube.facts.observation import read_mtu
from podmeter_worker.kube.facts.service_room import node_port_range
from podmeter_worker.kube.lease import expiry

PROBE = """\
sysctl net.core.somaxconn 4096
sysctl net.ipv4.tcp_rmem 4096 131072 33554432
mtu cni0 1450
mtu eth0 1500
mtu lo 65536
mtu veth12ab34cd 1450
nic eth0 virtio_net -1
nic eth1 mlx5_core 25000
cpu Intel(R) Xeon(R) Processor
virtual yes
dmi QEMU Standard PC
proxy iptables
end
"""


def said(stdout: str, exit_code: int = 0) -> CommandOutput:
    return CommandOutput(stdout, "", exit_code, 0.01)


def test_a_node_tells_of_itself() -> None:
    probe = node_probe.parse(said(PROBE), said("iptables-nft\nend\n"))
    assert probe.mtus == {"cni0": 1450, "eth0": 1500}
    assert probe.sysctls["net.ipv4.tcp_rmem"] == "4096 131072 33554432"
    assert probe.nics == ("eth0 virtio_net", "eth1 mlx5_core 25000 Mbit/s")
    assert probe.cpu_model == "Intel(R) Xeon(R) Processor"
    assert probe.hypervisor == "QEMU Standard PC"
    assert probe.proxy_mode == "iptables"
    assert probe.backend is Backend.IPTABLES_NFT


BUCKET = (
    '{"kind":"tbf","handle":"8001:","parent":"1:1","options":'
    '{"rate":125000000,"burst":250000,"lat":12112}}'
)
DELAY = (
    '{"kind":"netem","handle":"1:","root":true,"refcnt":2,"options":'
    '{"limit":1032,"delay":{"delay":0.0002,"jitter":0,"correlation":0},"ecn":false,"gap":0}}'
)
LOSSY = (
    '{"kind":"netem","options":{"delay":{"delay":0.01,"jitter":0.001,"correlation":0},'
    '"loss-random":{"loss":0.01,"correlation":0},"seed":97318,"rate":{"rate":1250000}}}'
)


@pytest.mark.parametrize(
    ("said_by_tc", "shaping"),
    [
        ("", {}),
        (f"shaping eth0 [{BUCKET}]\n", {"eth0": "tbf 1000 Mbit/s"}),
        (f"shaping eth0 [{DELAY},{BUCKET}]\n", {"eth0": "netem 0.2 ms, tbf 1000 Mbit/s"}),
        (
            'shaping eth1 [{"kind":"htb","options":{"r2q":10}},{"kind":"fq_codel","options":{}}]\n',
            {"eth1": "htb"},
        ),
        (
            f"shaping eth0 [{LOSSY}]\n",
            {"eth0": "netem 10 ± 1 ms 10 Mbit/s 0.01 lost"},
        ),
        # A single pod's limit says nothing of the node.
        (f"shaping veth12ab34cd [{BUCKET}]\n", {}),
    ],
)
def test_what_shapes_a_nodes_devices(said_by_tc: str, shaping: dict[str, str]) -> None:
    told = PROBE.replace("end\n", f"{said_by_tc}end\n")
    assert node_probe.parse(said(told), None).shaping == shaping


@pytest.mark.parametrize(
    "line",
    [
        *("eth0", "eth0 ", "eth0 [{", 'eth0 {"kind":"tbf"}', 'eth0 [{"kind":"tbf"}]'),
        f'eth0 [{{"kind":"tbf","options":{{"rate":1{"0" * 400}}}}}]',
    ],
)
def test_shaping_that_is_not_told_whole_is_an_error(line: str) -> None:
    with pytest.raises(PodmeterError, match="report is incomplete"):
        node_probe.parse(said(PROBE.replace("end\n", f"shaping {line}\nend\n")), None)


@pytest.mark.parametrize(
    ("said_by_the_kernel", "schedulers"),
    [("schedulers rr ", "rr"), ("schedulers rr sh ", "rr, sh"), ("schedulers ", None)],
)
def test_the_schedulers_of_ipvs_are_told_where_there_are_virtual_servers(
    said_by_the_kernel: str, schedulers: str | None
) -> None:
    told = PROBE.replace("end\n", f"{said_by_the_kernel}\nend\n")
    assert node_probe.parse(said(told), None).schedulers == schedulers
    assert node_probe.parse(said(PROBE), None).schedulers is None


def test_a_kernel_that_is_a_process_tells_so() -> None:
    """Whatever it stands on: that is not what makes its calls slow."""
    told = PROBE.replace("Intel(R) Xeon(R) Processor", "UML").replace("virtual", "process")
    assert node_probe.parse(said(told), None).hypervisor == USER_MODE_LINUX


def test_what_a_node_does_not_tell_is_none() -> None:
    probe = node_probe.parse(said("cpu \ndmi  \nproxy \nend\n"), None)
    assert probe.cpu_model is probe.hypervisor is probe.proxy_mode is probe.backend is None
    between = node_probe.parse(said(PROBE), said("iptables-nft\nnftables\nend\n"))
    assert between.backend is None


def test_a_node_that_did_not_tell_all_is_an_error() -> None:
    with pytest.raises(PodmeterError, match="report is incomplete"):
        node_probe.parse(said(PROBE.removesuffix("end\n")), None)


def node(**spec: Any) -> Any:
    return {
        "metadata": {"name": "n"},
        "spec": {"podCIDRs": ["fd00::/64", "10.244.1.0/24"], **spec},
        "status": {
            "nodeInfo": {"operatingSystem": "linux"},
            "conditions": [{"type": "Ready", "status": "True"}],
            "addresses": [
                {"type": "Hostname", "address": "n"},
                {"type": "InternalIP", "address": "fd01::1"},
                {"type": "InternalIP", "address": "10.0.0.7"},
            ],
        },
    }


def test_a_node_takes_measuring_pods_or_says_why_not() -> None:
    assert why_unfit(node()) is None
    assert internal_address(node()) == "10.0.0.7"
    assert pod_network(node()) == "10.244.1.0/24"
    assert why_unfit(node(unschedulable=True)) == "the node is cordoned"
    tainted = node(taints=[{"key": "gpu", "effect": "NoSchedule"}])
    assert why_unfit(tainted) == "the node has the taint gpu"
    assert why_unfit(node(taints=[{"key": "x", "effect": "PreferNoSchedule"}])) is None
    away = node()
    away["status"]["conditions"][0]["status"] = "Unknown"
    assert why_unfit(away) == "the node is not ready"


@pytest.mark.parametrize(
    ("kubeadm", "expected"),
    [
        ({}, "30000-32767"),
        ({"apiServer": {}}, "30000-32767"),
        ({"apiServer": {"extraArgs": {"service-node-port-range": "20000-22767"}}}, "20000-22767"),
        (
            {"apiServer": {"extraArgs": [{"name": "service-node-port-range", "value": "1-2"}]}},
            "1-2",
        ),
    ],
)
def test_the_node_port_range_of_kubeadm_old_and_new(kubeadm: Any, expected: str) -> None:
    assert node_port_range(kubeadm) == expected


def daemon_set(name: str) -> Any:
    return {"metadata": {"name": name}, "spec": {}}


def test_the_pod_network_is_known_by_its_daemon_set() -> None:
    assert identify([daemon_set("kube-proxy"), daemon_set("cilium")])[0] == "cilium"
    both = [daemon_set("kube-router"), daemon_set("kube-flannel-ds")]
    assert identify(both)[0] == "flannel"
    assert identify([daemon_set("kube-proxy")]) == ("unknown", None)


@pytest.mark.parametrize(
    ("device", "kind", "network", "expected"),
    [
        ("flannel.1", "vxlan", "flannel", "vxlan"),
        ("flannel0", "tun", "flannel", "udp"),
        ("flannel.ipip", "ipip", "flannel", "ipip"),
        ("flannel-wg", "wireguard", "flannel", "wireguard"),
        ("eth0", "", "flannel", "host-gw"),
        ("vxlan.calico", "vxlan", "calico", "vxlan"),
        ("overlay7", "vxlan", "calico", "vxlan"),
        ("tunl0", "ipip", "calico", "ipip"),
        ("eth0", "", "calico", "none"),
        ("wireguard.cali", "wireguard", "calico", "wireguard"),
        ("cilium_vxlan", "vxlan", "cilium", "vxlan"),
        ("cilium_geneve", "geneve", "cilium", "geneve"),
        ("cilium_host", "veth", "cilium", None),
        ("eth0", "veth", "cilium", "native"),
    ],
)
def test_the_encapsulation_follows_from_the_device(
    device: str, kind: str, network: str, expected: str | None
) -> None:
    assert encapsulation_of(PacketRoute(device, 1450, None, kind), network) == expected


def test_flannels_features_are_named_after_what_they_follow_from() -> None:
    text = '{"Network": "10.0.0.0/8", "Backend": {"Type": "vxlan", "DirectRouting": true}}'
    assert flannel.features({"net-conf.json": text}) == {
        "encapsulation.Type": "vxlan",
        "encapsulation.DirectRouting": "True",
        "nftables": "false",
    }


@pytest.mark.parametrize("name", ["PSK", "psk"])
def test_of_flannels_pre_shared_key_a_fingerprint_has_nothing(name: str) -> None:
    text = json.dumps({"Backend": {"Type": "wireguard", "ListenPort": 51820, name: "c2VjcmV0"}})
    assert flannel.features({"net-conf.json": text}) == {
        "encapsulation.Type": "wireguard",
        "encapsulation.ListenPort": "51820",
        f"encapsulation.{name}": "set",
        "nftables": "false",
    }


def test_ciliums_settings_and_what_they_ask_for() -> None:
    told = {
        "routing-mode": "native",
        "kube-proxy-replacement": "true",
        "enable-bpf-masquerade": "true",
        "enable-bandwidth-manager": "true",
        "enable-ipv4-big-tcp": "false",
        "cluster-name": "nobody's affair",
    }
    features = cilium.features(told)
    assert features == {
        **{key: text for key, text in told.items() if key != "cluster-name"},
        "host_routing": "eBPF",
    }
    for unlike in (
        {"kube-proxy-replacement": "false"},
        {"enable-bpf-masquerade": "false"},
        {"enable-host-legacy-routing": "true"},
    ):
        assert cilium.features({**told, **unlike})["host_routing"] == "legacy"
    assert cilium.features({}) == {}


@pytest.mark.parametrize(
    ("told", "mtu"),
    [
        ("1450\ndefault via 10.244.0.1 dev eth0 \n", 1450),
        ("1500\ndefault via 10.0.0.105 dev eth0 mtu 1450 \n", 1450),
        ("1500\ndefault via 10.0.0.105 dev eth0 mtu lock 1420 \n", 1420),
        ("1500\n", 1500),
    ],
)
def test_a_pods_mtu_is_its_device_s_or_its_route_s(told: str, mtu: int) -> None:
    assert read_mtu(told) == mtu


def test_kube_proxys_defaults_are_filled_in() -> None:
    setup = parse_setup({"mode": "", "iptables": {"syncPeriod": "0s"}}, "v1.34.4")
    assert (setup.written_mode, setup.sync_period, setup.min_sync_period) == ("iptables", 30.0, 1.0)
    own = {
        "mode": "nftables",
        "nftables": {"syncPeriod": "1m30s", "minSyncPeriod": "500ms"},
        "metricsBindAddress": "0.0.0.0:10300",
    }
    setup = parse_setup(own, None)
    assert (setup.sync_period, setup.min_sync_period, setup.metrics_port) == (90.0, 0.5, 10300)
    assert parse_setup({"mode": "ipvs"}, None).min_sync_period == 0.0
    assert parse_setup(None, None).sync_period is None


def test_go_durations_and_quantities() -> None:
    assert seconds("1h2m3.5s") == 3723.5
    assert seconds("250ms") == 0.25
    assert seconds(None) == 0
    assert quantity("24684092Ki") == Decimal(24684092 * 1024)
    assert quantity("1500m") == Decimal("1.5")
    assert quantity("8") == 8


def test_a_lease_ends_when_it_says() -> None:
    renewed = {"spec": {"renewTime": "2026-01-02T03:04:05.000000Z", "leaseDurationSeconds": 60}}
    assert expiry(renewed).isoformat() == "2026-01-02T03:05:05+00:00"
    assert expiry({"spec": {}}).year == 1
