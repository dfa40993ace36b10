"""Where a ladder of Services ends on a cluster: the plan says it, and a run keeps to it."""

import uuid
from typing import Any

from fastapi.testclient import TestClient

from podmeter.db.models import Cluster
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import ClusterReport, RoomReport

from .builders import reach, register
from .measured import Measured, service_scale, store

LADDER: dict[str, Any] = {
    "name": "ladder",
    "kind": "service_scale",
    "axes": {"service_type": ["NodePort"], "probe": ["climb"]},
    "repetition": {"profile": "reference"},
}


def roomy(client: TestClient, sessions: Sessions) -> str:
    """A cluster whose preflight saw a default range of node ports."""
    made = str(register(client)["id"])
    reach(sessions, made)
    room = RoomReport(services=7, free_cluster_ips=60_000, free_node_ports=2_760)
    report = ClusterReport(kubernetes_version="v1.34.4", nodes=[], rights={}, room=room)
    with sessions.begin() as session:
        row = session.get_one(Cluster, uuid.UUID(made))
        row.capabilities = report.model_dump(mode="json")
    return made


def heights(plan: Any) -> list[int]:
    return sorted({case["point"]["services"] for case in plan["cases"]})


def test_a_plan_and_a_run_end_where_the_cluster_has_no_more_room(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = roomy(admin, sessions)
    anywhere = admin.post("/api/v1/experiments/plan", json=LADDER).json()
    assert heights(anywhere)[-1] == 30_000
    assert [note["code"] for note in anywhere["notes"]] == [
        "ladder_ends_profile",
        "ladder_node_ports_unknown",
    ]
    here = admin.post(f"/api/v1/experiments/plan?cluster_id={cluster}", json=LADDER).json()
    assert heights(here) == [10, 1000]
    (note,) = here["notes"]
    assert note["text"].startswith("the ladder ends at 1000 Services, without 5000, 10000")
    made = admin.post("/api/v1/experiments", json=LADDER).json()["id"]
    run = admin.post(f"/api/v1/experiments/{made}/runs", json={"cluster_id": cluster})
    assert run.status_code == 202, run.text
    spec = admin.get(f"/api/v1/runs/{run.json()['id']}").json()["spec"]
    (axis,) = [one for one in spec["axes"] if one["name"] == "services"]
    assert axis["values"] == [10, 1000]


def test_a_plan_on_a_cluster_that_is_not_there(admin: TestClient) -> None:
    answer = admin.post(f"/api/v1/experiments/plan?cluster_id={uuid.uuid4()}", json=LADDER)
    assert answer.status_code == 404


def test_the_climb_to_a_rung_is_told_as_what_happens_once_a_round(
    admin: TestClient, sessions: Sessions
) -> None:
    axes = service_scale()["axes"] | {"probe": ["climb", "qps"]}
    run = store(sessions, Measured(service_scale(axes=axes), lambda _: {}))
    cases = admin.get(f"/api/v1/runs/{run}/cases").json()["items"]
    assert {(case["point"]["probe"], case["once"]) for case in cases} == {
        ("climb", True),
        ("qps", False),
    }
