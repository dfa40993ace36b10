"""Podmeter in the cluster that it measures: its pods must not be recreated."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.labels import SERVICE
from podmeter.domain.messages import Message
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.modes import own_pods, pod_renewal
from podmeter_worker.modes.switcher import SwitchContext

from ..kube.object_server import Objects

OWNER = {"kind": "ReplicaSet", "uid": "of-it", "controller": True}


@pytest.fixture
def context(objects: Objects) -> Iterator[SwitchContext]:
    access = ClusterAccess(objects.kept, AddressPolicy.of(["127.0.0.0/8"]))
    with KubeClient(access, patience_seconds=5) as client:
        yield SwitchContext(client, {}, lambda: None, lambda step: None)


def put(objects: Objects, name: str, address: str = "10.244.0.9", **more: Any) -> None:
    body = {
        "metadata": {"ownerReferences": [OWNER], **more.pop("metadata", {})},
        "spec": more,
        "status": {"podIP": address},
    }
    objects.put(f"/api/v1/namespaces/tools/pods/{name}", body)


def why(context: SwitchContext) -> Message | None:
    said = pod_renewal.why_not(context)
    return None if said is None else Message.of(said)


def test_pods_of_others_are_renewed(objects: Objects, context: SwitchContext) -> None:
    put(objects, "shop")
    assert why(context) is None


@pytest.mark.parametrize("part", ["worker", "postgres", "redis"])
def test_podmeters_own_are_not_whoever_looks(
    objects: Objects, context: SwitchContext, part: str
) -> None:
    put(objects, "shop")
    put(objects, f"podmeter-{part}-0", metadata={"labels": {SERVICE: part}})
    said = why(context)
    assert said is not None
    assert said.code == "podmeter_inside"
    assert said.params["pods"] == [f"tools/podmeter-{part}-0"]


def test_those_on_the_nodes_own_network_are_in_nobodys_way(
    objects: Objects, context: SwitchContext
) -> None:
    put(objects, "podmeter-worker", hostNetwork=True, metadata={"labels": {SERVICE: "worker"}})
    assert why(context) is None


@pytest.fixture
def in_a_pod(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """This process as if in a pod of this name, at 10.244.0.7."""
    name = "a-worker-that-somebody-deployed-by-hand-7d9c6b5f4-x2x7z-and-still-on"
    own_pods._here.cache_clear()
    monkeypatch.setattr(socket, "gethostname", lambda: name[:63])
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.244.0.7", 0))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda name, port: found)
    yield name
    own_pods._here.cache_clear()


def test_a_worker_knows_the_pod_that_it_runs_in(
    objects: Objects, context: SwitchContext, in_a_pod: str
) -> None:
    own_pods._here()
    pod = {"metadata": {"name": in_a_pod}, "status": {"podIP": "10.244.0.7"}}
    assert own_pods.is_own(pod)
    # A pod of that name in another cluster has another address, or another pod has that address.
    assert not own_pods.is_own({**pod, "status": {"podIP": "10.244.0.8"}})
    assert not own_pods.is_own({**pod, "metadata": {"name": "shop"}})
    assert not own_pods.is_own({**pod, "status": {}})


def test_a_machine_without_a_name_server_is_in_no_pod(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(name: str, port: object) -> list[object]:
        raise socket.gaierror("Name or service not known")

    own_pods._here.cache_clear()
    monkeypatch.setattr(socket, "getaddrinfo", fails)
    pod = {"metadata": {"name": socket.gethostname()}, "status": {"podIP": "10.244.0.7"}}
    assert not own_pods.is_own(pod)
    own_pods._here.cache_clear()
