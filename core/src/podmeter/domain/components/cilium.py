"""Cilium, by its ConfigMap and DaemonSet as its own Helm chart installs them."""

from __future__ import annotations

import json

from podmeter.domain.components.component import Component
from podmeter.domain.guards import Check, Guard, own_annotation_alone, unlike_in
from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION
from podmeter.domain.rights import Right

CONFIG = "cilium-config"
#: The API group of what overrides the ConfigMap on single nodes.
GROUP = "cilium.io"
#: All of the ConfigMap that a mode is made of. `tunnel` says it before 1.14 (and may in 1.14), the
#: first two say it since.
ROUTING_MODE, TUNNEL_PROTOCOL, TUNNEL = "routing-mode", "tunnel-protocol", "tunnel"
DIRECT_ROUTES, NATIVE_CIDR = "auto-direct-node-routes", "ipv4-native-routing-cidr"
KEYS = (ROUTING_MODE, TUNNEL_PROTOCOL, TUNNEL, DIRECT_ROUTES, NATIVE_CIDR)
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

CILIUM = Component(
    name="cilium",
    axis=ENCAPSULATION,
    rights=_RIGHTS,
    guards=(_CONFIGURATION,),
    devices=("cilium_*",),
    follows=tuple(f"cni.features.{key}" for key in KEYS),
    # Where nothing said it before, a switch to native routing does.
    absent_with=(f"cni.features.{NATIVE_CIDR}", f"cni.features.{DIRECT_ROUTES}"),
)
