"""Cluster modes: what a switcher may change on a whole cluster."""

from __future__ import annotations

from enum import StrEnum


class KubeProxyMode(StrEnum):
    """How kube-proxy programs Services; the values of the axis `kube_proxy_mode`."""

    IPTABLES = "iptables"
    IPVS = "ipvs"
    NFTABLES = "nftables"


class Encapsulation(StrEnum):
    """How packets of the pod network cross nodes; which of these exist depends on the CNI.

    Calico: none, vxlan, vxlan-cross-subnet, ipip, ipip-cross-subnet. Cilium: vxlan, geneve,
    native. Flannel: vxlan, host-gw, udp, ipip, wireguard. kube-router: none, ipip,
    ipip-cross-subnet. Of all these wireguard alone encrypts.
    """

    NONE = "none"
    VXLAN = "vxlan"
    VXLAN_CROSS_SUBNET = "vxlan-cross-subnet"
    IPIP = "ipip"
    IPIP_CROSS_SUBNET = "ipip-cross-subnet"
    HOST_GW = "host-gw"
    UDP = "udp"
    WIREGUARD = "wireguard"
    GENEVE = "geneve"
    NATIVE = "native"


#: Modes that wrap packets between subnets alone: what they wrap them in there.
CROSS_SUBNET = {
    Encapsulation.VXLAN_CROSS_SUBNET: Encapsulation.VXLAN,
    Encapsulation.IPIP_CROSS_SUBNET: Encapsulation.IPIP,
}


def may_show(value: str) -> frozenset[str]:
    """What single packets may be wrapped in, with this encapsulation or none, where it stands.

    Of a cross-subnet mode the packets between some nodes show the one, between others the other.
    """
    if value in CROSS_SUBNET:
        return frozenset({value, CROSS_SUBNET[Encapsulation(value)], Encapsulation.NONE})
    return frozenset({value})


KUBE_PROXY_MODE = "kube_proxy_mode"
ENCAPSULATION = "encapsulation"
CLUSTER = "cluster"
ARM = "arm"
