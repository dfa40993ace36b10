"""flannel for the conformance suite: its own manifest's settings, and its defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import Object

from ..cluster_of_objects import NODES_OF
from ..described import Described
from .objects import CONFIG, DEVICES, MTU, PODS_RANGE, SWITCHER, Flannel

_MODULE = "podmeter_worker.modes.flannel.switcher"
IMPATIENT = {
    f"{_MODULE}._EFFECTIVE_SECONDS": 0.0,
    f"{_MODULE}._MTU_SECONDS": 0.0,
    "podmeter_worker.modes.daemon_set._SECONDS": 2.0,
    "podmeter_worker.modes.pod_renewal._SECONDS": 5.0,
}


def in_effect(cluster: Flannel, value: str) -> None:
    """By the kernels: no device and no route of another backend is left."""
    assert set(cluster.agents.values()) == {value}
    assert cluster.mtus() == {MTU[value]}
    device = DEVICES[value][0] if value in DEVICES else "eth0"
    for node in NODES_OF:
        assert cluster.devices[node] == {device} - {"eth0"}
        led = {route["dev"] for dst, route in cluster.routes[node].items() if dst != "default"}
        assert led == {device, "cni0"}


def write_beside(client: KubeClient, number: int) -> None:
    client.patch(CONFIG, {"data": {"cni-conf.json": str(number)}})


def _touch(client: KubeClient) -> None:
    client.patch(CONFIG, {"data": {"cni-conf.json": '{"cniVersion": "0.3.1"}'}})


def _write(text: str) -> Callable[[Flannel], object]:
    data = {"net-conf.json": text.replace("RANGE", PODS_RANGE)}
    return lambda cluster: cluster.edit(CONFIG, lambda found: found["data"].update(data))


AS_WRITTEN = {
    "capitals": (_write('{"Network": "RANGE", "Backend": {"Type": "VXLAN"}}'), None),
    "a range by any address": (_write('{"Network": "10.244.0.1/16", "Backend": {}}'), None),
    "a backend that is not known": (
        _write('{"Network": "RANGE", "Backend": {"Type": "alloc"}}'),
        "flannel_backend_unknown",
    ),
    "a backend of another spelling": (
        _write('{"Network": "RANGE", "backend": {"Type": "vxlan"}}'),
        "config_map_no_backend",
    ),
    "no range": (_write('{"Backend": {"Type": "vxlan"}}'), "flannel_no_network"),
}


def _described(
    name: str,
    stood: str,
    backend: Object,
    tour: tuple[str, ...],
    as_written: Mapping[str, tuple[Callable[[Flannel], object], str | None]] | None = None,
) -> Described:
    return Described(
        name=name,
        switcher=SWITCHER,
        cluster=Flannel,
        set_up=lambda cluster: cluster.set_up(backend),
        stood=stood,
        tour=tour,
        in_effect=in_effect,
        lacking={"vxlan": "vxlan", "wireguard": "wireguard", "ipip": "ipip", "tun": "udp"},
        beside=write_beside,
        kept=lambda cluster: cluster.at[CONFIG]["data"]["cni-conf.json"],
        touches={"configuration": _touch},
        impatient=IMPATIENT,
        # From routes to the device of udp: a node that keeps its routes reaches the others by them.
        hides_stuck=stood == "host-gw" and tour[0] == "udp",
        as_written=as_written or {},
        unusable=({"net_conf": "{}}"}, {"net_conf": '{"Backend": {"Type": "extension"}}'}),
    )


DESCRIBED = (
    _described(
        "flannel with settings of its backend",
        "vxlan",
        {"Type": "vxlan", "VNI": 1, "Port": 4789},
        ("host-gw", "udp", "vxlan", "wireguard", "ipip"),
        {name: one for name, one in AS_WRITTEN.items() if name != "a range by any address"},
    ),
    _described(
        "flannel, its routes", "host-gw", {"Type": "host-gw"}, ("udp", "ipip", "wireguard", "vxlan")
    ),
    _described(
        "flannel by default",
        "udp",
        {},
        ("vxlan", "udp", "host-gw", "ipip", "wireguard"),
        {name: AS_WRITTEN[name] for name in ("a range by any address",)},
    ),
)
