"""What scale looks at in the end finds each thing that may be wrong."""

import asyncio
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from bench.scale import verify
from bench.scale.clusters import WatchedCluster
from bench.scripted.store import Key
from sqlalchemy import delete, select, update
from worker.tests.bench import Bench

from podmeter.db.base import now
from podmeter.db.models import Run, RunEvent
from podmeter.db.session import Sessions
from podmeter.domain.run import Outcome, RunState

pytestmark = pytest.mark.services


@pytest.fixture
def runs(sessions: Sessions, tmp_path: Path) -> list[uuid.UUID]:
    """Three runs of one cluster that went through, one after the other."""
    bench = Bench(sessions, tmp_path)
    found = [bench.new_run() for _ in range(3)]
    assert all(bench.lead(one) for one in found)
    return found


def wrong(sessions: Sessions, queued: int = 3, interrupted: int = 0) -> dict[str, int]:
    with sessions() as session:
        found = [*verify.ended_once(session, queued, interrupted), verify.in_order(session)]
    return {check.what: check.count for check in found if check.count}


def test_each_thing_that_may_be_wrong_is_found(sessions: Sessions, runs: list[uuid.UUID]) -> None:
    assert wrong(sessions) == {}
    assert wrong(sessions, queued=4) == {"runs lost": 1}
    first, second, _ = runs
    with sessions.begin() as session:
        session.execute(update(Run).where(Run.id == first).values(outcome=Outcome.INTERRUPTED))
    assert wrong(sessions) == {"more runs interrupted than had a worker killed": 1}
    assert wrong(sessions, interrupted=1) == {}
    with sessions.begin() as session:
        late = session.get_one(Run, second).finished_at
        assert late is not None
        session.execute(update(Run).where(Run.id == first).values(finished_at=late))
    assert wrong(sessions, interrupted=1) == {"runs out of order, or two on a cluster": 1}
    with sessions.begin() as session:
        ends = select(RunEvent.number).where(
            RunEvent.run_id == second, RunEvent.content["state"].astext == RunState.FINISHED
        )
        session.execute(
            delete(RunEvent).where(RunEvent.run_id == second, RunEvent.number.in_(ends))
        )
        session.execute(update(Run).where(Run.id == second).values(outcome=Outcome.FAILED))
    found = wrong(sessions, interrupted=1)
    assert found["runs not finished, or more than once"] == 1
    assert found["runs that failed"] == 1


def test_places_are_counted_while_everybody_wants_some(
    sessions: Sessions, runs: list[uuid.UUID]
) -> None:
    begun = now() - timedelta(hours=1)
    with sessions.begin() as session:
        (owner,) = set(session.scalars(select(Run.organization_id)))
        first, second, third = (session.get_one(Run, one) for one in runs)
        times = ((0, 10), (10, 30), (30, 60))  # minutes: each begins when the one before ends
        for run, (start, end) in zip((first, second, third), times, strict=True):
            run.started_at = begun + timedelta(minutes=start)
            run.finished_at = begun + timedelta(minutes=end)
        session.flush()
        assert verify.places(session, [owner], begun) == {owner: 1.0}
        half = timedelta(minutes=15)
        assert verify.places(session, [owner], begun - half * 2) == {owner: 0.5}
        nobody = uuid.uuid4()
        assert verify.places(session, [owner, nobody], begun)[nobody] == 0


def test_a_cluster_sees_two_runs_in_it() -> None:
    cluster = WatchedCluster("c")
    for number, label in enumerate(("aaaaaaaaaaaa", "bbbbbbbbbbbb", "look-1234")):
        body = {"metadata": {"labels": {"podmeter.io/run": label}}, "spec": {}, "status": {}}
        cluster.store.create(Key("v1", "pods", "podmeter", f"p-{number}"), body)

    class Gone:
        reader = writer = None

    for label in ("aaaaaaaaaaaa", "look-1234"):
        with pytest.raises(AttributeError):  # there is no connection behind it
            asyncio.run(cluster.session(Gone(), cluster.machines["node-1"], label))  # type: ignore[arg-type]
    assert cluster.together == ["c: aaaaaaaaaaaa beside bbbbbbbbbbbb"]
