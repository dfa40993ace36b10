"""A run asks for a host of its own choice only where the cluster's owner allows it."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.models import Role
from podmeter.db.session import Sessions

from .builders import reach, register
from .conftest import LogIn
from .everything import ANY

pytestmark = pytest.mark.services
EXPERIMENTS = "/api/v1/experiments"
SPEC: dict[str, Any] = {
    "name": "by a live host's name",
    "kind": "request_latency",
    "axes": {"path": ["pod-ingress"]},
}


@pytest.mark.parametrize(
    ("name", "host"), [("host_name", "shop.example"), ("ingress_address", "192.0.2.9")]
)
def test_a_host_takes_the_consent_of_the_clusters_owner(
    admin: TestClient, log_in: LogIn, sessions: Sessions, name: str, host: str
) -> None:
    operator = log_in(Role.OPERATOR)
    spec = {**SPEC, "parameters": {name: host}}
    cluster = register(admin)
    reach(sessions, cluster["id"])
    assert cluster["allow_host_names"] is False
    on_cluster = {"cluster_id": cluster["id"]}
    planned = operator.post(f"{EXPERIMENTS}/plan", json=spec, params=on_cluster).json()
    assert "host_names_not_allowed" in [one["code"] for one in planned["obstacles"]]
    runs = f"{EXPERIMENTS}/{operator.post(EXPERIMENTS, json=spec).json()['id']}/runs"
    on_it = {"cluster_id": cluster["id"]}
    refused = operator.post(runs, json=on_it)
    assert refused.status_code == 409
    assert "host_names_not_allowed" in refused.text
    where, change = f"/api/v1/clusters/{cluster['id']}", {"allow_host_names": True}
    assert operator.patch(where, json=change, headers=ANY).status_code == 403
    assert admin.patch(where, json=change, headers=ANY).status_code == 200
    assert operator.post(runs, json=on_it).status_code == 202


def test_a_run_without_such_a_host_takes_none(admin: TestClient, sessions: Sessions) -> None:
    cluster = register(admin)
    reach(sessions, cluster["id"])
    on_cluster = {"cluster_id": cluster["id"]}
    planned = admin.post(f"{EXPERIMENTS}/plan", json=SPEC, params=on_cluster).json()
    assert "host_names_not_allowed" not in [one["code"] for one in planned["obstacles"]]
    experiment = admin.post(EXPERIMENTS, json=SPEC).json()
    answer = admin.post(
        f"{EXPERIMENTS}/{experiment['id']}/runs", json={"cluster_id": cluster["id"]}
    )
    assert answer.status_code == 202
