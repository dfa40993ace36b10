"""A reference as the baseline of a comparison: the change is shown, and never tested."""

import uuid
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, update

from podmeter.db.models import AuditEntry, ComparisonRecord
from podmeter.db.session import Sessions

from .measured import Measured, ladder, paths, service_scale, store, throughput
from .result_rows import effects_of

pytestmark = pytest.mark.services
COMPARISONS = "/api/v1/comparisons"


def against(run_id: uuid.UUID, reference: str, where: dict[str, Any], own: dict[str, Any]) -> Any:
    return {
        "baseline": {"reference_id": reference, "where": where},
        "contenders": [{"run_id": str(run_id), "where": own}],
        "metrics": "all",
    }


def test_throughput_beside_what_was_published(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    body = against(
        run_id,
        "cilium-native-routing-2023",
        {"encapsulation": "vxlan"},
        {"encapsulation": "vxlan"},
    )
    answer = admin.post(COMPARISONS, json=body)
    assert answer.status_code == 201, answer.text
    found = answer.json()
    side = found["baseline"]
    title = "Cilium系列-4-Cilium本地路由"
    assert (side["name"], side["label"]) == (title, title)
    assert (side["run_id"], side["reference_id"]) == (None, "cilium-native-routing-2023")
    (contender,) = found["contenders"]
    assert contender["gate"]["verdict"] == "confounded"
    (pair,) = contender["pairs"]
    where = {"path": "pod-pod", "protocol": "tcp", "streams": 1, "encapsulation": "vxlan"}
    assert pair["shared"] == where
    (effect,) = effects_of(pair["effects"])
    assert (effect["metric"], effect["verdict"]) == ("throughput", "undecided")
    assert effect["reason"] == "no_repetitions"
    assert effect["median baseline"]["parameters"]["values"] == [[pytest.approx(493 * 2**20 * 8)]]
    assert effect["median contender"]["n"] == 12
    # 8 Gbit/s beside 4.136: nearly twice as much, which nothing tests.
    assert effect["ratio"]["value"] == pytest.approx(8e9 / 4.1356e9, rel=0.03)
    assert (effect["ratio"]["low"], effect.get("p"), effect.get("method")) == (None, None, None)
    assert contender["tally"] == {"better": 0, "worse": 0, "same": 0, "undecided": 1}
    told = {one["code"]: one["text"] for one in found["headline"]["sentences"]}
    assert f"{title} (published): what was published has no repetitions" in told["published"]
    chinese = admin.get(answer.headers["location"], headers={"Accept-Language": "zh"}).json()
    told_in_chinese = {one["code"]: one["text"] for one in chinese["headline"]["sentences"]}
    assert "（已发表）" in told_in_chinese["published"]
    assert "(published)" not in str(chinese)
    assert "paths, VXLAN" in told["published"]
    assert "encapsulation" not in told["published"]
    assert not {"gives", "costs", "raises", "lowers", "same"} & set(told)
    assert admin.get(answer.headers["location"]).json() == {**found, "outdated": False}
    listed = admin.get(COMPARISONS, params={"run_id": str(run_id)}).json()["items"]
    assert listed[0]["baseline"]["reference_id"] == "cilium-native-routing-2023"


def test_it_is_marked_in_files_and_on_the_public_page(
    admin: TestClient, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    one = {"encapsulation": "vxlan"}
    body = against(run_id, "cilium-native-routing-2023", one, one)
    made = admin.post(COMPARISONS, json=body).json()["id"]
    marks = {"markdown": "(published)", "csv": "(published)", "json": '"reference_id"'}
    for form, mark in marks.items():
        text = admin.get(f"{COMPARISONS}/{made}/export", params={"format": form}).text
        assert mark in text, form
    shared = admin.post("/api/v1/snapshots", json={"title": "beside", "comparison_id": made}).json()
    shown = admin.get(f"/api/v1/public/snapshots/{shared['token']}").json()["content"]
    assert shown["comparison"]["baseline"]["reference_id"] == "cilium-native-routing-2023"
    assert "(published)" in shown["comparison"]["headline"]["sentences"][0]["text"]


def test_a_search_and_the_log_say_what_is_published(admin: TestClient, sessions: Sessions) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    one, reference = {"encapsulation": "vxlan"}, "cilium-native-routing-2023"
    published, measured = (
        admin.post(COMPARISONS, json=body).json()["id"]
        for body in (
            against(run_id, reference, one, one),
            {"baseline": {"run_id": str(run_id)}, "contenders": [{"run_id": str(run_id)}]},
        )
    )

    def found(id_: str) -> Any:
        items = admin.get("/api/v1/search", params={"q": "throughput"}).json()["items"]
        return next(item for item in items if item["id"] == id_)

    for item in admin.get(COMPARISONS).json()["items"]:
        sides = item["baseline"], item["contenders"]
        assert (found(item["id"])["baseline"], found(item["id"])["contenders"]) == sides
    assert found(published)["baseline"]["reference_id"] == reference
    assert (found(str(run_id))["baseline"], found(str(run_id))["contenders"]) == (None, [])

    for made in (published, measured):
        assert admin.delete(f"{COMPARISONS}/{made}").status_code == 204
    with sessions() as session:
        of_comparisons = select(AuditEntry.object_id, AuditEntry.details).where(
            AuditEntry.object_kind == "comparison"
        )
        noted = session.execute(of_comparisons.order_by(AuditEntry.id)).all()
    of_published = (published, {"reference_id": reference})
    assert [tuple(entry) for entry in noted] == [of_published, (measured, {})] * 2


def test_a_comparison_that_cannot_be_read_is_found_without_its_sides(
    admin: TestClient, sessions: Sessions
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    one = {"encapsulation": "vxlan"}
    admin.post(COMPARISONS, json=against(run_id, "cilium-native-routing-2023", one, one))
    with sessions.begin() as session:
        session.execute(update(ComparisonRecord).values(outline={"format": 99, "gates": []}))
    (item,) = admin.get("/api/v1/search", params={"q": "Cilium"}).json()["items"]
    assert (item["baseline"], item["contenders"]) == (None, [])


def test_a_ladder_beside_what_was_published(admin: TestClient, sessions: Sessions) -> None:
    spec = service_scale()
    spec["axes"] = {**spec["axes"], "services": [10, 1000, 5000]}
    run_id = store(sessions, Measured(spec, ladder))
    body = against(
        run_id,
        "iptables-ipvs-ladder",
        {"kube_proxy_mode": "iptables", "probe": "qps", "target": "last"},
        {"kube_proxy_mode": "iptables"},
    )
    found = admin.post(COMPARISONS, json=body).json()
    (contender,) = found["contenders"]
    assert {pair["shared"]["services"] for pair in contender["pairs"]} == {10, 1000, 5000}
    assert {"client", "service_type"} <= set(contender["compared_axes"])
    published = {
        pair["shared"]["services"]: effect["median baseline"]["parameters"]["values"][0][0]
        for pair in contender["pairs"]
        for effect in effects_of(pair["effects"])
    }
    assert published == {10: 7782, 1000: 7651, 5000: 2451}


@pytest.mark.parametrize(
    ("baseline", "status"),
    [
        ({"reference_id": "nothing"}, 404),
        ({"reference_id": "flannel-qperf"}, 422),
        ({"reference_id": "infrabuilder-2024", "where": {"path": "node-pod"}}, 422),
        ({"reference_id": "cilium-native-routing-2023"}, 422),
        ({}, 422),
        ({"reference_id": "infrabuilder-2024", "case_id": 1}, 422),
        ({"reference_id": "infrabuilder-2024", "run_id": str(uuid.UUID(int=1))}, 422),
    ],
)
def test_what_cannot_be_a_baseline(
    admin: TestClient, sessions: Sessions, baseline: dict[str, Any], status: int
) -> None:
    run_id = store(sessions, Measured(throughput(), paths))
    body = {
        "baseline": baseline,
        "contenders": [{"run_id": str(run_id), "where": {"encapsulation": "vxlan"}}],
    }
    assert admin.post(COMPARISONS, json=body).status_code == status
