"""What scripted API servers answer, without the network: the rules of a real one."""

from typing import Any

import pytest
from bench.scripted import api
from bench.scripted.kinds import Kind
from bench.scripted.store import Key, Store

PODS = "/api/v1/namespaces/podmeter/pods"
MERGE = "application/merge-patch+json"


@pytest.fixture
def store() -> Store:
    store = Store()
    store.create(Key("v1", "namespaces", "", "podmeter"), {})
    return store


def ask(
    store: Store, method: str, path: str, body: Any = None, **query: str
) -> tuple[int, dict[str, Any]]:
    return api.answer(store, method, path, query, MERGE, body)


def pod(name: str = "a") -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"nodeName": "node-1"}}


def test_a_dry_run_says_what_would_be_and_writes_nothing(store: Store) -> None:
    before = dict(store.objects)
    status, made = ask(store, "POST", PODS, pod(), dryRun="All")
    assert (status, made["kind"], made["metadata"]["namespace"]) == (201, "Pod", "podmeter")
    assert store.objects == before
    ask(store, "POST", PODS, pod())
    assert ask(store, "POST", PODS, pod(), dryRun="All")[0] == 409
    before = dict(store.objects)
    change = {"metadata": {"labels": {"x": "y"}}}
    _, changed = ask(store, "PATCH", f"{PODS}/a", change, dryRun="All")
    assert changed["metadata"]["labels"] == {"x": "y"}
    assert store.objects == before


def test_custom_resources_are_served_once_their_kind_is_known(store: Store) -> None:
    version, path = "crd.projectcalico.org/v1", "/apis/crd.projectcalico.org/v1"
    pool = {"metadata": {"name": "default"}, "spec": {"cidr": "10.244.0.0/16"}}
    for method, asked in (("GET", path), ("GET", f"{path}/ippools"), ("POST", f"{path}/ippools")):
        assert ask(store, method, asked, pool)[0] == 404
    store.kinds[version, "ippools"] = Kind("IPPool", namespaced=False)
    assert [one["name"] for one in ask(store, "GET", path)[1]["resources"]] == ["ippools"]
    assert ask(store, "GET", f"{path}/ippools")[1]["kind"] == "IPPoolList"
    assert ask(store, "POST", f"{path}/ippools", pool)[1]["kind"] == "IPPool"
    assert (version, "ippools") not in Store().kinds


@pytest.mark.parametrize("kubelets", [True, False])
def test_a_kubelet_ends_deleted_pods_where_there_is_one(store: Store, kubelets: bool) -> None:
    store.kubelets = kubelets
    ask(store, "POST", PODS, pod())
    assert ask(store, "DELETE", f"{PODS}/a")[0] == 200
    status, left = ask(store, "GET", f"{PODS}/a")
    assert status == (200 if kubelets else 404)
    assert ("deletionTimestamp" in left.get("metadata", {})) == kubelets


def test_a_scale_is_that_of_the_deployment(store: Store) -> None:
    path = "/apis/apps/v1/namespaces/podmeter/deployments"
    ask(store, "POST", path, {"metadata": {"name": "worker"}, "spec": {"paused": True}})
    assert ask(store, "GET", f"{path}/worker/scale")[1]["spec"] == {"replicas": 1}
    _, scale = ask(store, "PATCH", f"{path}/worker/scale", {"spec": {"replicas": 3}})
    assert (scale["kind"], scale["spec"]) == ("Scale", {"replicas": 3})
    assert ask(store, "GET", f"{path}/worker")[1]["spec"] == {"paused": True, "replicas": 3}


def test_no_client_decides_what_is_the_servers(store: Store) -> None:
    own = {"uid": "mine", "generation": 7, "creationTimestamp": "2026-01-01T00:00:00Z"}
    _, made = ask(store, "POST", PODS, {**pod(), "metadata": {"name": "a", **own}})
    assert not own.items() & made["metadata"].items()
    change = {"metadata": {"generation": 7}, "spec": {"nodeName": "node-2"}}
    _, changed = ask(store, "PATCH", f"{PODS}/a", change)
    assert changed["metadata"]["generation"] == 2
    key = Key("v1", "pods", "podmeter", "a")
    assert store.put(key, {**changed, "metadata": own})["metadata"].items() >= own.items()


def test_what_changes_nothing_makes_no_version_and_no_field(store: Store) -> None:
    path = "/api/v1/namespaces/podmeter/configmaps"
    ask(store, "POST", path, {"metadata": {"name": "a"}, "data": {"x": "y"}})
    _, before = ask(store, "GET", f"{path}/a")
    assert "status" not in before
    assert ask(store, "PUT", f"{path}/a", before)[1] == before
    assert ask(store, "PATCH", f"{path}/a", {"data": {"x": "y"}})[1] == before
    assert ask(store, "PATCH", f"{path}/a", {"data": {"x": "z"}})[1] != before


def test_items_of_a_list_have_no_types(store: Store) -> None:
    ask(store, "POST", PODS, {**pod(), "apiVersion": "v1", "kind": "Pod"})
    _, listed = ask(store, "GET", PODS)
    assert listed["kind"] == "PodList"
    assert [one.keys() & {"apiVersion", "kind"} for one in listed["items"]] == [set()]


def test_the_version_is_the_servers(store: Store) -> None:
    store.release = "v1.27.6+f67aeb3"
    _, version = ask(store, "GET", "/version")
    assert (version["minor"], version["gitVersion"]) == ("27", "v1.27.6+f67aeb3")
