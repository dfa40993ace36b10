"""kube-proxy, by its ConfigMap and DaemonSet in kube-system."""

from __future__ import annotations

from podmeter.domain.components.component import Component
from podmeter.domain.messages import say
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.rights import Right

KUBE_PROXY = Component(
    name="kube-proxy",
    axis=KUBE_PROXY_MODE,
    rights=(
        # By name wherever it is: a role in a namespace that a cluster lacks cannot be applied.
        Right("", "configmaps", ("patch",), say("right_patch_proxy"), names=("kube-proxy",)),
        Right(
            "apps",
            "daemonsets",
            ("patch",),
            say("right_pause_proxy"),
            "kube-system",
            ("kube-proxy",),
        ),
    ),
    devices=("kube-ipvs0",),
    follows=(
        "kube_proxy.mode",
        "kube_proxy.sync_period",
        "kube_proxy.min_sync_period",
        "nodes.*.sysctls.net.ipv4.vs.*",
        # In IPVS mode kube-proxy sets these for its dummy device.
        "nodes.*.sysctls.net.ipv4.conf.all.arp_ignore",
        "nodes.*.sysctls.net.ipv4.conf.all.arp_announce",
    ),
    # Where kube-proxy writes nftables, no iptables backend is its own.
    absent_with=("nodes.*.iptables_backend",),
)
