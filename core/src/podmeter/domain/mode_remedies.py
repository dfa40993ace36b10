"""What can be done about a mode that a cluster cannot have, by why it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.by_hand import can_be_switched, how_to
from podmeter.domain.messages import say
from podmeter.domain.modes import Encapsulation

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue
    from podmeter.domain.messages import Message

#: The reason's code -> the kernel module that it lacks.
_MODULES = {
    "kernel_no_ipvs": "ip_vs",
    "kernel_no_vxlan": "vxlan",
    "kernel_no_geneve": "geneve",
    "kernel_no_ipip": "ipip",
    "kernel_no_wireguard": "wireguard",
    "kernel_no_tun": "tun",
}


def remedy_for(why: Message, cluster: str, axis: str, value: AxisValue) -> Message:
    """The remedy that fits a reason; of a reason with inner ones, the inner remedy."""
    reason = why.innermost
    if reason.code in _MODULES:
        module, nodes = _MODULES[reason.code], reason.params["nodes"]
        return say("fix_module", module=module, nodes=nodes, value=value)
    if reason.code == "kernel_no_nftables":
        return say("fix_kernel", nodes=reason.params["nodes"], value=value)
    if reason.code == "felix_decides":
        return say("fix_felix", name=reason.params["name"], value=value)
    if reason.code == "calico_nobody_routes":
        return say("fix_bgp", value=value)
    if reason.code == "proxy_too_old":
        return say("fix_proxy_version", value=value)
    if can_be_switched(reason, seen=False):
        how = how_to(reason, axis, value)
        return say("fix_by_hand", how=how, cluster=cluster, axis=axis)
    if reason.code == "proxy_static":
        return say("fix_provider", axis=axis)
    if reason.code == "hosts_unseen":
        return say("fix_manifest", capability="host_access", cluster=cluster)
    if is_like_none(reason):
        return say("fix_like_none", axis=axis, value=value)
    if why.code == "axis_not_switchable":
        return say("fix_leave_axis", axis=axis)
    return say("fix_leave_value", axis=axis, value=value)


def is_like_none(why: Message) -> bool:
    """Whether a mode is refused because it does here what `none` does."""
    reason = why.innermost
    return reason.code == "one_subnet" and reason.params.get("like") == Encapsulation.NONE
