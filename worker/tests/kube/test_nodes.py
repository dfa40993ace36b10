"""Which nodes take measuring pods, and which will once they are well again."""

from types import SimpleNamespace
from typing import Any

import pytest

from podmeter.domain.safety import NodeCondition
from podmeter_worker.kube.facts.nodes import (
    measuring_nodes,
    node_conditions,
    node_standing,
    zone_of,
)

NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}
UNREACHABLE = {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}
UNINITIALIZED = {
    "key": "node.cloudprovider.kubernetes.io/uninitialized",
    "effect": "NoSchedule",
}


def node(name: str, *taints: dict[str, str], ready: str = "True", **changes: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "spec": {"taints": list(taints), "unschedulable": changes.get("cordoned", False)},
        "status": {
            "nodeInfo": {
                "operatingSystem": changes.get("system", "linux"),
                "architecture": "amd64",
                "bootID": "b",
            },
            "conditions": [{"type": "Ready", "status": ready}],
            "addresses": [{"type": "InternalIP", "address": "192.0.2.1"}],
        },
    }


def client(*items: dict[str, Any]) -> Any:
    return SimpleNamespace(list_all=lambda _: SimpleNamespace(items=list(items)))


@pytest.mark.parametrize(
    "ailing",
    [
        node("n1", UNREACHABLE),
        node("n1", NOT_READY, UNREACHABLE, ready="Unknown"),
        node("n1", ready="False"),
        node("n1", UNINITIALIZED),
    ],
)
def test_what_kubernetes_itself_keeps_from_a_node_passes(ailing: dict[str, Any]) -> None:
    standing = node_standing(client(ailing, node("n2")))
    assert standing.taking == 1
    (said,) = standing.recovering
    assert said.startswith("n1: ")
    assert [one.name for one in measuring_nodes(client(ailing, node("n2")))] == ["n2"]


@pytest.mark.parametrize(
    "lost",
    [
        node("n1", {"key": "dedicated", "effect": "NoSchedule"}),
        node("n1", UNREACHABLE, {"key": "dedicated", "effect": "NoExecute"}),
        node("n1", {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}),
        node("n1", cordoned=True, ready="False"),
        node("n1", system="windows", ready="False"),
    ],
)
def test_what_somebody_has_to_change_is_not_waited_for(lost: dict[str, Any]) -> None:
    standing = node_standing(client(lost))
    assert (standing.taking, standing.recovering) == (0, ())


@pytest.mark.parametrize(
    ("labels", "zone"),
    [({"topology.kubernetes.io/zone": "eu-1a"}, "eu-1a"), ({}, None), (None, None)],
)
def test_a_node_is_in_the_zone_that_it_is_labelled_with(
    labels: dict[str, str] | None, zone: str | None
) -> None:
    item = node("n1")
    item["metadata"]["labels"] = labels
    assert zone_of(item) == zone
    assert zone_of(node("n1")) is None


def test_conditions_that_stop_a_run_are_told_of_each_node() -> None:
    pressed = node("n2")
    pressed["status"]["conditions"] += [
        {"type": "DiskPressure", "status": "True"},
        {"type": "MemoryPressure", "status": "False"},
        {"type": "NetworkUnavailable", "status": "True"},
    ]
    found = node_conditions(client(pressed, node("n1", ready="Unknown")))
    assert found == (
        NodeCondition("n1", ready=False),
        NodeCondition("n2", ready=True, pressures=("DiskPressure",)),
    )
