"""What the size of packets has to do with it: told by the API, on the overview and by a link."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from podmeter.db.session import Sessions

from .conftest import Browser
from .measured import Measured, Point, paths, store, throughput

pytestmark = pytest.mark.services
CHINESE = {"Accept-Language": "zh-CN"}


def ways(point: Point) -> dict[str, str]:
    """As trials of flannel's two backends keep them."""
    nic = "by eth0, MTU 1500"
    if point["path"] == "node-node":
        return {"route": nic, "node_route": nic}
    if point["encapsulation"] == "host-gw":
        return {"route": "by eth0 (veth), MTU 1500", "node_route": nic}
    wrapped = "by flannel.1 (vxlan), MTU 1450, NIC eth0"
    return {"route": "by eth0 (veth), MTU 1450", "node_route": wrapped}


def told(report: Any) -> list[str]:
    return [one["code"] for one in report["findings"] if one["code"].startswith("mtu_")]


def test_the_mtus_of_compared_modes_are_told_wherever_the_run_is(
    admin: TestClient, browser: Browser, sessions: Sessions
) -> None:
    run = str(store(sessions, Measured(throughput(), paths, facts=ways)))
    report = admin.get(f"/api/v1/runs/{run}/summaries").json()
    (finding,) = [one for one in report["findings"] if one["code"].startswith("mtu_")]
    assert finding["code"] == "mtu_differs"
    evidence = finding["evidence"]
    assert (evidence["kind"], evidence["cases"]) == ("path_mtu", [{"path": "pod-pod"}])
    assert (evidence["baseline_mtu"], evidence["contender_mtu"]) == (1500, 1450)
    (caveat,) = report["headline"]["caveats"]
    assert caveat["code"] == "mtu_less"

    shared = admin.post("/api/v1/snapshots", json={"run_id": run, "title": "MTU"}).json()
    address = f"/s/{shared['token']}"
    plain = browser().get(address).text
    assert caveat["text"] in plain
    chinese = admin.get(f"/api/v1/runs/{run}/summaries", headers=CHINESE).json()
    (told,) = chinese["headline"]["caveats"]
    assert told["code"] == caveat["code"]
    assert told["text"] != caveat["text"]
    assert told["text"] in browser().get(address, headers=CHINESE).text
    overview = admin.get("/api/v1/overview").json()
    found = [one for each in overview["clusters"] for one in each["runs"] if one["run_id"] == run]
    assert [one["headline"]["caveats"] for one in found] == [[caveat]]


def test_a_run_with_trials_of_which_no_way_was_kept_says_nothing(
    admin: TestClient, sessions: Sessions
) -> None:
    none = store(sessions, Measured(throughput(), paths))
    kept = iter(range(1_000))

    def some(point: Point) -> dict[str, str]:
        return ways(point) if next(kept) % 3 else {}

    few = store(sessions, Measured(throughput(), paths, facts=some))
    for run in (none, few):
        report = admin.get(f"/api/v1/runs/{run}/summaries").json()
        assert told(report) == []
        assert report["headline"]["caveats"] == []
