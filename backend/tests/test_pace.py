"""What a plan takes switches and measuring to last: as on the cluster before, else assumed."""

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import Block, Run, Trial
from podmeter.db.session import Sessions
from podmeter.domain.run import CaseStatus, RunState
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.service_scale.creating import CreatedFacts, creating_seconds
from podmeter.kinds.switch_outage import assumed_sync
from podmeter.services.experiments.pace import ASSUMED_SECONDS

from .measured import Measured, ladder, paths, service_scale, store, throughput
from .test_node_pairs import PLAN, known_cluster

pytestmark = pytest.mark.services
SWITCHING = throughput()


def planned(client: TestClient, cluster: str | None = None) -> tuple[float, int]:
    query = {} if cluster is None else {"cluster_id": cluster}
    plan = client.post(PLAN, json=SWITCHING, params=query).json()
    # Each block, and the restore of the original mode.
    assert plan["switching_seconds"] == plan["switch_seconds"] * (len(plan["switches"]) + 1)
    return plan["switch_seconds"], plan["switches_seen"]


def switched(sessions: Sessions, cluster: str, run: Measured, *seconds: float) -> None:
    """A run of the cluster whose first blocks took so long to switch."""
    run_id = store(sessions, replace(run, cluster_id=uuid.UUID(cluster)))
    with sessions.begin() as session:
        for block, took in zip(blocks_of(session, run_id), seconds, strict=False):
            block.switching_seconds = took


def blocks_of(session: Session, run: uuid.UUID) -> list[Block]:
    query = select(Block).where(Block.run_id == run).order_by(Block.position)
    return list(session.scalars(query))


def test_a_switch_is_planned_by_the_nodes_until_one_was_made(
    admin: TestClient, sessions: Sessions
) -> None:
    small, large = (known_cluster(admin, sessions, nodes) for nodes in (2, 40))
    assert planned(admin) == (ASSUMED_SECONDS, 0)
    assert planned(admin, small) == (20.0, 0)
    assert planned(admin, large) == (210.0, 0)


def test_a_switch_is_planned_as_the_same_took_on_the_cluster(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster, other = (known_cluster(admin, sessions, 2) for _ in range(2))
    switched(sessions, cluster, Measured(service_scale(), ladder), 500.0, 500.0, 500.0)
    # Of other modes it says nothing, nor two blocks of a third.
    switched(sessions, cluster, Measured(SWITCHING, paths), 8.0, 9.0)
    assert planned(admin, cluster) == (20.0, 0)
    switched(sessions, cluster, Measured(SWITCHING, paths), 10.0, 300.0)
    assert planned(admin, cluster) == (9.5, 4)
    assert planned(admin, other) == (20.0, 0)


def measuring(
    client: TestClient, cluster: str, spec: dict[str, Any] = SWITCHING
) -> tuple[float, int, float]:
    """The pace, of how many blocks it is, and what a block is taken to last, switching apart."""
    plan = client.post(PLAN, json=spec, params={"cluster_id": cluster}).json()
    seconds = plan["measuring_seconds"]
    around = plan["around_seconds"]
    assert plan["expected_seconds"] == around + seconds + plan["switching_seconds"]
    return plan["measuring_pace"], plan["blocks_seen"], seconds / len(plan["blocks"])


def took(sessions: Sessions, cluster: str, *seconds: float, attempt: int = 1) -> None:
    """A run whose blocks measured for so long each, after 7 s of switching; others failed."""
    run = store(sessions, Measured(SWITCHING, paths, cluster_id=uuid.UUID(cluster)))
    with sessions.begin() as session:
        session.get_one(Run, run).attempt = attempt
        for number, block in enumerate(blocks_of(session, run)):
            known = number < len(seconds)
            block.status = CaseStatus.SUCCEEDED if known else CaseStatus.FAILED
            block.switching_seconds = 7.0
            begun, lasted = now(), 7 + (seconds[number] if known else 9_999)
            block.started_at, block.ended_at = begun, begun + timedelta(seconds=lasted)


def test_measuring_is_planned_as_the_latest_blocks_of_its_kind_took(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster, other = (known_cluster(admin, sessions, 2) for _ in range(2))
    pace, seen, block = measuring(admin, cluster)
    assert (pace, seen) == (1.0, 0)
    # Two blocks tell too little, and what was taken up again in the middle tells nothing.
    took(sessions, cluster, 3 * block, 3 * block)
    took(sessions, cluster, block, block, block, attempt=2)
    assert measuring(admin, cluster) == (1.0, 0, block)
    took(sessions, cluster, 2.5 * block, 90 * block)
    assert measuring(admin, cluster) == pytest.approx((3.0, 4, 3 * block), rel=1e-3)
    assert measuring(admin, other) == (1.0, 0, block)
    assert measuring(admin, cluster, service_scale())[:2] == (1.0, 0)


def test_of_many_runs_the_latest_three_tell_how_long_measuring_takes(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = known_cluster(admin, sessions, 2)
    _, _, block = measuring(admin, cluster)
    for times in (9, 9, 2, 2, 2):
        took(sessions, cluster, *[times * block] * 3)
    pace, seen, _ = measuring(admin, cluster)
    assert pace == pytest.approx(2.0, rel=1e-3)
    assert seen == 9


def test_creating_is_planned_at_the_rate_that_was_measured_on_the_cluster(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster, other = (known_cluster(admin, sessions, 2) for _ in range(2))
    climbing = service_scale()
    climbing["axes"]["services"] = [10, 20_000]

    def measuring_seconds(on: str) -> float:
        plan = admin.post(PLAN, json=climbing, params={"cluster_id": on}).json()
        return float(plan["measuring_seconds"])

    before = measuring_seconds(cluster)
    assumed = creating_seconds(20_000)
    facts = CreatedFacts(services=19_990, before=10, ports=19_990, seconds=3 * assumed).written
    run = Measured(climbing, ladder, cluster_id=uuid.UUID(cluster), facts=lambda _: facts)
    run_id = store(sessions, run)
    with sessions.begin() as session:
        for block in blocks_of(session, run_id):
            # Too few to tell how long measuring takes besides.
            block.started_at = block.ended_at = None
    # Two rungs in two modes are created once.
    assert measuring_seconds(cluster) - before == pytest.approx(2 * assumed, rel=0.01)
    assert measuring_seconds(other) == before


def test_what_an_older_kind_measured_tells_nothing(admin: TestClient, sessions: Sessions) -> None:
    cluster = known_cluster(admin, sessions, 2)
    _, _, block = measuring(admin, cluster)
    took(sessions, cluster, *[2 * block] * 3)
    with sessions.begin() as session:
        (run,) = session.scalars(select(Run).where(Run.kind == "throughput"))
        run.spec = {**run.spec, "kind_version": 0}
    assert measuring(admin, cluster) == (1.0, 0, block)


def test_a_noise_floor_is_offered_at_the_clusters_pace(
    admin: TestClient, sessions: Sessions
) -> None:
    cluster = known_cluster(admin, sessions, 2)

    def offered() -> dict[str, float]:
        floor = admin.get(f"/api/v1/clusters/{cluster}/noise-floor").json()
        return {one["kind"]: one["expected_seconds"] for one in floor["to_measure"]}

    before = offered()
    _, _, block = measuring(admin, cluster)
    took(sessions, cluster, *[4 * block] * 3)
    after = offered()
    assert after["throughput"] > 2 * before["throughput"]
    assert {k: v for k, v in after.items() if k != "throughput"} == {
        k: v for k, v in before.items() if k != "throughput"
    }


CLIMBING = service_scale(repetition={"trials": 1, "rounds": 3})
CLIMBING["axes"]["services"] = [1000, 5000, 15_000]


def climbed(sessions: Sessions, cluster: str, plan: dict[str, Any]) -> uuid.UUID:
    """A run whose blocks took what the plan expects, full syncs while they switched."""
    run_id = store(sessions, Measured(CLIMBING, ladder, cluster_id=uuid.UUID(cluster)))
    with sessions.begin() as session:
        stood, at = 0, now()
        for block, planned in zip(blocks_of(session, run_id), plan["blocks"], strict=True):
            block.status = CaseStatus.SUCCEEDED
            block.switching_seconds = plan["switch_seconds"] + assumed_sync(stood)
            block.started_at, at = at, at + timedelta(seconds=planned["expected_seconds"])
            block.ended_at, stood = at, block.modes["services"]
    return run_id


def climb_planned(admin: TestClient, cluster: str) -> dict[str, Any]:
    """The plan of the ladder on a cluster."""
    plan = admin.post(PLAN, json=CLIMBING, params={"cluster_id": cluster}).json()
    return dict(plan)


def test_full_syncs_are_counted_once_in_the_plan_after_a_ladder_that_switched(
    admin: TestClient, sessions: Sessions
) -> None:
    """Otherwise measuring seems to be quicker than it is, and later plans have too little time."""
    cluster = known_cluster(admin, sessions, 2)

    before = climb_planned(admin, cluster)
    climbed(sessions, cluster, before)
    after = climb_planned(admin, cluster)
    assert after["blocks_seen"] == 18
    assert after["measuring_pace"] == pytest.approx(1.0, rel=1e-3)
    assert after["switching_seconds"] == pytest.approx(before["switching_seconds"], rel=0.01)
    for one, other in zip(before["blocks"], after["blocks"], strict=True):
        assert one["expected_seconds"] == pytest.approx(other["expected_seconds"], rel=0.05)
    restore = before["switch_seconds"]
    assert sum(one["expected_seconds"] for one in before["blocks"]) + restore == pytest.approx(
        before["measuring_seconds"] + before["switching_seconds"]
    )


def test_a_switch_after_a_failed_block_is_not_taken_for_one_with_its_services(
    admin: TestClient, sessions: Sessions
) -> None:
    """A block that fails removes them, and the full sync of none takes no time."""
    cluster = known_cluster(admin, sessions, 2)

    before = climb_planned(admin, cluster)
    run_id = climbed(sessions, cluster, before)
    with sessions.begin() as session:
        # On the top rung every other block.
        top = blocks_of(session, run_id)[12:]
        for failed, following in zip(top[::2], top[1::2], strict=True):
            failed.status = CaseStatus.FAILED
            following.switching_seconds = before["switch_seconds"]
    after = climb_planned(admin, cluster)
    assert after["switching_seconds"] == pytest.approx(before["switching_seconds"], rel=0.01)
    assert after["measuring_pace"] == pytest.approx(1.0, rel=1e-3)


def test_switches_tell_nothing_of_a_run_that_was_retried_or_resumed(
    admin: TestClient, sessions: Sessions
) -> None:
    """A later attempt begins without the Services of the block before."""
    cluster = known_cluster(admin, sessions, 2)
    climbed(sessions, cluster, climb_planned(admin, cluster))
    before = climb_planned(admin, cluster)
    retried = climbed(sessions, cluster, before)
    with sessions.begin() as session:
        session.get_one(Run, retried).attempt = 2
        for block in blocks_of(session, retried):
            block.switching_seconds = 1.0
    after = climb_planned(admin, cluster)
    assert after["switches_seen"] == before["switches_seen"] > 0
    assert after["switching_seconds"] == before["switching_seconds"]


def test_switches_tell_nothing_of_a_run_whose_services_stayed_from_block_to_block(
    admin: TestClient, sessions: Sessions
) -> None:
    """Its blocks have all rungs: which one the block before ended on, they do not tell."""
    cluster = known_cluster(admin, sessions, 2)

    def switch_seconds() -> tuple[float, int]:
        plan = admin.post(PLAN, json=CLIMBING, params={"cluster_id": cluster}).json()
        return plan["switch_seconds"], plan["switches_seen"]

    before = switch_seconds()
    run_id = store(sessions, Measured(CLIMBING, ladder, cluster_id=uuid.UUID(cluster)))

    def measured_with(parameters: dict[str, Any]) -> None:
        with sessions.begin() as session:
            run = session.get_one(Run, run_id)
            own = {**run.spec["parameters"], **parameters}
            run.spec = {**run.spec, "kind_version": 11, "parameters": own}
            for block in blocks_of(session, run_id):
                block.modes = {"kube_proxy_mode": block.modes["kube_proxy_mode"]}
                block.switching_seconds, block.started_at = 90.0, now()

    measured_with({"services_stay": True, "rung_by_rung": False})
    assert switch_seconds() == before
    for told in (
        {"services_stay": False},
        {"services_stay": True, "rung_by_rung": True},
        {"services_stay": True, "assignment": "side_by_side"},
    ):
        measured_with({"rung_by_rung": False, **told})
        assert switch_seconds() == (90.0, 18)


def test_a_run_says_how_long_it_still_measures(admin: TestClient, sessions: Sessions) -> None:
    cluster = known_cluster(admin, sessions, 2)
    plan = admin.post(PLAN, json=CLIMBING, params={"cluster_id": cluster}).json()
    run_id = climbed(sessions, cluster, plan)
    on_top = [block["expected_seconds"] for block in plan["blocks"]][12:]

    def left() -> dict[str, Any] | None:
        found = admin.get(f"/api/v1/runs/{run_id}").json()["time_left"]
        return None if found is None else dict(found)

    assert left() is None
    with sessions.begin() as session:
        run = session.get_one(Run, run_id)
        run.state, run.outcome, run.finished_at = RunState.RUNNING, None, None
        for block in blocks_of(session, run_id)[12:]:
            block.status, block.ended_at = CaseStatus.PENDING, None
            block.started_at = block.switching_seconds = None
    # Two of three rungs are over, in a fraction of the time.
    found = left()
    assert found is not None
    assert found["block_until"] is None
    assert found["seconds_after"] == pytest.approx(sum(on_top), rel=0.05)
    with sessions.begin() as session:
        block = blocks_of(session, run_id)[12]
        block.status, block.started_at = CaseStatus.RUNNING, now()
    found = left()
    assert found is not None
    assert found["block_until"] is not None
    assert found["seconds_after"] == pytest.approx(sum(on_top[1:]), rel=0.05)
    with sessions.begin() as session:
        session.get_one(Run, run_id).spec = {
            **session.get_one(Run, run_id).spec,
            "kind_version": 7,
        }
    # This version cannot tell how long a block of an older one takes.
    assert left() is None


def test_a_retry_says_how_long_the_trials_take_that_failed(
    admin: TestClient, sessions: Sessions
) -> None:
    """Their blocks have succeeded; those that the retry runs again succeed once more."""
    cluster = known_cluster(admin, sessions, 2)
    plan = admin.post(PLAN, json=CLIMBING, params={"cluster_id": cluster}).json()
    run_id = climbed(sessions, cluster, plan)

    def seconds_after() -> float:
        return float(admin.get(f"/api/v1/runs/{run_id}").json()["time_left"]["seconds_after"])

    with sessions.begin() as session:
        first, second = blocks_of(session, run_id)[12:14]
        for block in (first, second):
            query = select(Trial).where(Trial.block_id == block.id)
            session.scalars(query).all()[-1].status = TrialStatus.FAILED
        # The attempt before took hours in all.
        later = now() + timedelta(days=1)
        run = session.get_one(Run, run_id)
        run.state, run.outcome, run.finished_at = RunState.QUEUED, None, None
        run.attempt, run.queued_at = 2, later
    climb = plan["blocks"][0]["expected_seconds"]
    both = seconds_after()
    assert both > climb
    with sessions.begin() as session:
        run = session.get_one(Run, run_id)
        run.state, run.started_at = RunState.RUNNING, later
        block = blocks_of(session, run_id)[12]
        block.started_at, block.ended_at = later, later + timedelta(seconds=both / 2)
    assert 0 < seconds_after() < both
    with sessions.begin() as session:
        block = blocks_of(session, run_id)[13]
        block.started_at = block.ended_at = later + timedelta(seconds=both)
    assert seconds_after() == 0
