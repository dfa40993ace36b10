"""What tells that a component was touched, though its mode is as before."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from podmeter_worker.kube.facts.component_state import (
    ComponentState,
    read_component_state,
    why_touched,
)

DAEMON_SET, CONFIG_MAP = "/daemon-set", "/config-map"


class Scripted:
    """A client of a cluster with a kube-proxy on two nodes."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {
            DAEMON_SET: {
                "metadata": {
                    "namespace": "kube-system",
                    "name": "kube-proxy",
                    "uid": "u",
                    "generation": 3,
                    "resourceVersion": "1",
                },
                "spec": {"selector": {"matchLabels": {"k8s-app": "kube-proxy"}}},
                "status": {"numberReady": 2},
            },
            CONFIG_MAP: {"metadata": {"resourceVersion": "7"}, "data": {"config.conf": "mode"}},
        }
        self.pods = [self.pod(f"p{n}", f"n{n}") for n in (1, 2)]

    def pod(self, uid: str, node: str, owner: str = "u") -> dict[str, Any]:
        return {
            "metadata": {"uid": uid, "ownerReferences": [{"uid": owner}]},
            "spec": {"nodeName": node},
            "status": {"containerStatuses": [{"restartCount": 0}]},
        }

    def get(self, path: str) -> dict[str, Any]:
        return copy.deepcopy(self.objects[path])

    def list_all(self, path: str, *, labels: str = "", fields: str = "") -> Any:
        assert (path, labels) == ("/api/v1/namespaces/kube-system/pods", "k8s-app=kube-proxy")
        return type("Listing", (), {"items": copy.deepcopy(self.pods)})

    def standing(self) -> ComponentState:
        return read_component_state(self, DAEMON_SET, CONFIG_MAP)  # type: ignore[arg-type]


def generation(cluster: Scripted) -> None:
    cluster.objects[DAEMON_SET]["metadata"]["generation"] += 2


def made_anew(cluster: Scripted) -> None:
    cluster.objects[DAEMON_SET]["metadata"]["uid"] = "v"
    cluster.pods = [cluster.pod(f"q{n}", f"n{n}", "v") for n in (1, 2)]


def configuration(cluster: Scripted) -> None:
    cluster.objects[CONFIG_MAP]["data"]["config.conf"] = "another"


def replaced(cluster: Scripted) -> None:
    cluster.pods[1]["metadata"]["uid"] = "p3"


def restarted(cluster: Scripted) -> None:
    cluster.pods[1]["status"]["containerStatuses"][0]["restartCount"] = 1


def status_alone(cluster: Scripted) -> None:
    cluster.objects[DAEMON_SET]["status"]["numberReady"] = 1
    cluster.objects[DAEMON_SET]["metadata"]["resourceVersion"] = "2"
    cluster.objects[CONFIG_MAP]["metadata"]["annotations"] = {"podmeter.io/stood-before": "{}"}


def another_node(cluster: Scripted) -> None:
    cluster.pods.append(cluster.pod("p3", "n3"))


def another_set_s_pod(cluster: Scripted) -> None:
    cluster.pods.append(cluster.pod("x", "n1", "another"))


@pytest.mark.parametrize(
    ("happens", "code"),
    [
        (generation, "touched_daemon_set"),
        (made_anew, "touched_daemon_set"),
        (configuration, "touched_config_map"),
        (replaced, "touched_pod"),
        (restarted, "touched_container"),
        (status_alone, None),
        (another_node, None),
        (another_set_s_pod, None),
    ],
)
def test_whatever_touches_it_is_told(happens: Callable[[Scripted], None], code: str | None) -> None:
    cluster = Scripted()
    before = cluster.standing()
    happens(cluster)
    found = why_touched(before, cluster.standing())
    assert (None if found is None else found.code) == code


def test_what_was_not_recorded_counts_as_touched() -> None:
    assert why_touched({}, Scripted().standing()) is not None


def test_a_pod_that_is_about_to_go_is_none_of_it() -> None:
    cluster = Scripted()
    cluster.pods[0]["metadata"]["deletionTimestamp"] = "2026-11-22T00:00:00Z"
    before = cluster.standing()
    del cluster.pods[0]
    assert why_touched(before, cluster.standing()) is None
