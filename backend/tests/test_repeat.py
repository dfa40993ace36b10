"""A run that left something open says what would decide it, and that is queued as it is said."""

import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from podmeter.db.models import Role, Run, RunCluster
from podmeter.db.session import Sessions

from .builders import reach, register
from .conftest import LogIn
from .measured import Measured, Point, store, throughput
from .result_rows import effects_of

pytestmark = pytest.mark.services
RUNS = "/api/v1/runs"


def hardly(point: Point) -> dict[tuple[str, str], float]:
    """VXLAN costs pods a tenth."""
    slow = point.get("encapsulation") == "vxlan" and point["path"] == "pod-pod"
    return {("throughput", ""): 9e9 if slow else 1e10}


def left_open(
    admin: TestClient, sessions: Sessions, noise: float = 0.1, rounds: int = 6, seed: int = 2
) -> str:
    """A run on a registered cluster whose modes are not told from each other."""
    cluster = register(admin, f"prod-{seed}")["id"]
    reach(sessions, cluster)
    allow = admin.patch(
        f"/api/v1/clusters/{cluster}",
        json={"allow_mode_switch": True},
        headers={"If-Match": "*"},
    )
    assert allow.status_code == 200, allow.text
    spec = throughput(repetition={"trials": 2, "rounds": rounds})
    run = store(sessions, Measured(spec, hardly, noise=noise, seed=seed))
    with sessions.begin() as session:
        session.execute(
            update(RunCluster)
            .where(RunCluster.run_id == run)
            .values(cluster_id=uuid.UUID(cluster), name="lab")
        )
    return str(run)


def report(client: TestClient, run: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"{RUNS}/{run}/summaries").json()
    return found


def test_a_run_says_what_would_decide_it(admin: TestClient, sessions: Sessions) -> None:
    found = report(admin, left_open(admin, sessions))
    told = [one["evidence"] for one in found["findings"] if one["code"].startswith("mode_")]
    effects = [effect for one in told for effect in effects_of(one["rows"])]
    open_ones = [one for one in effects if one["verdict"] == "undecided"]
    assert all("advice" not in one for one in effects if one not in open_ones)
    # The path between nodes' own addresses is the control.
    undecided = [one for one in open_ones if one["ratio"]["key"]["point"]["path"] != "node-node"]
    assert len(undecided) == 1
    advice = [one["advice"] for one in undecided]
    assert {one["code"] for one in advice} <= {"rounds", "longer", "none"}
    following = found["next_run"]
    decided = [one for one in advice if one["code"] == "rounds"]
    assert following["undecided"] == len(undecided)
    assert following["decides"] == len(decided)
    assert following["rounds"] == max(one["rounds"] for one in decided)
    assert (following["seconds"], following["trials"]) == (None, None)


def test_too_few_rounds_ask_for_as_many_as_a_verdict_takes(
    admin: TestClient, sessions: Sessions
) -> None:
    following = report(admin, left_open(admin, sessions, rounds=1))["next_run"]
    assert following == {
        "code": "least",
        "rounds": 6,
        "seconds": None,
        "trials": None,
        "decides": 1,
        "undecided": 1,
    }


def test_what_is_decided_asks_for_nothing(admin: TestClient, sessions: Sessions) -> None:
    assert report(admin, left_open(admin, sessions, noise=0.001))["next_run"] is None


def test_it_is_planned_and_queued_with_just_that(admin: TestClient, sessions: Sessions) -> None:
    run = left_open(admin, sessions)
    planned = admin.post(f"{RUNS}/{run}/repeat/plan", json={"rounds": 12})
    assert planned.status_code == 200, planned.text
    plan = planned.json()
    assert (plan["repetition"]["rounds"], len(plan["blocks"])) == (12, 24)
    # By how far the blocks of this cluster moved, which this very run tells.
    assert plan["sight"]["noise_floor"]["runs"] == 1
    assert plan["sight"]["rounds"] == 12
    assert len(admin.get("/api/v1/experiments").json()["items"]) == 0

    answer = admin.post(f"{RUNS}/{run}/repeat", json={"rounds": 12})
    assert answer.status_code == 202, answer.text
    queued = admin.get(answer.headers["location"]).json()
    before = admin.get(f"{RUNS}/{run}").json()
    assert (queued["state"], queued["id"] != run) == ("queued", True)
    assert queued["name"] == "paths, 12 rounds"
    assert queued["clusters"][0]["cluster_id"] == before["clusters"][0]["cluster_id"]
    for field in ("kind", "kind_version", "parameters", "axes"):
        assert queued["spec"][field] == before["spec"][field]
    # The order is drawn again.
    seed = queued["spec"]["repetition"]["seed"]
    expected = {**before["spec"]["repetition"], "rounds": 12, "seed": seed}
    assert queued["spec"]["repetition"] == expected
    again = admin.post(f"{RUNS}/{run}/repeat", json={"rounds": 12}).json()
    assert again["experiment_id"] == queued["experiment_id"]
    longer = admin.post(f"{RUNS}/{again['id']}/repeat", json={"rounds": 8, "seconds": 6}).json()
    assert longer["name"] == "paths, 8 rounds of 6 s"


def test_an_idempotency_key_queues_one(admin: TestClient, sessions: Sessions) -> None:
    run = left_open(admin, sessions)
    answers = [
        admin.post(f"{RUNS}/{run}/repeat", json={"rounds": 9}, headers={"Idempotency-Key": "once"})
        for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert len(admin.get(RUNS).json()["items"]) == 2


def test_who_may_and_what_is_refused(admin: TestClient, sessions: Sessions, log_in: LogIn) -> None:
    run = left_open(admin, sessions)
    viewer = log_in(Role.VIEWER)
    assert viewer.post(f"{RUNS}/{run}/repeat/plan", json={"rounds": 12}).status_code == 200
    assert viewer.post(f"{RUNS}/{run}/repeat", json={"rounds": 12}).status_code == 403
    assert admin.post(f"{RUNS}/{run}/repeat", json={"rounds": 61}).status_code == 422
    assert admin.post(f"{RUNS}/{run}/repeat", json={"kind": "x"}).status_code == 422
    assert admin.post(f"{RUNS}/{uuid.uuid4()}/repeat", json={"rounds": 9}).status_code == 404
    with sessions.begin() as session:
        row = session.get_one(Run, uuid.UUID(run))
        row.spec = {**row.spec, "kind_version": 1}
    older = admin.post(f"{RUNS}/{run}/repeat", json={"rounds": 9})
    assert older.status_code == 409
    assert "version 1" in older.json()["detail"]


def test_a_cluster_that_is_gone_is_named(admin: TestClient, sessions: Sessions) -> None:
    run = left_open(admin, sessions)
    with sessions.begin() as session:
        session.execute(
            update(RunCluster).where(RunCluster.run_id == uuid.UUID(run)).values(cluster_id=None)
        )
    gone = admin.post(f"{RUNS}/{run}/repeat/plan", json={"rounds": 9})
    assert gone.status_code == 409
    assert "'lab' is no longer registered" in gone.json()["detail"]


def test_a_comparison_says_it_too(admin: TestClient, sessions: Sessions) -> None:
    run = left_open(admin, sessions)
    sides = [{"run_id": run, "where": {"encapsulation": one}} for one in ("host-gw", "vxlan")]
    body = {"baseline": sides[0], "contenders": sides[1:]}
    made = admin.post("/api/v1/comparisons", json=body)
    (contender,) = made.json()["contenders"]
    assert contender["next_run"] == report(admin, run)["next_run"]
