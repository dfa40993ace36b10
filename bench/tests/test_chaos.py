"""What chaos looks at in the end finds each thing that may be wrong."""

import random
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.chaos import verify
from bench.chaos.verify import Watcher
from bench.chaos.victims import WEIGHTS, Strikes
from bench.scripted.machine import Measured
from sqlalchemy import delete, select, update
from worker.tests.bench import SWITCHING, SWITCHING_TRIALS, Bench

from podmeter.db.models import CaseRecord, Cluster, Run, RunEvent, SavedMode, Trial
from podmeter.db.session import Sessions
from podmeter.domain.run import CaseStatus, RunState
from podmeter.domain.trial import TrialStatus

pytestmark = pytest.mark.services


class Site:
    """A cluster of which all is known beforehand."""

    name = "c"
    kubeconfig = ""

    def __init__(self, measured: Sequence[Measured] = (), left: Sequence[str] = ()) -> None:
        self._measured, self._left = measured, left
        self.kills = 0

    def kill_api_server(self, seed: random.Random) -> bool:
        self.kills += 1
        return True

    def takes_pods(self) -> bool:
        return True

    def left(self) -> Sequence[str]:
        return self._left

    def unrestored(self) -> Sequence[str]:
        return self._left

    def measured(self) -> Sequence[Measured]:
        return self._measured


@pytest.fixture
def run_id(sessions: Sessions, tmp_path: Path) -> uuid.UUID:
    """A run that went through."""
    bench = Bench(sessions, tmp_path)
    run_id = bench.new_run(SWITCHING)
    assert bench.lead(run_id)
    return run_id


def wrong(sessions: Sessions, *sites: Site, seen: Sequence[int] = ()) -> dict[str, int]:
    """What is found to be wrong, and how often."""
    with sessions() as session:
        found = verify.checks(session, sites, set(seen))
    return {check.what: check.count for check in found if check.count}


@pytest.mark.usefixtures("run_id")
def test_nothing_is_wrong_with_a_run_that_went_through(sessions: Sessions) -> None:
    with sessions() as session:
        ids = list(session.scalars(select(Trial.id)))
        assert verify.outcomes(session) == {"succeeded": 1}
    assert len(ids) == SWITCHING_TRIALS + len(SWITCHING["axes"]["kube_proxy_mode"])  # set up each
    assert wrong(sessions, Site(), seen=ids) == {}


@pytest.mark.usefixtures("run_id")
def test_a_trial_that_is_gone_is_missed(sessions: Sessions) -> None:
    with sessions.begin() as session:
        gone = session.scalars(select(Trial.id).where(Trial.status == TrialStatus.COUNTED)).first()
        session.execute(delete(Trial).where(Trial.id == gone))
    found = wrong(sessions, Site(), seen=[gone or 0])
    assert found["trials seen stored, and gone"] == 1
    assert found["trials and events that disagree"] == 1
    assert found["final states that are not true"] == 1


@pytest.mark.usefixtures("run_id")
def test_what_the_cluster_saw_is_held_against_what_is_stored(sessions: Sessions) -> None:
    """The captured tool has one cookie, so all these trials claim to be one measurement."""
    with sessions() as session:
        cookie = next(iter(verify.StoredRuns.read(session).cookies.values()))
    seen = Measured(cookie, "r", {"iptables"}, acknowledged=True)
    lost = Measured("another", "r", {"iptables"}, acknowledged=True)
    unsure = Measured("third", "r", {"iptables"})
    found = wrong(sessions, Site([seen, lost, unsure]))
    assert found["trials acknowledged, and not stored"] == 1
    assert found["measurements stored twice"] == 1
    assert found["trials counted in another mode"] == SWITCHING_TRIALS // 3  # those of nftables


def test_states_and_events_must_fit_what_is_stored(sessions: Sessions, run_id: uuid.UUID) -> None:
    with sessions.begin() as session:
        last = session.get_one(Run, run_id).last_event
        session.execute(delete(RunEvent).where(RunEvent.number == last))
        case = session.scalars(select(CaseRecord.id)).first()
        session.execute(
            update(CaseRecord).where(CaseRecord.id == case).values(status=CaseStatus.FAILED)
        )
    found = wrong(sessions, Site())
    assert found["trials and events that disagree"] == 2  # a gap, and another last state
    assert found["final states that are not true"] == 2  # the case's, and so the run's
    with sessions.begin() as session:
        session.execute(update(Run).values(state=RunState.CLEANING, finished_at=None))
    assert wrong(sessions, Site())["runs not finished"] == 1


@pytest.mark.usefixtures("run_id")
def test_what_is_left_in_clusters_and_open_in_the_database_is_told(sessions: Sessions) -> None:
    with sessions.begin() as session:
        session.execute(update(Cluster).values(needs_restore=True, needs_restore_reason="away"))
        session.execute(update(SavedMode).values(restored_at=None))
    found = wrong(sessions, Site(left=["pods podmeter/a", "services podmeter/b"]))
    assert found == {
        "left in clusters": 2,
        "modes not restored": 2,
        "clusters flagged or claimed, modes saved and open": 2,
    }


@pytest.mark.usefixtures("run_id")
def test_the_watcher_remembers_what_it_saw(sessions: Sessions) -> None:
    with Watcher(sessions) as watcher:
        while len(watcher.seen) < SWITCHING_TRIALS:
            watcher._over.wait(0.01)
    with sessions() as session:
        assert watcher.seen == set(session.scalars(select(Trial.id)))


def test_victims_are_the_same_for_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def struck(seed: int) -> list[str | None]:
        strikes = Strikes(None, [], random.Random(seed), 10)  # type: ignore[arg-type]
        monkeypatch.setattr(Strikes, "_kill", lambda self, what: True)
        return [strikes.strike() for _ in range(200)]

    assert struck(1) == struck(1) != struck(2)
    assert set(struck(1)) == set(WEIGHTS)
