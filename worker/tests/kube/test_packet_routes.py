"""How packets leave for the pods of other nodes, asked by these pods' own addresses."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from podmeter.domain.ports import Access, CommandOutput, ExecTarget
from podmeter_worker.kube.facts.cni import encapsulation_of
from podmeter_worker.kube.facts.observation import ways_to

CAPTURED = Path(__file__).parents[3] / "core/tests/fixtures/iproute2-6.15"


def printed(name: str) -> CommandOutput:
    return CommandOutput((CAPTURED / f"{name}.stdout").read_text(), "", 0, 0.01)


class Shell(SimpleNamespace):
    """Calico's IPAM gave its pods addresses outside podCIDR: only those are tunnelled."""

    asked: list[tuple[str, ...]]

    def run(self, argv: Sequence[str]) -> CommandOutput:
        self.asked.append(tuple(argv[-2:]))
        address = argv[-2]
        if address == "192.168.9.9":
            return CommandOutput("", "RTNETLINK answers: Network is unreachable", 2, 0.01)
        return printed("vxlan" if address.startswith("192.168.") else "route")


def places(*addresses: str) -> list[ExecTarget]:
    return [
        ExecTarget(f"probe-{number}", address, f"n{number}", Access.POD)
        for number, address in enumerate(addresses, start=1)
    ]


def test_the_pods_own_addresses_are_asked_for_on_every_other_node() -> None:
    shell: Any = Shell(node="n1", pods="10.244.0.0/24", asked=[])
    addresses = {"n1": "10.99.0.1", "n2": "10.99.0.2", "n3": None}
    found = ways_to(shell, places("192.168.1.1", "192.168.2.2", "192.168.3.3"), addresses)
    assert shell.asked == [("192.168.2.2", "10.99.0.2"), ("192.168.3.3", "")]
    assert {encapsulation_of(way, "calico") for way in found} == {"vxlan"}
    assert {way.nic for way in found} == {"v0"}


def test_a_pod_without_a_way_is_left_out() -> None:
    shell: Any = Shell(node="n1", asked=[])
    found = ways_to(shell, places("192.168.1.1", "192.168.9.9"), {"n2": "10.99.0.2"})
    assert found == []


def test_nodes_that_differ_have_no_common_answer() -> None:
    shell: Any = Shell(node="n1", asked=[])
    found = ways_to(shell, places("10.1.1.1", "192.168.2.2", "10.1.3.3"), {})
    assert {encapsulation_of(way, "calico") for way in found} == {"vxlan", "none"}
