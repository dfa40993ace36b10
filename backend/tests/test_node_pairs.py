"""Pairs of nodes over the API: planned, started, told of, and shared without their names."""

import json
import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.models import Cluster
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import ClusterReport, NodeReport
from podmeter.services.experiments.duration import SET_UP_SECONDS

from .builders import reach, register
from .conftest import Browser
from .measured import NODES, Measured, Point, store

pytestmark = pytest.mark.services
PLAN, EXPERIMENTS = "/api/v1/experiments/plan", "/api/v1/experiments"
#: Of no fingerprint: it was there when the run was started.
GONE = "acme-gone-7"


def spec(*pairs: str) -> dict[str, Any]:
    return {
        "name": "pairs",
        "kind": "throughput",
        "axes": {
            "node_pair": list(pairs),
            "path": ["pod-pod"],
            "protocol": ["tcp"],
            "streams": [1],
        },
        "repetition": {"trials": 2, "rounds": 6},
    }


def known_cluster(admin: TestClient, sessions: Sessions, nodes: int) -> str:
    made = str(register(admin, name=f"c-{uuid.uuid4()}")["id"])
    reach(sessions, made)
    common = dict.fromkeys(("architecture", "kernel", "os", "cpus"), "4")
    reports = [
        NodeReport(name=f"node-{n}", address=None, why_unfit=None, **common) for n in range(nodes)
    ]
    report = ClusterReport(kubernetes_version="v1.34.4", nodes=reports, rights={})
    with sessions.begin() as session:
        row = session.get_one(Cluster, uuid.UUID(made))
        row.capabilities = report.model_dump(mode="json")
    return made


def test_a_plan_counts_the_pairs_of_the_cluster_it_is_for(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = known_cluster(admin, sessions, 3)
    anywhere = admin.post(PLAN, json=spec("all")).json()
    assert [one["code"] for one in anywhere["notes"]] == ["plan_pairs_open"]
    assert len(anywhere["cases"]) == 1
    there = admin.post(PLAN, json=spec("all"), params={"cluster_id": cluster}).json()
    assert there["notes"] == []
    assert len(there["cases"]) == 6
    assert there["cases"][0]["point"]["node_pair"] == "node-0~node-1"
    # Of six pairs the trials are six times as many, in as many blocks.
    set_up = len(anywhere["blocks"]) * SET_UP_SECONDS
    of_one_pair = anywhere["measuring_seconds"] - set_up
    assert there["measuring_seconds"] == set_up + 6 * of_one_pair


def test_what_is_wrong_with_pairs_is_said_where_it_stands(
    admin: TestClient, sessions: Sessions
) -> None:
    large = known_cluster(admin, sessions, 60)
    answer = admin.post(PLAN, json=spec("all"), params={"cluster_id": large})
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert fault["pointer"] == "/axes/node_pair"
    assert "sample-20" in fault["message"]["text"]
    experiment = admin.post(EXPERIMENTS, json=spec("all")).json()["id"]
    body = {"cluster_id": large}
    assert admin.post(f"{EXPERIMENTS}/{experiment}/runs", json=body).status_code == 422
    sample = admin.post(EXPERIMENTS, json=spec("sample-4")).json()["id"]
    started = admin.post(f"{EXPERIMENTS}/{sample}/runs", json=body)
    assert started.status_code == 202
    run = admin.get(f"/api/v1/runs/{started.json()['id']}/plan").json()
    assert len(run["cases"]) == 4
    bad = admin.post(PLAN, json=spec("node-1")).json()["errors"]
    assert [one["pointer"] for one in bad] == ["/axes/node_pair/0"]


def test_the_slowest_link_is_told_and_shared_without_names(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    names = (*NODES, GONE)
    pairs = [f"{one}~{other}" for one in names for other in names if one != other]
    slow = f"{NODES[1]}~{NODES[0]}"

    def rate(point: Point) -> dict[tuple[str, str], float] | None:
        if GONE in str(point["node_pair"]):
            return None
        return {("throughput", ""): 2e9 if point["node_pair"] == slow else 9e9}

    run = store(sessions, Measured(spec(*pairs), rate))
    report = admin.get(f"/api/v1/runs/{run}/summaries").json()
    (finding,) = [one for one in report["findings"] if "link" in one["code"]]
    (row, *_) = finding["evidence"]["rows"]
    assert (finding["code"], row["parameters"]["shared"]) == ("slowest_link", slow)
    said = report["headline"]["sentences"][0]
    assert said["code"] == "slowest_link"
    assert f"{NODES[1]}→{NODES[0]} is the slowest of 2 links" in said["text"]
    facts = {one["name"]: one["role"] for one in report["axis_facts"]}
    assert facts["node_pair"] == "pair"

    shared = admin.post("/api/v1/snapshots", json={"run_id": str(run), "title": "Links"}).json()
    token = shared["token"]
    api = f"/api/v1/public/snapshots/{token}"
    answers = [browser().get(api), browser().get(f"/s/{token}")]
    answers += [
        browser().get(f"{api}/export", params={"format": one})
        for one in ("json", "csv", "markdown")
    ]
    assert {one.status_code for one in answers} == {200}
    for one in answers:
        assert not [name for name in names if name in one.text]
    content = json.loads(answers[0].text)["content"]
    shown = {case["point"]["node_pair"] for case in content["run"]["cases"]}
    assert len(shown) == 6
    assert all(value.startswith("node-") and "~node-" in value for value in shown)
    assert "→" in content["run"]["headline"]["sentences"][0]["text"]


def test_a_plan_says_on_which_pair_each_round_is(admin: TestClient, sessions: Sessions) -> None:
    cluster = known_cluster(admin, sessions, 3)
    anywhere = admin.post(PLAN, json=spec("rotate")).json()
    assert [one["code"] for one in anywhere["notes"]] == ["plan_pairs_open"]
    assert {one["node_pair"] for one in anywhere["blocks"]} == {None}
    there = admin.post(PLAN, json=spec("rotate"), params={"cluster_id": cluster}).json()
    assert [one["code"] for one in there["notes"]] == ["plan_rotates", "plan_rotates_few"]
    assert len(there["cases"]) == 1
    assert len({one["node_pair"] for one in there["blocks"]}) == len(there["blocks"]) == 6
    assert there["measuring_seconds"] == anywhere["measuring_seconds"]


def test_pairs_that_changed_by_round_are_told_and_shared_without_names(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    document = spec("rotate")
    document["axes"]["encapsulation"] = ["host-gw", "vxlan"]

    def rate(point: Point) -> dict[tuple[str, str], float]:
        return {("throughput", ""): 7e9 if point["encapsulation"] == "vxlan" else 9e9}

    run = store(sessions, Measured(document, rate))
    pairs = {f"{NODES[0]}~{NODES[1]}", f"{NODES[1]}~{NODES[0]}"}
    report = admin.get(f"/api/v1/runs/{run}/summaries").json()
    (finding,) = [one for one in report["findings"] if one["code"].startswith("mode_")]
    assert finding["text"].endswith("over 2 node pairs")
    told = finding["evidence"]["rows"][0]["parameters"]["round_node_pairs"]
    assert (len(told), set(told)) == (6, pairs)
    mains = [one for one in report["summaries"] if one["parameters"].get("main")]
    assert all(set(one["parameters"]["round_node_pairs"]) == pairs for one in mains)
    rows = admin.get(f"/api/v1/runs/{run}/rows", params={"format": "csv"})
    assert rows.status_code == 200, rows.text
    assert all(pair in rows.text for pair in pairs)

    shared = admin.post("/api/v1/snapshots", json={"run_id": str(run), "title": "Pairs"}).json()
    api = f"/api/v1/public/snapshots/{shared['token']}"
    answers = [browser().get(api), browser().get(f"/s/{shared['token']}")]
    answers += [
        browser().get(f"{api}/export", params={"format": one})
        for one in ("json", "csv", "markdown")
    ]
    assert {one.status_code for one in answers} == {200}
    for one in answers:
        assert not [name for name in NODES if name in one.text]
    assert "over 2 node pairs" in answers[0].text
