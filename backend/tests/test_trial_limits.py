"""What limited trials, as the API says it of trials, cases, comparisons and exports."""

from collections.abc import Mapping
from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions

from .measured import Measured, service_scale, store

pytestmark = pytest.mark.services

Point = Mapping[str, Any]
BUSY = {("tool_cpus", ""): 0.97, ("node_cpu", "client"): 0.4, ("node_cpus", "client"): 4.0}


def stored(sessions: Sessions, counters: Mapping[tuple[str, str], float]) -> str:
    """A run whose two modes reach the same rate, with these counters in each trial."""

    def measure(point: Point) -> dict[tuple[str, str], float]:
        return {("requests_per_second", ""): 9000.0, **counters}

    spec = service_scale()
    spec["axes"] = {**spec["axes"], "services": [10]}
    return str(store(sessions, Measured(spec, measure, noise=0.002)))


def read(client: TestClient, path: str) -> Any:
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def compared(client: TestClient, run_id: str) -> dict[str, Any]:
    """The main effect of nftables against iptables."""
    where = [{"kube_proxy_mode": mode} for mode in ("iptables", "nftables")]
    sides = [{"run_id": run_id, "where": one} for one in where]
    answer = client.post(
        "/api/v1/comparisons", json={"baseline": sides[0], "contenders": sides[1:]}
    )
    assert answer.status_code == 201, answer.text
    (pair,) = answer.json()["contenders"][0]["pairs"]
    return next(one for one in pair["effects"] if one["code"] == "ratio")


def test_trials_and_cases_say_what_limited_them(admin: TestClient, sessions: Sessions) -> None:
    run_id = stored(sessions, BUSY)
    trials = read(admin, f"/runs/{run_id}/trials")["items"]
    assert {one["limited_by"] for one in trials} == {"client_cpu"}
    detail = read(admin, f"/runs/{run_id}/trials/{trials[0]['id']}")
    assert detail["limited_by"] == "client_cpu"
    report = read(admin, f"/runs/{run_id}/summaries")
    assert [one["limited_by"] for one in report["cases"]] == ["client_cpu"] * 2
    assert report["cases"][0]["limits"] == {"client_cpu": 12}
    listed = {one["name"] for one in report["metrics"]}
    assert "tool_cpus" in listed
    assert "tool_throttled" not in listed


def test_trials_of_before_are_limited_by_nothing_known(
    admin: TestClient, sessions: Sessions
) -> None:
    run_id = stored(sessions, {})
    trials = read(admin, f"/runs/{run_id}/trials")["items"]
    assert {one["limited_by"] for one in trials} == {"unknown"}
    report = read(admin, f"/runs/{run_id}/summaries")
    assert {one["limited_by"] for one in report["cases"]} == {"unknown"}
    assert compared(admin, run_id)["verdict"] == "same"
    assert "What limited" not in admin.get(f"/api/v1/runs/{run_id}/export?format=markdown").text


def test_a_comparison_does_not_call_it_the_same_read_twice(
    admin: TestClient, sessions: Sessions
) -> None:
    """First by what was measured, then by what was kept of it."""
    run_id = stored(sessions, BUSY)
    for _ in range(2):
        one = compared(admin, run_id)
        assert (one["verdict"], one["parameters"]["reason"]) == ("undecided", "client_limited")
        assert one["parameters"]["limited_by"] == ["client_cpu", "client_cpu"]


def test_a_reports_sentences_advise_more_clients(admin: TestClient, sessions: Sessions) -> None:
    run_id = stored(sessions, BUSY)
    for language, advice in (("en", "use more clients"), ("zh", "请增加客户端")):
        headers = {"Accept-Language": language}
        report = admin.get(f"/api/v1/runs/{run_id}/summaries", headers=headers).json()
        told = [one["text"] for one in report["headline"]["sentences"]]
        assert any(advice in one for one in told), told


def test_exports_name_the_limit(admin: TestClient, sessions: Sessions) -> None:
    path = f"/api/v1/runs/{stored(sessions, BUSY)}"
    markdown = admin.get(f"{path}/export?format=markdown").text
    assert "What limited the trials" in markdown
    assert "Client CPU" in markdown
    assert "12 of 12" in markdown
    header, row, *_ = admin.get(f"{path}/export?format=csv").text.splitlines()
    assert "limited by" in header
    assert ",client_cpu," in row
    assert "tool_cpus" in admin.get(f"{path}/rows").text
    before = f"/api/v1/runs/{stored(sessions, {})}"
    assert "limited by" not in admin.get(f"{before}/export?format=csv").text
