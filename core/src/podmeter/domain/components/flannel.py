"""flannel, by its ConfigMap and DaemonSet as its own manifest installs them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from podmeter.domain.components.component import Component, PodNetwork, Settings
from podmeter.domain.guards import Check, Guard, unchanged_but
from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION, Encapsulation
from podmeter.domain.rights import Right

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONFIG, _KEY = "kube-flannel-cfg", "net-conf.json"
#: What it writes about itself on each node, wherever it runs: k3s and RKE2 have it built in.
BACKEND_TYPE = "flannel.alpha.coreos.com/backend-type"
#: The secret among the settings of flannel's backends, in lower case: WireGuard's pre-shared key.
#: flannel takes the names of settings in any case.
PRE_SHARED_KEY = "psk"
#: flannel's backend "extension" runs any command as root; an escape could hide the word.
_CONFIGURATION = Guard(
    name="flannel-configuration",
    group="",
    resources=("configmaps",),
    object_name=_CONFIG,
    operations=("UPDATE",),
    checks=(
        unchanged_but(_KEY, "flannel"),
        Check(
            f"!object.data['{_KEY}'].lowerAscii().contains('extension') && "
            f"!object.data['{_KEY}'].contains('\\\\')",
            "it sets no backend of flannel's that runs commands",
        ),
    ),
)


def features(data: Mapping[str, str]) -> dict[str, str]:
    """Its settings; those of its backend are named after the encapsulation they belong to.

    A secret setting is shown as set, without its value.
    """
    try:
        document = json.loads(data.get(_KEY, ""))
    except ValueError:
        return {}
    found = {
        f"encapsulation.{key}": "set" if key.lower() == PRE_SHARED_KEY else str(value)
        for key, value in document.get("Backend", {}).items()
    }
    found["nftables"] = str(document.get("EnableNFTables", False)).lower()
    return found


FLANNEL = Component(
    name="flannel",
    axis=ENCAPSULATION,
    values=(
        Encapsulation.VXLAN,
        Encapsulation.HOST_GW,
        Encapsulation.UDP,
        Encapsulation.IPIP,
        Encapsulation.WIREGUARD,
    ),
    rights=(
        # By name wherever it is: a role in a namespace that a cluster lacks cannot be applied.
        Right("", "configmaps", ("patch",), say("right_patch_flannel"), names=(_CONFIG,)),
    ),
    guards=(_CONFIGURATION,),
    # Those of its backends, and the bridge that takes their MTU.
    devices=("flannel*", "cni0"),
    tunnels={
        r"flannel\.\d+": Encapsulation.VXLAN,
        r"flannel\d+": Encapsulation.UDP,
        r"flannel\.ipip": Encapsulation.IPIP,
    },
    untunnelled=Encapsulation.HOST_GW,
    networks=(
        PodNetwork(
            "flannel",
            "flannel",
            ("kube-flannel-ds", "kube-flannel"),
            ("flannel",),
            annotation=BACKEND_TYPE,
        ),
        # Calico's policies on flannel.
        PodNetwork("canal", "Canal", ("canal", "rke2-canal"), ("canal", "rke2-canal")),
    ),
    settings=Settings(_CONFIG, features, ("kube-flannel", "kube-system")),
)
