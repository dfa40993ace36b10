"""flannel, by its ConfigMap and DaemonSet as its own manifest installs them."""

from __future__ import annotations

from podmeter.domain.components.component import Component
from podmeter.domain.messages import say
from podmeter.domain.modes import ENCAPSULATION
from podmeter.domain.rights import Right

FLANNEL = Component(
    name="flannel",
    axis=ENCAPSULATION,
    rights=(
        # By name wherever it is: a role in a namespace that a cluster lacks cannot be applied.
        Right(
            "", "configmaps", ("patch",), say("right_patch_flannel"), names=("kube-flannel-cfg",)
        ),
    ),
    # Those of its backends, and the bridge that takes their MTU.
    devices=("flannel*", "cni0"),
)
