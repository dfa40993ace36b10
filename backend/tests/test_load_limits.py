"""Limits of the load of runs: fields of a cluster that its administrators set."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.models import Cluster, Role
from podmeter.db.session import Sessions

from .builders import kubeconfig, reach, register
from .conftest import LogIn

pytestmark = pytest.mark.services
EXPERIMENTS = "/api/v1/experiments"
UNLIMITED = {"max_requests_per_second": None, "max_bandwidth_bits_per_second": None}
UDP: dict[str, Any] = {
    "name": "datagrams",
    "kind": "throughput",
    "axes": {"path": ["pod-pod"], "protocol": ["udp"], "streams": [1]},
}


def limits_of(cluster: dict[str, Any]) -> dict[str, Any]:
    return {name: cluster[name] for name in UNLIMITED}


def test_limits_are_set_by_administrators_and_taken_away_by_null(
    admin: TestClient, log_in: LogIn
) -> None:
    cluster = register(admin)
    assert limits_of(cluster) == UNLIMITED
    where = f"/api/v1/clusters/{cluster['id']}"
    given = {"max_requests_per_second": 2_000, "max_bandwidth_bits_per_second": 40 * 10**9}
    current = {"If-Match": f'"{cluster["version"]}"'}
    assert log_in(Role.OPERATOR).patch(where, json=given, headers=current).status_code == 403
    assert admin.patch(where, json=given).status_code == 428
    changed = admin.patch(where, json=given, headers=current)
    assert changed.status_code == 200
    assert limits_of(changed.json()) == given
    # What somebody else changed meanwhile is not undone unseen.
    assert admin.patch(where, json=UNLIMITED, headers=current).status_code == 412
    # What is absent stays.
    now = {"If-Match": changed.headers["etag"]}
    renamed = admin.patch(where, json={"description": "slow links"}, headers=now)
    assert limits_of(renamed.json()) == given
    now = {"If-Match": renamed.headers["etag"]}
    freed = admin.patch(where, json={"max_requests_per_second": None}, headers=now)
    assert limits_of(freed.json()) == {**given, "max_requests_per_second": None}


@pytest.mark.parametrize("wrong", [0, -1, 10**16, "fast", 1.5])
def test_what_is_no_limit_is_refused_with_its_field(admin: TestClient, wrong: object) -> None:
    cluster = register(admin)
    refused = admin.patch(
        f"/api/v1/clusters/{cluster['id']}",
        json={"max_bandwidth_bits_per_second": wrong},
        headers={"If-Match": f'"{cluster["version"]}"'},
    )
    assert refused.status_code == 422
    pointers = [one["pointer"] for one in refused.json()["errors"]]
    assert pointers == ["/max_bandwidth_bits_per_second"]


def test_the_audit_log_has_the_limits(admin: TestClient) -> None:
    cluster = register(admin)
    current = {"If-Match": f'"{cluster["version"]}"'}
    change = {"max_requests_per_second": None, "max_bandwidth_bits_per_second": 10**9}
    admin.patch(f"/api/v1/clusters/{cluster['id']}", json=change, headers=current)
    (entry, *_) = admin.get("/api/v1/audit").json()["items"]
    assert entry["operation"] == "update_cluster"
    assert entry["details"] == {"changed": list(UNLIMITED), **change}


def test_a_cluster_is_registered_with_limits(admin: TestClient, sessions: Sessions) -> None:
    body = {"name": "slow", "kubeconfig": kubeconfig(), "max_bandwidth_bits_per_second": 10**12}
    made = admin.post("/api/v1/clusters", json=body)
    assert made.status_code == 201
    assert limits_of(made.json()) == {**UNLIMITED, "max_bandwidth_bits_per_second": 10**12}
    with sessions() as session:
        assert session.get_one(Cluster, made.json()["id"]).load_limits.bits_per_second == 10**12


def test_a_run_that_would_break_a_limit_is_refused_by_the_plan(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = register(admin)
    reach(sessions, cluster["id"])
    on_it = {"cluster_id": cluster["id"]}

    def planned(spec: dict[str, Any]) -> list[dict[str, Any]]:
        plan = admin.post(f"{EXPERIMENTS}/plan", json=spec, params=on_it).json()
        return [one for one in plan["obstacles"] if one["level"] == "refused"]

    assert planned(UDP) == []
    with sessions.begin() as session:
        row = session.get_one(Cluster, cluster["id"])
        row.max_bandwidth_bits_per_second = 5 * 10**8
    (obstacle,) = planned(UDP)
    assert obstacle["code"] == "bandwidth_limit"
    assert "allows at most 500 Mbit/s" in obstacle["cause"]["text"]
    assert "set udp_bits_per_second" in obstacle["remedy"]["text"]
    runs = f"{EXPERIMENTS}/{admin.post(EXPERIMENTS, json=UDP).json()['id']}/runs"
    for force in (False, True):
        refused = admin.post(runs, json={**on_it, "force": force})
        assert refused.status_code == 409
        assert "allows at most 500 Mbit/s" in refused.text
    slower = {**UDP, "name": "slower", "parameters": {"udp_bits_per_second": 5 * 10**8}}
    assert planned(slower) == []
    runs = f"{EXPERIMENTS}/{admin.post(EXPERIMENTS, json=slower).json()['id']}/runs"
    assert admin.post(runs, json=on_it).status_code == 202
