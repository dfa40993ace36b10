"""What dead workers left in a cluster is removed by the next look at it, whatever its label."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from podmeter.domain.errors import ConvergenceError
from podmeter_worker import cluster_preflight
from podmeter_worker.cluster_preflight import _Limit, _PodChecks
from podmeter_worker.kube.sweep import sweep_objects

from .kube.api_server import Answer, fake_api_server
from .kube.test_client import client_of

HELD: list[str] = []


class Lease:
    def acquire(self) -> None:
        HELD.append("held")

    def require(self) -> None:
        """Held."""


def test_a_look_removes_what_others_left_once_it_has_the_cluster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    HELD.clear()
    swept: list[str] = []

    def sweep(client: Any, label: str, **_: Any) -> None:
        assert HELD
        swept.append(label)
        if label == "look-old":
            raise ConvergenceError("a pod of it stays")

    monkeypatch.setattr(
        cluster_preflight, "run_labels", lambda client: {"look-old", "0123456789ab", "look-own"}
    )
    monkeypatch.setattr(cluster_preflight, "sweep_objects", sweep)
    client: Any = SimpleNamespace(guard=None)
    lease: Any = Lease()
    _PodChecks(client, "look-own", _Limit(60.0, time.monotonic()), lease).begin()
    assert sorted(swept) == ["0123456789ab", "look-old"]


def test_a_pod_on_a_dead_node_is_not_waited_for(tmp_path: Any) -> None:
    def pods(*nodes: str) -> Answer:
        items = [
            {"metadata": {"name": f"p-{n}", "namespace": "podmeter"}, "spec": {"nodeName": n}}
            for n in nodes
        ]
        return Answer(document={"items": items, "metadata": {"resourceVersion": "1"}})

    none = pods()
    with fake_api_server(tmp_path) as api, client_of(api, 0.0) as client:
        # Ingresses, policies, Services, slices, pods, their deletion, what is left, the host's.
        api.answers = [none, none, none, none, pods("n1", "n2"), none, pods("n2"), none]
        found = sweep_objects(client, "look-old", dead_nodes=("n2",), seconds=5)
    assert found.pods == 2
