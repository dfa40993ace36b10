"""The nodes, and which of them take measuring pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podmeter.domain.messages import Message, say
from podmeter.domain.ports import Node
from podmeter_worker.kube.resources import NODES
from podmeter_worker.kube.told import name_of, text_of

if TYPE_CHECKING:
    from podmeter_worker.kube.client import KubeClient
    from podmeter_worker.kube.resources import Object


def measuring_nodes(client: KubeClient) -> tuple[Node, ...]:
    """The Linux nodes that are ready and take measuring pods, sorted by name."""
    listing = client.list_all(NODES.path())
    found = [read_node(item) for item in listing.items if why_unfit(item) is None]
    return tuple(sorted(found, key=lambda node: node.name))


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
        if taint["effect"] in ("NoSchedule", "NoExecute"):
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


def pod_network(item: Object) -> str | None:
    """The IPv4 range that a node's pods get their addresses from, where nodes have such."""
    ranges = item["spec"].get("podCIDRs") or [item["spec"].get("podCIDR")]
    return next((text for text in ranges if text and ":" not in text), None)
