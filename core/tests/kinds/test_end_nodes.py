"""The ends of a run's paths sit on nodes that are in its modes, whichever nodes join or go."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from bench.scripted.lab import FakeLab

from podmeter.domain.errors import PreconditionError
from podmeter.domain.ports import ExecTarget, Node
from podmeter.kinds.registry import KINDS, plan, read_spec, resolve

#: Small ones of each kind, with no node named.
AXES = {
    "throughput": {"path": ["pod-pod"]},
    "transport": {"path": ["pod-pod"]},
    "request_latency": {"path": ["pod-service-name"]},
    "service_scale": {"services": [10], "probe": ["qps"]},
    "network_policy": {"policies": [0], "response_size": ["0.5k"]},
}


@dataclass
class OfSwitched(FakeLab):
    """A run has switched n1 and n2 alone; n0 has joined since, and is the first by name."""

    node_names: tuple[str, ...] = ("n0", "n1", "n2")

    def end_nodes(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes() if node.name != "n0")

    def node_shells(self) -> tuple[ExecTarget, ...]:
        return tuple(place for place in super().node_shells() if place.node != "n0")


def prepared_on(kind: str, lab: FakeLab) -> set[str | None]:
    """The nodes on which pods stand once the first block of a kind is prepared."""
    spec = resolve(read_spec({"name": "any", "kind": kind, "axes": AXES[kind]}))
    block = plan(spec)[0].of_kind
    with KINDS[kind].prepared(lab, spec, block):
        return {place.node for place in lab.places.values()}


@pytest.mark.parametrize("kind", KINDS)
def test_ends_sit_on_nodes_that_are_in_the_runs_modes(kind: str) -> None:
    assert prepared_on(kind, OfSwitched()) == {"n1", "n2"}


@pytest.mark.parametrize("kind", KINDS)
def test_of_those_that_are_left_too_few_are_refused(kind: str) -> None:
    with pytest.raises(PreconditionError, match="needs two nodes"):
        prepared_on(kind, OfSwitched(node_names=("n0", "n1")))
