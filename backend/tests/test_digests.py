"""What is computed once of a finished run: the same as without it, and only while it holds."""

import uuid
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, delete, func, select, update
from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import MeasurementRecord, Run, RunDigest
from podmeter.db.repositories.digests import Digest, DigestRepository, latest_without
from podmeter.db.session import Sessions, make_engine
from podmeter.domain.run import Outcome, RunState
from podmeter.services.lru_cache import LruCache
from podmeter.services.run_aggregates.content import versions
from podmeter.services.run_aggregates.precompute import AggregatePrecompute
from podmeter.stack.process import wait_until
from podmeter_api import aggregate_precompute

from .builders import reach, register
from .measured import Measured, paths, store, throughput
from .result_rows import every_effect

pytestmark = pytest.mark.services


def compared(client: TestClient, one: uuid.UUID, two: uuid.UUID, **more: Any) -> dict[str, Any]:
    body = {"baseline": {"run_id": str(one)}, "contenders": [{"run_id": str(two)}], **more}
    answer = client.post("/api/v1/comparisons", json=body)
    assert answer.status_code == 201, answer.text
    return {
        name: value for name, value in answer.json().items() if name not in ("id", "created_at")
    }


def runs_of_one_cluster(client: TestClient, sessions: Sessions, count: int) -> list[uuid.UUID]:
    reach(sessions, register(client)["id"])
    return [
        store(sessions, Measured(throughput(), paths, seed=number, noise=0.01))
        for number in range(count)
    ]


def kept(sessions: Sessions) -> set[uuid.UUID]:
    with sessions() as session:
        return set(session.scalars(select(RunDigest.run_id)))


@dataclass
class Changing:
    """Sessions of a database that cannot be reached until it is back."""

    away: Engine
    there: Sessions
    back: bool = False
    refused: int = 0

    def __call__(self) -> Session:
        if self.back:
            return self.there()
        self.refused += 1
        return Session(self.away)


def test_a_comparison_by_digests_is_the_one_without(admin: TestClient, sessions: Sessions) -> None:
    one, two, *others = runs_of_one_cluster(admin, sessions, 6)
    without = compared(admin, one, two)
    (floor,) = (contender["noise_floor"] for contender in without["contenders"])
    assert floor["runs"] == len(others)
    assert without["losses"]
    assert kept(sessions) == {one, two, *others}
    with sessions.begin() as session:
        # Nobody looks at what was measured any more.
        session.execute(update(MeasurementRecord).values(value=MeasurementRecord.value * 2))
    assert compared(admin, one, two) == without


@pytest.mark.parametrize("changed", ["last_event", "version"])
def test_a_digest_of_another_state_or_version_is_made_anew(
    admin: TestClient, sessions: Sessions, changed: str
) -> None:
    one, two = runs_of_one_cluster(admin, sessions, 2)
    before = compared(admin, one, two)
    with sessions.begin() as session:
        session.execute(update(MeasurementRecord).values(value=MeasurementRecord.value * 2))
        if changed == "version":
            session.execute(update(RunDigest).values(version="of another time"))
        else:
            session.execute(update(Run).values(last_event=Run.last_event + 1))
    after = compared(admin, one, two)
    assert _centres(after) == pytest.approx([2 * value for value in _centres(before)])
    assert compared(admin, one, two) == after
    with sessions() as session:
        rows = session.execute(
            select(Run.last_event, RunDigest.last_event).join(RunDigest, RunDigest.run_id == Run.id)
        )
        assert all(own == of_digest for own, of_digest in rows)


def test_a_run_that_goes_on_has_no_digest(admin: TestClient, sessions: Sessions) -> None:
    one, two = runs_of_one_cluster(admin, sessions, 2)
    compared(admin, one, two)
    with sessions.begin() as session:
        session.execute(
            update(Run)
            .where(Run.id == one)
            .values(state=RunState.QUEUED, outcome=None, finished_at=None)
        )
        session.execute(update(MeasurementRecord).values(value=MeasurementRecord.value * 2))
    told = compared(admin, one, two)
    (contender,) = told["contenders"]
    effects = every_effect(contender)
    assert effects
    assert all(effect["ratio"]["value"] < 0.6 for effect in effects)
    with sessions.begin() as session:
        finished = {"state": RunState.FINISHED, "outcome": Outcome.SUCCEEDED}
        session.execute(delete(RunDigest))
        session.execute(
            update(Run).where(Run.id == two).values(state=RunState.QUEUED, outcome=None)
        )
        session.execute(update(Run).where(Run.id == one).values(finished))
    compared(admin, one, two)
    assert kept(sessions) == {one}


def test_other_thresholds_than_the_default_are_judged_anew(
    admin: TestClient, sessions: Sessions
) -> None:
    one, two = runs_of_one_cluster(admin, sessions, 2)
    usual = compared(admin, one, two)
    strange = compared(admin, one, two, noise_threshold=0.5)
    assert compared(admin, one, two) == usual
    verdicts = [loss["verdict"] for run in strange["losses"] for loss in run["losses"]]
    assert verdicts != [loss["verdict"] for run in usual["losses"] for loss in run["losses"]]


def test_digests_are_made_before_anybody_compares(admin: TestClient, sessions: Sessions) -> None:
    one, two, three = runs_of_one_cluster(admin, sessions, 3)
    with sessions.begin() as session:
        going_on = {"state": RunState.QUEUED, "outcome": None}
        session.execute(update(Run).where(Run.id == three).values(going_on))
        session.execute(update(Run).where(Run.id == two).values(started_at=now()))
    ahead = AggregatePrecompute(sessions)
    assert ahead.make_one()
    assert kept(sessions) == {two}, "the latest first"
    assert ahead.make_one()
    assert kept(sessions) == {one, two}
    assert not ahead.make_one()
    with sessions.begin() as session:
        session.execute(update(RunDigest).values(version="of another time"))
        before = session.scalar(select(RunDigest.losses).where(RunDigest.run_id == one))
    assert [ahead.make_one() for _ in range(3)] == [True, True, False]
    with sessions() as session:
        assert set(session.scalars(select(RunDigest.version))) <= set(versions())
        assert session.scalar(select(RunDigest.losses).where(RunDigest.run_id == one)) == before


def test_a_run_whose_digest_cannot_be_made_holds_up_no_other(
    admin: TestClient, sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = runs_of_one_cluster(admin, sessions, 2)
    with sessions.begin() as session:
        session.execute(update(Run).where(Run.id == bad).values(spec={}, started_at=now()))
    ahead = AggregatePrecompute(sessions)
    for _ in range(6):
        ahead.make_one()
    assert kept(sessions) == {good}
    assert not ahead.make_one()
    assert str(bad) in caplog.text


def test_one_process_at_a_time_makes_digests_ahead(admin: TestClient, sessions: Sessions) -> None:
    (one,) = runs_of_one_cluster(admin, sessions, 1)
    with sessions.begin() as session:
        assert latest_without(session, ["throughput"], [], []) is not None
        assert not AggregatePrecompute(sessions).make_one()
    assert AggregatePrecompute(sessions).make_one()
    assert kept(sessions) == {one}


def test_digests_are_made_once_the_database_is_back(
    admin: TestClient, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = runs_of_one_cluster(admin, sessions, 1)
    monkeypatch.setattr(aggregate_precompute, "_LOOK_SECONDS", 0.01)
    away = make_engine("postgresql+psycopg://nobody@127.0.0.1:1/none")
    changing, over = Changing(away, sessions), Event()
    maker = Thread(target=aggregate_precompute.make_digests, args=(cast(Sessions, changing), over))
    maker.start()
    try:
        assert wait_until(lambda: changing.refused > 1, 20)
        changing.back = True
        assert wait_until(lambda: kept(sessions) == {one}, 20)
    finally:
        over.set()
        maker.join()


def test_a_digest_goes_with_its_run(admin: TestClient, sessions: Sessions) -> None:
    one, two = runs_of_one_cluster(admin, sessions, 2)
    compared(admin, one, two)
    assert admin.delete(f"/api/v1/runs/{one}").status_code == 204
    with sessions() as session:
        assert session.scalar(select(func.count()).select_from(RunDigest)) == 1


def test_what_is_kept_is_what_was_asked_for_last() -> None:
    values: LruCache[str, int] = LruCache(2)
    values.put("a", 1)
    values.put("b", 2)
    assert values.get("a") == 1
    values.put("c", 3)
    assert (values.get("a"), values.get("b"), values.get("c")) == (1, None, 3)


def _centres(comparison: dict[str, Any]) -> list[float]:
    return [
        effect["centre baseline"]["value"]
        for contender in comparison["contenders"]
        for effect in every_effect(contender)
    ]


def test_a_list_has_what_each_run_answered(admin: TestClient, sessions: Sessions) -> None:
    one, two = runs_of_one_cluster(admin, sessions, 2)
    compared(admin, one, two)
    assert answers(admin) == {str(one): None, str(two): None}
    ahead = AggregatePrecompute(sessions)
    assert [ahead.make_one() for _ in range(3)] == [True, True, False]
    for language in ("en", "zh"):
        told = answers(admin, language)
        for run in (one, two):
            report = admin.get(
                f"/api/v1/runs/{run}/summaries", headers={"Accept-Language": language}
            )
            headline = report.json()["headline"]
            first, caveats = headline["sentences"][0], headline.get("caveats", [])
            assert told[str(run)] == {"sentence": first, "caveats": caveats}
    with sessions.begin() as session:
        # What another version or state of the run answered is not its answer.
        session.execute(update(RunDigest).where(RunDigest.run_id == one).values(version="older"))
        session.execute(update(Run).where(Run.id == two).values(last_event=Run.last_event + 1))
    assert answers(admin) == {str(one): None, str(two): None}


def test_a_comparison_loses_no_answer(admin: TestClient, sessions: Sessions) -> None:
    """It keeps a digest without one, maybe later than the answer was made."""
    (one,) = runs_of_one_cluster(admin, sessions, 1)
    assert AggregatePrecompute(sessions).make_one()
    before = answers(admin)
    assert before[str(one)] is not None
    with sessions.begin() as session:
        found = session.scalars(select(RunDigest)).one()
        names = ("run_id", "last_event", "version", "samples", "losses", "blocks")
        late = Digest(**{name: getattr(found, name) for name in names}, answer=None)
        repository = DigestRepository(session, found.organization_id)
        repository.keep([late])
    assert answers(admin) == before
    with sessions.begin() as session:
        repository = DigestRepository(session, found.organization_id)
        repository.keep([late._replace(last_event=late.last_event + 1)])
        assert list(session.scalars(select(RunDigest.answer))) == [None]


def test_a_run_without_any_result_has_no_answer(admin: TestClient, sessions: Sessions) -> None:
    run = store(sessions, Measured(throughput(), lambda _point: None))
    assert AggregatePrecompute(sessions).make_one()
    assert not AggregatePrecompute(sessions).make_one()
    assert answers(admin) == {str(run): None}


def answers(client: TestClient, language: str = "en") -> dict[str, Any]:
    """What a list says that runs answered, by their ids."""
    listed = client.get("/api/v1/runs", headers={"Accept-Language": language})
    return {one["id"]: one["answer"] for one in listed.json()["items"]}
