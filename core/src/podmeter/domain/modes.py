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
    native. Flannel: vxlan, host-gw, udp, ipip.
    """

    NONE = "none"
    VXLAN = "vxlan"
    VXLAN_CROSS_SUBNET = "vxlan-cross-subnet"
    IPIP = "ipip"
    IPIP_CROSS_SUBNET = "ipip-cross-subnet"
    HOST_GW = "host-gw"
    UDP = "udp"
    GENEVE = "geneve"
    NATIVE = "native"


KUBE_PROXY_MODE = "kube_proxy_mode"
ENCAPSULATION = "encapsulation"
CLUSTER = "cluster"
ARM = "arm"
