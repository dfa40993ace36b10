import threading
import uuid
import zlib
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError, NoResultFound
from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import (
    InvocationRecord,
    MeasurementRecord,
    Organization,
    Run,
    SeriesRecord,
    Trial,
)
from podmeter.db.paging import PageRequest
from podmeter.db.repositories.clusters import ClusterRepository
from podmeter.db.repositories.journal import JournalRepository
from podmeter.db.repositories.runs import RunFilter, RunRepository
from podmeter.db.repositories.samples import SampleRepository
from podmeter.db.repositories.shown_runs import ShownRunRepository
from podmeter.db.repositories.trials import MeasurementFilter, TrialRepository, drop_old_output
from podmeter.db.session import Sessions, unit_of_work
from podmeter.domain.ports import LogLevel
from podmeter.domain.trial import HELD_UP, MODE_REVERTED, TrialStatus

from .builders import add_cluster, add_organization, add_run

pytestmark = pytest.mark.services


def add_trial(session: Session, run: Run, **values: Any) -> Trial:
    runs = RunRepository(session, run.organization_id)
    fields = {
        "organization_id": run.organization_id,
        "run_id": run.id,
        "case_id": runs.all_cases(run.id)[0].id,
        "block_id": runs.blocks(run.id)[0].id,
        "round": 1,
        "number": 1,
        "warmup": False,
        "attempt": 1,
        "status": TrialStatus.COUNTED,
        "seconds": 2.0,
        "tool_seconds": 1.0,
        "started_at": now(),
    }
    trial = Trial(**(fields | values))
    measured = trial.status in (TrialStatus.COUNTED, TrialStatus.WARMUP)
    TrialRepository(session, run.organization_id).add(
        trial,
        [
            InvocationRecord(
                position=0,
                tool="iperf3",
                version="3.18",
                argv=["iperf3"],
                place="a",
                exit_code=0,
                seconds=1.0,
                stdout=zlib.compress(b"{}"),
                stderr=zlib.compress(b""),
            )
        ],
        [MeasurementRecord(metric=m, subject="", value=float(n)) for n, m in enumerate("ab")]
        if measured
        else [],
        [SeriesRecord(metric="a", subject="", offsets=[0.0, 1.0], values=[1.0, 2.0])]
        if measured
        else [],
    )
    return trial


def test_a_trial_that_counted_is_stored_once(session: Session, organization: Organization) -> None:
    run = add_run(session, organization, "u")
    add_trial(session, run, status=TrialStatus.VOID, failure_code="void")
    add_trial(session, run, status=TrialStatus.FAILED, failure_code="lab")
    add_trial(session, run)
    add_trial(session, run, warmup=True, status=TrialStatus.WARMUP)
    with pytest.raises(IntegrityError, match="uq_trials_kept"), session.begin_nested():
        add_trial(session, run)
    case_id = RunRepository(session, organization.id).all_cases(run.id)[0].id
    kept = TrialRepository(session, organization.id).kept(run.id)
    assert kept == {(case_id, 1, False, 1): 1, (case_id, 1, True, 1): 1}


def test_samples_count_only_counted_trials(session: Session, organization: Organization) -> None:
    run = add_run(session, organization, "u")
    add_trial(session, run, warmup=True, status=TrialStatus.WARMUP)
    counted = add_trial(session, run).id
    samples = SampleRepository(session, organization.id)
    case_id = RunRepository(session, organization.id).all_cases(run.id)[0].id
    found = [tuple(row) for row in samples.samples([run.id], ["b"])]
    assert found == [(case_id, "b", "", 1, [1.0], [counted])]
    assert len(samples.samples([run.id])) == 2


def test_measurements_come_in_pages(session: Session, organization: Organization) -> None:
    run = add_run(session, organization, "u")
    for number in (1, 2, 3):
        add_trial(session, run, number=number)
    trials = TrialRepository(session, organization.id)
    seen, cursor = [], None
    while True:
        page = trials.measurements_page(
            run.id, MeasurementFilter(), PageRequest(limit=4, cursor=cursor)
        )
        seen += [(row[0].trial_id, row[0].metric) for row in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 6
    assert seen == sorted(seen)
    only = trials.measurements_page(run.id, MeasurementFilter(metric="a"), PageRequest())
    assert {row[0].metric for row in only.items} == {"a"}


def test_old_output_is_dropped_and_the_rest_stays(
    session: Session, organization: Organization
) -> None:
    run = add_run(session, organization, "u")
    trial = add_trial(session, run)
    assert drop_old_output(session, before=trial.stored_at) == 0
    assert drop_old_output(session, before=now()) == 1
    session.expire_all()
    (invocation,) = TrialRepository(session, organization.id).invocations(trial.id)
    assert invocation.stdout is None
    assert invocation.argv == ["iperf3"]
    assert drop_old_output(session, before=now()) == 0


def test_deleting_a_run_leaves_nothing(session: Session, organization: Organization) -> None:
    run = add_run(session, organization, "u")
    trial_id = add_trial(session, run).id
    journal = JournalRepository(session, organization.id)
    journal.add_event(run.id, "state", {})
    journal.add_line(run.id, 1, LogLevel.INFO, "a line")
    RunRepository(session, organization.id).delete(run)
    session.expire_all()
    trials = TrialRepository(session, organization.id)
    assert trials.measurements(trial_id) == []
    assert trials.series(trial_id) == []
    assert trials.invocations(trial_id) == []
    assert journal.events_after(run.id, 0) == []


def test_another_organization_finds_nothing(
    session: Session, organization: Organization, stranger: Organization
) -> None:
    run = add_run(session, organization, "u")
    trial = add_trial(session, run)
    cluster = add_cluster(session, organization)
    JournalRepository(session, organization.id).add_event(run.id, "state", {})
    JournalRepository(session, organization.id).add_line(run.id, 1, LogLevel.INFO, "a line")
    runs, trials = RunRepository(session, stranger.id), TrialRepository(session, stranger.id)
    journal = JournalRepository(session, stranger.id)
    page = PageRequest()
    assert runs.get(run.id) is None
    assert runs.all_cases(run.id) == []
    assert runs.blocks(run.id) == []
    shown = ShownRunRepository(session, stranger.id, uuid.uuid4(), [])
    assert shown.page(RunFilter(), page).items == []
    with pytest.raises(NoResultFound):
        shown.of(run)
    assert runs.clusters([run.id]) == {run.id: []}
    assert trials.get(run.id, trial.id) is None
    assert trials.page(run.id, None, None, page).items == []
    assert trials.measurements_page(run.id, MeasurementFilter(), page).items == []
    assert SampleRepository(session, stranger.id).samples([run.id]) == []
    assert journal.events_after(run.id, 0) == []
    assert journal.lines(run.id, page).items == []
    assert ClusterRepository(session, stranger.id).get(cluster.id) is None


def test_events_are_numbered_in_the_order_of_commits(sessions: Sessions) -> None:
    with unit_of_work(sessions) as session:
        organization = add_organization(session, "ours")
        run = add_run(session, organization, "u")
    failures: list[BaseException] = []

    def write() -> None:
        try:
            for _ in range(10):
                with unit_of_work(sessions) as own:
                    JournalRepository(own, organization.id).add_event(run.id, "tick", {})
        except BaseException as error:
            failures.append(error)

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    last = 0
    while any(writer.is_alive() for writer in writers):
        with sessions() as reader:
            numbers = [
                event.number
                for event in JournalRepository(reader, organization.id).events_after(run.id, last)
            ]
        assert numbers == list(range(last + 1, last + 1 + len(numbers)))
        last = numbers[-1] if numbers else last
    for writer in writers:
        writer.join()
    assert failures == []
    with sessions() as reader:
        journal = JournalRepository(reader, organization.id)
        assert [e.number for e in journal.events_after(run.id, 0)] == list(range(1, 41))


def test_failures_are_shares_of_a_rounds_trials(
    session: Session, organization: Organization
) -> None:
    run, unharmed = add_run(session, organization, "u"), add_run(session, organization, "v")
    case_id = RunRepository(session, organization.id).all_cases(run.id)[0].id
    add_trial(session, run)
    add_trial(session, run, warmup=True, status=TrialStatus.WARMUP)
    void = add_trial(session, run, status=TrialStatus.VOID, failure_code="void").id
    add_trial(session, run, status=TrialStatus.FAILED, failure_code="lab")
    for code in (MODE_REVERTED, HELD_UP):
        add_trial(session, run, status=TrialStatus.VOID, failure_code=code)
    add_trial(session, unharmed)
    samples = SampleRepository(session, organization.id)
    found = [tuple(row) for row in samples.failures([run.id, unharmed.id])]
    assert found == [(case_id, 1, pytest.approx(2 / 3), void)]
    assert type(found[0][2]) is float
