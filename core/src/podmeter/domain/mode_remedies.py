"""What can be done about a mode that a cluster cannot have, by why it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import Message, say
from podmeter.domain.modes import Encapsulation

if TYPE_CHECKING:
    from podmeter.domain.axes import AxisValue

#: The reason's code -> the kernel module that it lacks.
_MODULES = {
    "kernel_no_ipvs": "ip_vs",
    "kernel_no_vxlan": "vxlan",
    "kernel_no_geneve": "geneve",
    "kernel_no_ipip": "ipip",
    "kernel_no_wireguard": "wireguard",
    "kernel_no_tun": "tun",
}
#: Reasons that are about the whole axis, and who decides it.
_BY_FLAG = {"proxy_built_in": "fix_proxy_flag", "flannel_built_in": "fix_flannel_flag"}
_AKS = "AKS"


def remedy_for(why: Message, cluster: str, axis: str, value: AxisValue) -> Message:
    """The remedy that fits a reason; a reason that wraps others is looked into."""
    reason = _inner(why)
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
    if reason.code in _BY_FLAG:
        return say(_BY_FLAG[reason.code], axis=axis, value=value)
    if reason.code == "proxy_of_provider" and reason.params["provider"] == _AKS:
        return say("fix_aks", axis=axis)
    if reason.code in ("proxy_of_provider", "proxy_static"):
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
    reason = _inner(why)
    return reason.code == "one_subnet" and reason.params.get("like") == Encapsulation.NONE


def _inner(why: Message) -> Message:
    """The one reason inside others, such as a component's inside an axis'."""
    for name in ("reasons", "why"):
        found = why.params.get(name)
        if isinstance(found, list) and len(found) == 1:
            found = found[0]
        if isinstance(found, dict) and {"code", "params", "text"} <= found.keys():
            return _inner(Message.read(found))
    return why
