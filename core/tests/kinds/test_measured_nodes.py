"""Which nodes of a cluster a switch of kube-proxy's mode has to reach for an experiment."""

from typing import Any

import pytest

from podmeter.domain.errors import PreconditionError
from podmeter.domain.node_pairs import KnownNode
from podmeter.kinds.measured_nodes import measured_nodes
from podmeter.kinds.registry import KINDS, read_spec, resolve, with_pairs

NODES = [KnownNode(name) for name in ("n4", "n2", "n1", "n3")]
BY_TWO = {"n1", "n2"}


def measured(kind: str, nodes: list[KnownNode] = NODES, **given: Any) -> frozenset[str] | None:
    document = {"name": "any", "kind": kind, **given}
    return measured_nodes(with_pairs(resolve(read_spec(document)), nodes), nodes)


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_choice_the_first_two_by_name_measure(kind: str) -> None:
    assert measured(kind) == BY_TWO


@pytest.mark.parametrize(
    ("kind", "parameters", "expected"),
    [
        ("service_scale", {"backend_node": "n1"}, {"n1", "n2"}),
        ("service_scale", {"client_node": "n3", "backend_node": "n4"}, {"n3", "n4"}),
        ("throughput", {"client_node": "n4"}, {"n4", "n1"}),
    ],
)
def test_nodes_that_are_named_measure(
    kind: str, parameters: dict[str, str], expected: set[str]
) -> None:
    assert measured(kind, parameters=parameters) == expected


def test_a_node_that_is_not_there_is_an_error() -> None:
    with pytest.raises(PreconditionError, match="n9"):
        measured("service_scale", parameters={"client_node": "n9"})


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["n1~n2", "n3~n1"], {"n1", "n2", "n3"}),
        (["n1~gone"], {"n1"}),
        (["all"], {"n1", "n2", "n3", "n4"}),
    ],
)
def test_all_nodes_of_pairs_measure(values: list[str], expected: set[str]) -> None:
    assert measured("throughput", axes={"node_pair": values, "path": ["pod-pod"]}) == expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["pod-service-name", "node-nodeport"], BY_TWO),
        (["outside-nodeport"], BY_TWO),
        # Any node may announce a load balancer's address, or run the controller.
        (["pod-service-name", "outside-loadbalancer"], None),
        (["pod-ingress"], None),
    ],
)
def test_where_any_node_may_be_passed_all_are_switched(
    paths: list[str], expected: set[str] | None
) -> None:
    assert measured("request_latency", axes={"path": paths}) == expected


def test_the_only_node_measures() -> None:
    assert measured("service_scale", NODES[:1]) == {"n4"}
