"""Whether two environments may be compared, and every field that stands against it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from podmeter.domain import modes
from podmeter.domain.fingerprint import flatten

if TYPE_CHECKING:
    from collections.abc import Collection

    from pydantic import JsonValue

    from podmeter.domain.fingerprint import Fingerprint


class Comparability(StrEnum):
    """`confounded` may be shown, with what else differs; `refused` may not."""

    COMPARABLE = "comparable"
    CONFOUNDED = "confounded"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that differs. `axis` is the compared axis it follows from, None if there is none."""

    field: str
    baseline: JsonValue
    contender: JsonValue
    axis: str | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """How comparable two environments are, and every differing field, explained ones included."""

    comparability: Comparability
    differences: tuple[Difference, ...]


#: Fields that a change on an axis brings with it, as patterns of dotted names.
FOLLOWS: dict[str, tuple[str, ...]] = {
    modes.KUBE_PROXY_MODE: (
        "kube_proxy.mode",
        "kube_proxy.sync_period",
        "kube_proxy.min_sync_period",
        "nodes.*.mtus.kube-ipvs0",
        "nodes.*.sysctls.net.ipv4.vs.*",
        # In IPVS mode kube-proxy sets these for its dummy device.
        "nodes.*.sysctls.net.ipv4.conf.all.arp_ignore",
        "nodes.*.sysctls.net.ipv4.conf.all.arp_announce",
    ),
    modes.ENCAPSULATION: (
        "cni.encapsulation",
        "cni.pod_mtu",
        "cni.features.encapsulation*",
        "cni.features.routing*",
        "cni.features.tunnel*",
        "cni.features.auto-direct-node-routes",
        "cni.features.ipv4-native-routing-cidr",
        "nodes.*.mtus.vxlan*",
        "nodes.*.mtus.tunl0",
        "nodes.*.mtus.flannel*",
        "nodes.*.mtus.cilium_*",
        "nodes.*.mtus.cni0",
        "nodes.*.mtus.geneve*",
    ),
    # The path decides on which node each end sits.
    "path": ("placement.client_node", "placement.server_node"),
    "client": ("placement.client_node",),
}

#: Fields that one value of an axis has and another has not; two known values still differ.
ABSENT_WITH: dict[str, tuple[str, ...]] = {
    # Where kube-proxy writes nftables, no iptables backend is its own.
    modes.KUBE_PROXY_MODE: ("nodes.*.iptables_backend",),
}

#: The axis `cluster` explains one field only; all others that differ confound it.
_CLUSTER_FIELDS = ("cluster_uid",)


def judge(
    baseline: Fingerprint, contender: Fingerprint, compared_axes: Collection[str]
) -> Judgement:
    """Whether the two may be compared on `compared_axes`.

    comparable: nothing differs but what follows from a compared axis. confounded: other fields
    differ too and `cluster` is among the axes. refused: other fields differ. A field that only
    one of the two knows differs: unknown is not equal to anything but unknown.
    """
    left, right = flatten(baseline), flatten(contender)
    differences = tuple(
        Difference(field, one, other, _axis_of(field, compared_axes, None in (one, other)))
        for field in sorted(left.keys() | right.keys())
        if (one := left.get(field)) != (other := right.get(field))
    )
    comparability = Comparability.COMPARABLE
    if any(difference.axis is None for difference in differences):
        confounded = modes.CLUSTER in compared_axes
        comparability = Comparability.CONFOUNDED if confounded else Comparability.REFUSED
    return Judgement(comparability, differences)


def _axis_of(field: str, compared_axes: Collection[str], absent: bool) -> str | None:
    for axis in sorted(compared_axes):
        patterns = _CLUSTER_FIELDS if axis == modes.CLUSTER else FOLLOWS.get(axis, ())
        if absent:
            patterns += ABSENT_WITH.get(axis, ())
        if any(fnmatchcase(field, pattern) for pattern in patterns):
            return axis
    return None
