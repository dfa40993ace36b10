"""Ladders of Services over the API: where they end on a cluster, and one walked rung by rung."""

import uuid
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import select, update

from podmeter.db.models import Block, Cluster
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import ClusterReport, RoomReport

from .builders import reach, register, two_nodes
from .measured import Measured, ladder, service_scale, store
from .result_rows import every_effect

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
    report = ClusterReport(kubernetes_version="v1.34.4", nodes=two_nodes(), rights={}, room=room)
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
        "plan_compares_parts",
    ]
    here = admin.post(f"/api/v1/experiments/plan?cluster_id={cluster}", json=LADDER).json()
    assert heights(here) == [10, 1000]
    note, compared = here["notes"]
    assert compared["code"] == "plan_compares_parts"
    assert note["text"].startswith("the ladder ends at 1000 Service ports and skips 5000, 10000")
    made = admin.post("/api/v1/experiments", json=LADDER).json()["id"]
    run = admin.post(f"/api/v1/experiments/{made}/runs", json={"cluster_id": cluster})
    assert run.status_code == 202, run.text
    spec = admin.get(f"/api/v1/runs/{run.json()['id']}").json()["spec"]
    (axis,) = [one for one in spec["axes"] if one["name"] == "services"]
    assert axis["values"] == [10, 1000]


def test_a_plan_says_how_many_services_have_how_many_ports(
    admin: TestClient, sessions: Sessions
) -> None:
    """A default range of node ports has room for 1,000 Service ports, on 11 Services."""
    cluster = roomy(admin, sessions)
    spec = LADDER | {"parameters": {"ports_per_service": 100}}
    path = f"/api/v1/experiments/plan?cluster_id={cluster}"
    here = admin.post(path, json=spec).json()
    assert heights(here) == [10, 1000]
    (note,) = [one for one in here["notes"] if one["code"] == "ladder_services"]
    told = "the ladder creates 11 Services with up to 100 ports each, 1000 Service ports in all"
    assert note["text"] == told
    chinese = admin.post(path, json=spec, headers={"Accept-Language": "zh"}).json()
    (note,) = [one for one in chinese["notes"] if one["code"] == "ladder_services"]
    assert note["text"] == "阶梯创建 11 个 Service，每个最多 100 个端口，共 1000 个 Service 端口"


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


CLIMBED = service_scale()
COMPARISON = "/api/v1/comparisons"


def compared(admin: TestClient, run: uuid.UUID) -> dict[str, Any]:
    body = {
        "baseline": {"run_id": str(run), "where": {"kube_proxy_mode": "iptables"}},
        "contenders": [{"run_id": str(run), "where": {"kube_proxy_mode": "nftables"}}],
    }
    (contender,) = admin.post(COMPARISON, json=body).json()["contenders"]
    return dict(contender)


def test_a_block_has_a_mode_and_a_rung(admin: TestClient, sessions: Sessions) -> None:
    plan = admin.post("/api/v1/experiments/plan", json=CLIMBED).json()
    first = [block["modes"] for block in plan["blocks"] if block["round"] == 1]
    assert [one["services"] for one in first] == [10, 10, 1000, 1000, 2000, 2000]
    assert {one["kube_proxy_mode"] for one in first} == {"iptables", "nftables"}
    assert len(plan["switches"]) == len(plan["blocks"]) == 36
    run = store(sessions, Measured(CLIMBED, ladder))
    begun = admin.get(f"/api/v1/runs/{run}").json()["blocks"]
    assert [block["modes"] for block in begun] == [block["modes"] for block in plan["blocks"]]
    again = admin.get(f"/api/v1/runs/{run}/plan").json()
    assert again["blocks"] == plan["blocks"]


def test_modes_have_curves_and_verdicts_over_rungs(admin: TestClient, sessions: Sessions) -> None:
    found = compared(admin, store(sessions, Measured(CLIMBED, ladder)))
    assert found["gate"]["verdict"] == "comparable"
    told = found["curves"][0]["parameters"]
    assert (told["xs"], told["shape"], told["side"]) == ([10, 1000, 2000], "falls", "baseline")
    effects = every_effect(found)
    assert {(effect["level"], effect["rounds"]) for effect in effects} == {("block", 6)}


def test_an_environment_that_changed_between_rounds_is_seen(
    admin: TestClient, sessions: Sessions
) -> None:
    run = store(sessions, Measured(CLIMBED, ladder))
    other = store(sessions, Measured(CLIMBED, ladder, environment={"kernel": "6.1.0"}))
    with sessions.begin() as session:
        seen = select(Block.fingerprint_id).where(Block.run_id == other).limit(1)
        changed = (Block.run_id == run) & (Block.round == 1)
        session.execute(update(Block).where(changed).values(fingerprint_id=seen.scalar_subquery()))
    assert compared(admin, run)["gate"]["verdict"] != "comparable"
