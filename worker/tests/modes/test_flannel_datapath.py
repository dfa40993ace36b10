"""What nodes show while flannel changes its backend, as seen on slow ones."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest

from podmeter.domain.messages import Message
from podmeter.domain.modes import Encapsulation
from podmeter.domain.ports import CommandOutput
from podmeter.drivers import route
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.node_shells import NodeShell
from podmeter_worker.modes import bridges
from podmeter_worker.modes.flannel import datapath as flannel_datapath
from podmeter_worker.modes.switcher import SwitchContext

PODS = {"node-1": "10.244.1.0/24", "node-2": "10.244.2.0/24"}
LINKS = {"eth0": 1500, "flannel.1": 1450}
DEFAULT = {"dst": "default", "gateway": "10.89.0.1", "dev": "eth0"}


def to(node: str, device: str) -> dict[str, str]:
    return {"dst": PODS[node], "gateway": "10.89.0.12", "dev": device}


@dataclass
class Node:
    """Stands for a NodeShell: its routes, and the MTUs of its bridge and of the pods on that."""

    node: str
    routes: Sequence[dict[str, Any]]
    mtus: Sequence[int] = ()

    @property
    def pods(self) -> str:
        return PODS[self.node]

    def run(self, argv: Sequence[str]) -> CommandOutput:
        return CommandOutput(self._said(tuple(argv)), "", 0, 0.0)

    def _said(self, argv: tuple[str, ...]) -> str:
        if argv == bridges.argv("cni0"):
            return "".join(f"{mtu}\n" for mtu in self.mtus)
        if argv == ("ip", "-j", "-4", "route", "show"):
            return json.dumps(self.routes)
        if argv == ("ls", "/sys/class/net"):
            return "\n".join({"lo", "cni0", *(one["dev"] for one in self.routes)})
        assert argv[:2] == route.argv("")[:2]
        # The longest comes last.
        links = [{"ifname": name, "mtu": mtu} for name, mtu in LINKS.items()]
        return f"{json.dumps(self.routes[-1:])}\n{json.dumps(links)}\n"


def site_of(*nodes: Node) -> SwitchContext:
    shells = {one.node: cast("NodeShell", one) for one in nodes}
    return SwitchContext(cast("KubeClient", None), shells, lambda: None, lambda step: None)


def code(said: str | None) -> str | None:
    return None if said is None else Message.of(said).code


@pytest.mark.parametrize(
    ("routes", "why"),
    [
        # The old backend is gone and flannel has not gone on: pods made now get the old MTU.
        ([DEFAULT], "no_route_to_pods"),
        ([DEFAULT, to("node-2", "flannel.1")], "packets_through"),
        ([DEFAULT, to("node-2", "eth0")], None),
    ],
)
def test_the_default_route_is_not_taken_for_host_gws(
    routes: list[dict[str, str]], why: str | None
) -> None:
    context = site_of(Node("node-1", routes), Node("node-2", [DEFAULT, to("node-1", "eth0")]))
    assert code(flannel_datapath.why_wrong_route(context, Encapsulation.HOST_GW)) == why


@pytest.mark.parametrize(
    ("mtus", "wrong"),
    [
        ((), None),
        ((1500,), None),
        ((1450, 1450, 1450), None),
        ((1500, 1500), "pod_mtu"),
        # One pod of before the switch, whose MTU its bridge does not show.
        ((1450, 1450, 1500), "pod_mtu"),
    ],
)
def test_each_pod_has_the_mtu_of_the_way_to_others(
    mtus: tuple[int, ...], wrong: str | None
) -> None:
    first = Node("node-1", [DEFAULT, to("node-2", "flannel.1")], mtus)
    second = Node("node-2", [DEFAULT, to("node-1", "flannel.1")], (1450, 1450))
    found = flannel_datapath.wrong_mtus(site_of(first, second))
    assert {node: why.code for node, why in found.items()} == ({"node-1": wrong} if wrong else {})
