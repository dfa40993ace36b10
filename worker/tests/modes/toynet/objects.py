"""A cluster with Toynet of objects: its agents read their ConfigMap when their pods are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.tests.toynet import component as toynet

from podmeter_worker.kube.resources import CONFIG_MAPS, DAEMON_SETS, Object

from ..cluster_of_objects import (
    NODES_OF,
    ClusterOfObjects,
    NodeOfObjects,
    daemon_set,
    link,
    node_of,
)

CONFIG = CONFIG_MAPS.path(toynet.NAMESPACE, toynet.CONFIG)
DAEMON_SET = DAEMON_SETS.path(toynet.NAMESPACE, toynet.DAEMON_SET)


@dataclass
class Toynet(ClusterOfObjects):
    """The cluster. `agents` are the values that nodes are in."""

    switched: ClassVar = (CONFIG, DAEMON_SET)

    def set_up(self, value: str = "none") -> None:
        wrap = "yes" if value == toynet.TOY else "no"
        self.put(CONFIG, {"data": {toynet.KEY: wrap, "colour": "red"}})
        container = {"name": "agent", "image": "toynet:v1.2.3"}
        self.put(DAEMON_SET, daemon_set(toynet.DAEMON_SET, container))
        self.populate(toynet.DAEMON_SET)

    def shells(self) -> dict[str, Node]:
        return {node: Node(node, self) for node in NODES_OF}

    def _follow(self, node: str) -> bool:
        wraps = self.at[CONFIG]["data"][toynet.KEY] == "yes"
        self.agents[node] = toynet.TOY if wraps else "none"
        return True

    def _mtu(self, node: str) -> int:
        return 1500


@dataclass
class Node(NodeOfObjects):
    """One of its nodes."""

    cluster: Toynet

    def links(self) -> list[Object]:
        return [link("eth0", 1500), link(toynet.DEVICE, 1500)]

    def way(self, address: str) -> Object:
        peer = node_of(address)
        if peer is not None and self.cluster.agents[self.node] == toynet.TOY:
            return {"dev": toynet.DEVICE}
        return {} if peer is None else {"gateway": NODES_OF[peer]}
