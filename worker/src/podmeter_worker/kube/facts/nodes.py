"""The nodes, and which of them take measuring pods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podmeter.domain.messages import Message, say
from podmeter.domain.ports import Node
from podmeter.domain.safety import NodeCondition
from podmeter_worker.kube.resources import NODES
from podmeter_worker.kube.untrusted_fields import name_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object


@dataclass(frozen=True, slots=True)
class NodeReadiness:
    """How many nodes take measuring pods; of each that does not for the moment, why."""

    taking: int
    recovering: tuple[Message, ...]


def measuring_nodes(client: KubeClient) -> tuple[Node, ...]:
    """The Linux nodes that are ready and take measuring pods, sorted by name."""
    listing = client.list_all(NODES.path())
    found = [read_node(item) for item in listing.items if why_unfit(item) is None]
    return tuple(sorted(found, key=lambda node: node.name))


def unfit_nodes(client: KubeClient) -> tuple[tuple[Node, ...], dict[str, Message]]:
    """The nodes that take measuring pods, by name, and why each other one does not."""
    items = client.list_all(NODES.path()).items
    whys = {name_of(item): why for item in items if (why := why_unfit(item)) is not None}
    fit = [node for item in items if (node := read_node(item)).name not in whys]
    return tuple(sorted(fit, key=lambda node: node.name)), whys


#: Taints of Kubernetes' own, which it takes away once the node is well again; not that of a cordon.
_PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure")
_CORDON = "node.kubernetes.io/unschedulable"


def node_standing(client: KubeClient) -> NodeReadiness:
    """How many nodes take measuring pods, and which others will once they are well again.

    After an outage of the API server every node is tainted for a while.
    """
    items = client.list_all(NODES.path()).items
    unfit = [(item, why) for item in items if (why := why_unfit(item)) is not None]
    recovering = [
        say("on_node", node=name_of(item), what=why) for item, why in unfit if _may_pass(item)
    ]
    return NodeReadiness(len(items) - len(unfit), tuple(sorted(recovering)))


def node_conditions(client: KubeClient) -> tuple[NodeCondition, ...]:
    """What the cluster says of each node, by name."""
    found = [
        NodeCondition(name_of(item), is_ready(item), _pressures(item))
        for item in client.list_all(NODES.path()).items
    ]
    return tuple(sorted(found, key=lambda one: one.name))


def _pressures(item: Object) -> tuple[str, ...]:
    """The kubelet's conditions of a node that is short of something."""
    conditions = item["status"].get("conditions") or []
    return tuple(
        one["type"] for one in conditions if one["type"] in _PRESSURES and one["status"] == "True"
    )


def _may_pass(item: Object) -> bool:
    """Whether nobody needs to do anything for the node to take measuring pods again."""
    taints = [taint["key"] for taint in item["spec"].get("taints") or [] if _repels(taint)]
    return (
        item["status"]["nodeInfo"]["operatingSystem"] == "linux"
        and not item["spec"].get("unschedulable")
        and internal_address(item) is not None
        and all(key.startswith(_PASSING) and key != _CORDON for key in taints)
    )


def _repels(taint: Mapping[str, str]) -> bool:
    return taint["effect"] in ("NoSchedule", "NoExecute")


def read_node(item: Object) -> Node:
    """A node object as the domain knows it; the address is '' where it has no IPv4 one."""
    info = item["status"]["nodeInfo"]
    return Node(
        name=name_of(item),
        address=internal_address(item) or "",
        architecture=text_of(info["architecture"]),
        boot_id=text_of(info["bootID"]),
    )


def why_unfit(item: Object) -> Message | None:
    """Why a node takes no measuring pods, or None."""
    if item["status"]["nodeInfo"]["operatingSystem"] != "linux":
        return say("not_linux")
    if not is_ready(item):
        return say("not_ready")
    if item["spec"].get("unschedulable"):
        return say("cordoned")
    for taint in item["spec"].get("taints") or []:
        if _repels(taint):
            return say("tainted", taint=taint["key"])
    if internal_address(item) is None:
        return say("no_ipv4")
    return None


def is_ready(item: Object) -> bool:
    """Whether a node's condition Ready is true."""
    conditions = item["status"].get("conditions") or []
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def internal_address(item: Object) -> str | None:
    """A node's internal IPv4 address."""
    for address in item["status"].get("addresses") or []:
        if address["type"] == "InternalIP" and ":" not in address["address"]:
            return text_of(address["address"])
    return None


def zone_of(item: Object) -> str | None:
    """The zone that a node is in, where it is labelled so (Kubernetes, "Well-Known Labels")."""
    zone = (item["metadata"].get("labels") or {}).get("topology.kubernetes.io/zone")
    return text_of(zone) if zone else None


def pod_network(item: Object) -> str | None:
    """The IPv4 range that a node's pods get their addresses from, where nodes have such."""
    ranges = item["spec"].get("podCIDRs") or [item["spec"].get("podCIDR")]
    return next((text for text in ranges if text and ":" not in text), None)
