"""flannel, by its ConfigMap and DaemonSet as its own manifest installs them."""

from __future__ import annotations

from podmeter.domain.components.component import Component
from podmeter.domain.guards import Check, Guard, unchanged_but
from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION
from podmeter.domain.rights import Right

_KEY = "net-conf.json"
#: The secret among the settings of flannel's backends, in lower case: WireGuard's pre-shared key.
#: flannel takes the names of settings in any case.
PRE_SHARED_KEY = "psk"
#: flannel's backend "extension" runs any command as root; an escape could hide the word.
_CONFIGURATION = Guard(
    name="flannel-configuration",
    group="",
    resources=("configmaps",),
    object_name="kube-flannel-cfg",
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

FLANNEL = Component(
    name="flannel",
    axis=ENCAPSULATION,
    rights=(
        # By name wherever it is: a role in a namespace that a cluster lacks cannot be applied.
        Right(
            "", "configmaps", ("patch",), say("right_patch_flannel"), names=("kube-flannel-cfg",)
        ),
    ),
    guards=(_CONFIGURATION,),
    # Those of its backends, and the bridge that takes their MTU.
    devices=("flannel*", "cni0"),
)
