"""Waits: a list, then changes, deadlines, and an API server that goes away in between."""

import json
from collections.abc import Mapping

import pytest

from podmeter.credentials.address_policy import AddressPolicy
from podmeter.domain.errors import ConvergenceError, RunCancelledError
from podmeter_worker.kube.access import ClusterAccess
from podmeter_worker.kube.client import KubeClient
from podmeter_worker.kube.resources import Object
from podmeter_worker.kube.wait import wait_until, wait_until_gone

from .api_server import Answer, FakeApiServer

Objects = Mapping[tuple[str, str], Object]


def client_of(api: FakeApiServer) -> KubeClient:
    return KubeClient(ClusterAccess(api.kept, AddressPolicy.of(["127.0.0.0/8"])), 0.2)


def pod(name: str, phase: str, version: str = "2") -> Object:
    metadata = {"name": name, "namespace": "ns", "uid": name, "resourceVersion": version}
    return {"metadata": metadata, "status": {"phase": phase}}


def listed(*items: Object) -> Answer:
    return Answer(200, {"items": list(items), "metadata": {"resourceVersion": "1"}})


def changed(*changes: tuple[str, Object]) -> Answer:
    lines = [json.dumps({"type": kind, "object": item}) for kind, item in changes]
    return Answer(200, raw="".join(f"{line}\n" for line in lines).encode())


def running(objects: Objects) -> str | None:
    found = [key[1] for key, item in objects.items() if item["status"]["phase"] == "Running"]
    return found[0] if found else None


def wait(api: FakeApiServer, seconds: float = 60.0) -> str:
    with client_of(api) as client:
        return wait_until(client, "/pods", running, what="one runs", deadline_seconds=seconds)


def test_what_is_so_already_needs_no_watch(api: FakeApiServer) -> None:
    api.answers = [listed(pod("a", "Running"))]
    assert wait(api) == "a"
    assert len(api.asked) == 1


def test_a_change_ends_the_wait(api: FakeApiServer) -> None:
    api.answers = [
        listed(pod("a", "Pending")),
        changed(("BOOKMARK", {"metadata": {"resourceVersion": "5"}})),
        changed(("MODIFIED", pod("a", "Running", "6"))),
    ]
    assert wait(api) == "a"
    assert "resourceVersion=1" in api.asked[1].path
    assert "resourceVersion=5" in api.asked[2].path


def test_a_version_too_old_is_listed_anew(api: FakeApiServer) -> None:
    api.answers = [listed(), Answer(410, {"reason": "Expired"}), listed(pod("a", "Running"))]
    assert wait(api) == "a"


def test_an_api_server_that_is_away_is_waited_for(api: FakeApiServer) -> None:
    api.answers = [listed(), Answer(503, {}), Answer(503, {}), listed(pod("a", "Running"))]
    assert wait(api) == "a"


def test_the_deadline_says_what_was_waited_for(api: FakeApiServer) -> None:
    api.answers = [listed(), changed()]
    with pytest.raises(ConvergenceError, match="one runs") as caught:
        wait(api, 0.3)
    assert caught.value.said.code == "still_not"


def test_a_check_ends_the_wait(api: FakeApiServer) -> None:
    api.answers = [listed(), changed()]

    def check() -> None:
        if len(api.asked) > 2:
            raise RunCancelledError("cancelled")

    with client_of(api) as client, pytest.raises(RunCancelledError):
        wait_until(client, "/pods", running, what="x", deadline_seconds=60, check=check)


def test_gone_is_this_object_not_one_of_its_name(api: FakeApiServer) -> None:
    again = pod("a", "Pending")
    again["metadata"]["uid"] = "another"
    api.answers = [listed(pod("a", "Running")), changed(("DELETED", pod("a", "Running", "3")))]
    with client_of(api) as client:
        wait_until_gone(client, "/pods", {"a"}, what="gone", deadline_seconds=60)
        api.answers = [listed(again)]
        wait_until_gone(client, "/pods", {"a"}, what="gone", deadline_seconds=60)
