"""What a plan says a run does to its cluster, and the outage of each switch that it predicts."""

import uuid
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from podmeter.db.models import CaseRecord, Cluster, MeasurementRecord, Run, Trial
from podmeter.db.session import Sessions
from podmeter.domain.cluster_report import RoomReport
from podmeter.kinds.switch_outage import (
    FULL_SYNC,
    assumed_outage,
    assumed_sync,
    predicted_outage,
)

from .measured import Measured, ladder, service_scale, store
from .test_node_pairs import PLAN, known_cluster
from .test_pace import blocks_of

pytestmark = pytest.mark.services
MODES = ["iptables", "nftables"]
LADDER: dict[str, Any] = {
    "name": "ladder",
    "kind": "service_scale",
    "parameters": {"ports_per_service": 100},
    "axes": {"kube_proxy_mode": MODES, "services": [1000, 14_000], "probe": ["qps"]},
    "repetition": {"rounds": 2, "trials": 1, "warmup": 0},
}
UDP: dict[str, Any] = {
    "name": "datagrams",
    "kind": "throughput",
    "axes": {"path": ["pod-pod"], "protocol": ["udp"], "streams": [1]},
}


def impact(
    client: TestClient, spec: dict[str, Any], cluster: str | None = None
) -> dict[str, dict[str, Any]]:
    """The parameters of each message by its code."""
    query = {} if cluster is None else {"cluster_id": cluster}
    plan = client.post(PLAN, json=spec, params=query)
    assert plan.status_code == 200, plan.text
    return {one["code"]: one["params"] for one in plan.json()["impact"]}


def holding(sessions: Sessions, cluster: str, services: int) -> None:
    """A preflight found so many Services."""
    room = RoomReport(services=services, free_cluster_ips=60_000, free_node_ports=2_700)
    with sessions.begin() as session:
        row = session.get_one(Cluster, cluster)
        row.capabilities = {**(row.capabilities or {}), "room": room.model_dump(mode="json")}


def outages(found: dict[str, Any]) -> list[tuple[int, int, int]]:
    """Service ports, seconds and switches."""
    listed = [one["params"] for one in found["switches"]]
    return [(one["ports"], one["seconds"], one["count"]) for one in listed]


def test_the_outage_of_each_switch_counts_the_services_that_exist(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = known_cluster(admin, sessions, 2)
    holding(sessions, cluster, 1000)
    found = impact(admin, LADDER, cluster)["impact_outage"]
    # Two rounds of two modes on each rung. The first switch comes before the climb to it; without
    # any Service of the run are that of the lowest rung, and the restore.
    assert outages(found) == [(15_000, 290, 3), (2000, 11, 4), (1000, 6, 2)]
    assert found["existing"] == 1000
    assert found["source"]["code"] == "impact_assumed"


def test_what_a_cluster_took_before_is_used(admin: TestClient, sessions: Sessions) -> None:
    cluster = known_cluster(admin, sessions, 2)
    holding(sessions, cluster, 0)
    run_id = store(
        sessions, replace(Measured(service_scale(), ladder), cluster_id=uuid.UUID(cluster))
    )
    query = (
        select(Trial)
        .join(CaseRecord)
        .where(Trial.run_id == run_id, CaseRecord.point["services"].as_integer() == 1000)
    )
    with sessions.begin() as session:
        for trial in session.scalars(query).all():
            session.get_one(CaseRecord, trial.case_id).once = True
            session.add(MeasurementRecord(trial_id=trial.id, metric="switch_outage", value=10.0))
    found = impact(admin, LADDER, cluster)["impact_outage"]
    # Of 14,000 nothing was measured near enough.
    assert outages(found)[0] == (14_000, 260, 3)
    assert outages(found)[1] == (1000, 10, 4)
    assert found["source"]["code"] == "impact_measured"
    assert found["source"]["params"]["count"] >= 1


def test_a_switch_is_counted_with_the_services_of_the_rung_below(
    admin: TestClient, sessions: Sessions
) -> None:
    """The first switch of a rung comes before the climb to it."""
    cluster = known_cluster(admin, sessions, 2)
    holding(sessions, cluster, 0)
    climbed = {**LADDER, "repetition": {"rounds": 1, "trials": 1, "warmup": 0}}
    run_id = store(sessions, Measured(climbed, ladder, cluster_id=uuid.UUID(cluster)))
    with sessions.begin() as session:
        stood = 0
        for block in blocks_of(session, run_id):
            block.switching_seconds = 2 * assumed_outage(stood)
            stood = block.modes["services"]
    found = impact(admin, climbed, cluster)["impact_outage"]
    assert outages(found) == [(14_000, 520, 1), (1000, 12, 2), (0, 10, 2)]
    with sessions.begin() as session:
        session.get_one(Run, run_id).attempt = 2
    found = impact(admin, climbed, cluster)["impact_outage"]
    assert found["source"]["code"] == "impact_assumed"


def counted(
    client: TestClient, spec: dict[str, Any], cluster: str | None = None
) -> tuple[dict[str, Any], list[int]]:
    """The plan, and by cluster how many switches of kube-proxy's mode its impact lists."""
    query = {} if cluster is None else {"cluster_id": cluster}
    plan = client.post(PLAN, json=spec, params=query).json()
    listed = [one["params"] for one in plan["impact"] if "outage" in one["code"]]
    return plan, [sum(count for *_, count in outages(one)) for one in listed]


def test_a_plan_counts_as_many_switches_as_its_impact_lists(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = known_cluster(admin, sessions, 2)
    plan, (listed,) = counted(admin, LADDER, cluster)
    assert plan["mode_switches"] == listed == len(plan["switches"]) + 1
    measured = {
        **LADDER,
        "parameters": {**LADDER["parameters"], "mode_switch_from": 14_000},
        "axes": {**LADDER["axes"], "probe": ["qps", "mode-switch"]},
    }
    before = plan["switching_seconds"]
    plan, (listed,) = counted(admin, measured, cluster)
    # In each of two rounds a trial of each mode switches away and back.
    outside = len(plan["switches"]) + 1
    assert plan["mode_switches"] == listed == outside + 8
    # How long a trial takes has its own switches in it.
    assert plan["switching_seconds"] == before
    # Three switches before blocks write the rules of 14,000 Service ports, and four those of 1,000.
    syncs = 3 * assumed_sync(14_000) + 4 * assumed_sync(1000)
    assert before == pytest.approx(plan["switch_seconds"] * outside + syncs)


def test_each_cluster_of_a_plan_is_restored(admin: TestClient, sessions: Sessions) -> None:
    ids = [known_cluster(admin, sessions, 2) for _ in range(2)]
    names = [admin.get(f"/api/v1/clusters/{one}").json()["name"] for one in ids]
    plan, listed = counted(admin, {**LADDER, "axes": {**LADDER["axes"], "cluster": names}})
    each = len(plan["switches"]) // 2 + 1
    assert listed == [each, each]
    assert plan["mode_switches"] == 2 * each


def test_without_a_cluster_its_own_services_are_unknown(admin: TestClient) -> None:
    found = impact(admin, LADDER)
    assert "impact_outage" not in found
    assert outages(found["impact_outage_anywhere"])[-1] == (0, 5, 2)


def test_what_a_run_adds_and_sends(admin: TestClient) -> None:
    found = impact(admin, LADDER)
    assert found["impact_services"] == {"services": 140, "ports": 14_000, "node_ports": 0}
    assert found["impact_pods"]["pods"] == 2
    assert {"impact_rate_unpaced", "impact_bandwidth_unpaced"} <= found.keys()
    assert found["impact_connections"]["connections"] == 10_000
    sent = impact(admin, UDP)
    assert sent["impact_bandwidth"] == {"bandwidth": "1 Gbit/s"}
    assert not {"impact_rate", "impact_rate_unpaced", "impact_outage_anywhere"} & sent.keys()
    assert "impact_services" not in sent


def test_a_switch_of_the_pod_network_recreates_pods(admin: TestClient) -> None:
    spec = {**UDP, "axes": {**UDP["axes"], "encapsulation": ["vxlan", "host-gw"]}}
    found = impact(admin, spec)
    assert found["impact_recreated"]["axis"] == "encapsulation"
    assert found["impact_recreated"]["count"] >= 3


def test_the_prediction_rises_with_services_and_follows_what_was_measured() -> None:
    seconds = [assumed_outage(ports) for ports, _ in FULL_SYNC]
    assert seconds == [5.0, 6.0, 23.0, 134.0, 294.0]
    assert assumed_outage(30_000) == pytest.approx(5 + 4 * 289)
    assert assumed_outage(7_500) == pytest.approx(5 + (18 + 129) / 2)
    assert predicted_outage(15_000, []) == (294.0, 0)
    # Twice as slow as assumed; what is far off tells nothing.
    twice = [(14_000, 2 * assumed_outage(14_000)), (10, 900.0)]
    seconds_there, switches = predicted_outage(15_000, twice)
    assert (seconds_there, switches) == (588.0, 1)
    # What was measured with about as many tells more than what was with a third.
    assert predicted_outage(15_000, [*twice, (6_000, assumed_outage(6_000))]) == (588.0, 1)
