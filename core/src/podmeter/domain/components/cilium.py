"""Cilium, by its ConfigMap and DaemonSet as its own Helm chart installs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from podmeter.domain.components.component import Component, PodNetwork, Settings
from podmeter.domain.guards import Check, Guard, own_annotation_alone, unlike_in
from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION, Encapsulation
from podmeter.domain.rights import Right

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG = "cilium-config"
#: The API group of what overrides the ConfigMap on single nodes.
GROUP = "cilium.io"
#: All of the ConfigMap that a mode is made of. `tunnel` says it before 1.14 (and may in 1.14), the
#: first two say it since.
ROUTING_MODE, TUNNEL_PROTOCOL, TUNNEL = "routing-mode", "tunnel-protocol", "tunnel"
DIRECT_ROUTES, NATIVE_CIDR = "auto-direct-node-routes", "ipv4-native-routing-cidr"
KEYS = (ROUTING_MODE, TUNNEL_PROTOCOL, TUNNEL, DIRECT_ROUTES, NATIVE_CIDR)
#: What else its ConfigMap says about how packets go, and about what is done with each.
_SHOWN = (
    *KEYS,
    "tunnel-port",
    "mtu",
    "ipam",
    "datapath-mode",
    "enable-endpoint-routes",
    "kube-proxy-replacement",
    "bpf-lb-acceleration",
    "bpf-lb-algorithm",
    "bpf-lb-map-max",
    "bpf-lb-mode",
    "bpf-lb-sock",
    "enable-bandwidth-manager",
    "enable-bbr",
    "enable-bpf-masquerade",
    "enable-host-firewall",
    "enable-host-legacy-routing",
    "enable-hubble",
    "enable-ipsec",
    "enable-ipv4-big-tcp",
    "enable-ipv4-masquerade",
    "enable-ipv6-big-tcp",
    "enable-l7-proxy",
    "enable-tcx",
    "enable-tunnel-big-tcp",
    "enable-wireguard",
    "install-no-conntrack-iptables-rules",
    "preallocate-bpf-maps",
)
_KNOWN = {
    ROUTING_MODE: ("native", "tunnel"),
    TUNNEL_PROTOCOL: ("vxlan", "geneve"),
    TUNNEL: ("vxlan", "geneve", "disabled"),
}


def _is_as_before(key: str) -> str:
    return f"object.data[?'{key}'] == oldObject.data[?'{key}']"


_CONFIGURATION = Guard(
    name="cilium-configuration",
    group="",
    resources=("configmaps",),
    object_name=CONFIG,
    operations=("UPDATE",),
    checks=(
        Check(
            unlike_in("object.data", "oldObject.data", KEYS),
            "of Cilium's configuration it changes how packets cross nodes alone",
        ),
        # Restore the original value, whatever it was; removing a key sets no new value.
        *(
            Check(
                f"{_is_as_before(key)} || "
                f"object.data[?'{key}'].orValue('{known[0]}') in {json.dumps(list(known))}",
                f"Cilium's {key} is one that it knows",
            )
            for key, known in _KNOWN.items()
        ),
        Check(
            f"{_is_as_before(DIRECT_ROUTES)} || object.data[?'{DIRECT_ROUTES}'].orValue('0')"
            '.lowerAscii() in ["true", "false", "1", "0", "t", "f"]',
            f"Cilium's {DIRECT_ROUTES} is on or off",
        ),
        Check(
            f"{_is_as_before(NATIVE_CIDR)} || "
            f"object.data[?'{NATIVE_CIDR}'].orValue('0').matches('^[0-9./]+$')",
            f"Cilium's {NATIVE_CIDR} is a range of addresses",
        ),
        own_annotation_alone("Cilium's configuration"),
    ),
)

#: Optional: a manifest that was applied before Cilium could be switched still does for all else.
_RIGHTS = (
    # By name wherever it is: a role in a namespace that a cluster lacks cannot be applied.
    Right("", "configmaps", ("patch",), say("right_patch_cilium"), names=(CONFIG,), optional=True),
    Right(GROUP, "ciliumnodeconfigs", ("list",), say("right_cilium_nodes"), optional=True),
)


def features(data: Mapping[str, str]) -> dict[str, str]:
    """Its settings, and what they ask for between a pod and its node's NIC.

    eBPF host routing passes the node's own network stack by. It takes Cilium in kube-proxy's place
    and masquerading by eBPF too, else the agent leaves it (Tuning Guide, eBPF Host-Routing).
    """
    found = {key: data[key] for key in _SHOWN if key in data}
    if data:
        on = {key for key, text in data.items() if text.lower() in ("true", "strict")}
        asked = {"kube-proxy-replacement", "enable-bpf-masquerade"} <= on
        legacy = "enable-host-legacy-routing" in on or not asked
        found["host_routing"] = "legacy" if legacy else "eBPF"
    return found


CILIUM = Component(
    name="cilium",
    axis=ENCAPSULATION,
    values=(Encapsulation.NATIVE, Encapsulation.VXLAN, Encapsulation.GENEVE),
    rights=_RIGHTS,
    guards=(_CONFIGURATION,),
    devices=("cilium_*",),
    follows=tuple(f"cni.features.{key}" for key in KEYS),
    # Where nothing said it before, a switch to native routing does.
    absent_with=(f"cni.features.{NATIVE_CIDR}", f"cni.features.{DIRECT_ROUTES}"),
    tunnels={"cilium_vxlan": Encapsulation.VXLAN, "cilium_geneve": Encapsulation.GENEVE},
    hiding=("cilium_host", "cilium_net"),
    untunnelled=Encapsulation.NATIVE,
    networks=(PodNetwork("cilium", "Cilium", ("cilium",), ("cilium",)),),
    settings=Settings(CONFIG, features),
)
