"""What was measured on a cluster can be compared after the cluster was deregistered."""

import uuid

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from podmeter.db.base import now
from podmeter.db.models import FingerprintRecord, SavedMode
from podmeter.db.session import Sessions
from podmeter.services.execution.retention import forget_expired
from podmeter.services.work import Work

from .everything import ANY
from .measured import Measured, paths, store, throughput

pytestmark = pytest.mark.services


def deregister_all(admin: TestClient) -> None:
    for cluster in admin.get("/api/v1/clusters").json()["items"]:
        assert admin.delete(f"/api/v1/clusters/{cluster['id']}", headers=ANY).status_code == 204


def fingerprints(sessions: Sessions) -> int:
    with sessions() as session:
        return len(session.scalars(select(FingerprintRecord.id)).all())


def test_runs_of_a_deregistered_cluster_are_still_comparable(
    admin: TestClient, sessions: Sessions
) -> None:
    one, two = (store(sessions, Measured(throughput(), paths, seed=seed)) for seed in (1, 2))
    other = store(sessions, Measured(throughput(), paths, environment={"kernel": "6.1.0"}))
    deregister_all(admin)

    def verdict(contender: object) -> str:
        body = {"baseline": {"run_id": str(one)}, "contenders": [{"run_id": str(contender)}]}
        answer = admin.post("/api/v1/comparisons", json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["contenders"][0]["gate"]["verdict"])

    assert verdict(two) == "comparable"
    assert verdict(other) == "refused"


def test_fingerprints_go_with_the_last_run_that_needs_them(
    admin: TestClient, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    deregister_all(admin)
    assert fingerprints(sessions) > 0
    assert admin.delete(f"/api/v1/runs/{run_id}").status_code == 204
    with sessions.begin() as session:
        forget_expired(Work(session))
    assert fingerprints(sessions) == 0


def test_a_cluster_whose_modes_were_switched_and_put_back_can_be_forgotten(
    admin: TestClient, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    (cluster,) = admin.get("/api/v1/clusters").json()["items"]
    with sessions.begin() as session:
        for restored_at in (now(), None):
            session.add(
                SavedMode(
                    organization_id=uuid.UUID(admin.get("/api/v1/me").json()["organization_id"]),
                    cluster_id=uuid.UUID(cluster["id"]),
                    cluster_uid="uid",
                    run_id=run_id,
                    axis="kube_proxy_mode",
                    content={},
                    restored_at=restored_at,
                )
            )
    path = f"/api/v1/clusters/{cluster['id']}"
    assert admin.delete(path, headers=ANY).status_code == 409
    with sessions.begin() as session:
        session.execute(update(SavedMode).values(restored_at=now()))
    assert admin.delete(path, headers=ANY).status_code == 204
    assert admin.get(f"/api/v1/runs/{run_id}").status_code == 200
