from datetime import timedelta

import pytest
from sqlalchemy.exc import IntegrityError

from podmeter.db.base import now
from podmeter.db.paging import PageRequest
from podmeter.db.repositories.runs import RunRepository
from podmeter.db.repositories.trials import TrialRepository
from podmeter.domain.measurement import Measurement, Series
from podmeter.domain.planning import Case, PlannedTrial
from podmeter.domain.ports import LogLevel
from podmeter.domain.run import CaseStatus
from podmeter.domain.trial import Failure, Invocation, TrialReport, TrialStatus
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import FencedError
from podmeter.services.runs import lifecycle, read, recording
from podmeter.services.runs.lifecycle import RunHold
from podmeter.services.runs.recording import TrialOrigin
from podmeter.services.work import Work

from .builders import queue_run

pytestmark = pytest.mark.services

OUTPUT = '{"end": "ü\x00\udcff"}' * 1000
REPORT = TrialReport(
    status=TrialStatus.COUNTED,
    measurements=(Measurement("bitrate", 9.5e9), Measurement("cpu", 0.25, "worker-1")),
    series=(Series("bitrate", (1.0, 2.0), (9.4e9, 9.6e9)),),
    invocations=(Invocation("iperf3", "3.18", ("iperf3", "-c"), "client", 0, OUTPUT, "", 5.0),),
    warnings=("the node was busy\x00",),
    facts=(("position", "7"),),
    seconds=5.5,
    tool_seconds=5.0,
)


@pytest.fixture
def run_hold(work: Work, owner: Principal) -> RunHold:
    run_id = queue_run(work, owner)
    taken = lifecycle.take(work, owner.organization_id, run_id, "w", timedelta(minutes=1))
    assert taken is not None
    return taken


@pytest.fixture
def place(work: Work, owner: Principal, run_hold: RunHold) -> TrialOrigin:
    runs = RunRepository(work.session, owner.organization_id)
    case, block = runs.all_cases(run_hold.run_id)[0], runs.blocks(run_hold.run_id)[0]
    planned = PlannedTrial(Case.at(case.point), round=1, number=1)
    return TrialOrigin(case.id, block.id, planned, now())


def test_a_trial_is_read_as_it_was_stored(
    work: Work, owner: Principal, run_hold: RunHold, place: TrialOrigin
) -> None:
    trial = recording.store_trial(work, run_hold, place, REPORT)
    recording.note_overhead(work, run_hold, trial.id, 0.5)
    work.session.expire_all()
    view = read.trial(work, owner, run_hold.run_id, trial.id)
    assert view.trial.overhead_seconds == 0.5
    assert view.trial.facts == {"position": "7"}
    assert view.trial.warnings == ["the node was busy\ufffd"]
    assert [(m.metric, m.subject, m.value) for m in view.measurements] == [
        ("bitrate", "", 9.5e9),
        ("cpu", "worker-1", 0.25),
    ]
    assert view.series[0].values == [9.4e9, 9.6e9]
    (invocation,) = view.invocations
    assert invocation.argv == ["iperf3", "-c"]
    assert len(invocation.stdout or b"") < len(OUTPUT) / 50
    assert recording.decompress(invocation.stdout) == OUTPUT.replace("\udcff", "\ufffd")


def test_a_failed_trial_has_its_reason_and_no_measurement(
    work: Work, owner: Principal, run_hold: RunHold, place: TrialOrigin
) -> None:
    failed = TrialReport(
        status=TrialStatus.FAILED, failure=Failure("lab", "the pod is gone", temporary=True)
    )
    trial = recording.store_trial(work, run_hold, place, failed)
    view = read.trial(work, owner, run_hold.run_id, trial.id)
    assert view.trial.failure_message == "the pod is gone"
    assert view.trial.failure_temporary
    assert view.measurements == []
    recording.store_trial(work, run_hold, place, REPORT)
    with pytest.raises(IntegrityError), work.session.begin_nested():
        recording.store_trial(work, run_hold, place, REPORT)
    kept = TrialRepository(work.session, owner.organization_id).kept(run_hold.run_id)
    assert len(kept) == 1


def test_a_worker_that_lost_the_run_writes_nothing(
    work: Work, owner: Principal, run_hold: RunHold, place: TrialOrigin
) -> None:
    late = RunHold(run_hold.organization_id, run_hold.run_id, run_hold.token - 1)
    runs = RunRepository(work.session, owner.organization_id)
    case, block = runs.all_cases(run_hold.run_id)[0], runs.blocks(run_hold.run_id)[0]
    for write in (
        lambda: recording.store_trial(work, late, place, REPORT),
        lambda: recording.note_overhead(work, late, 1, 1.0),
        lambda: recording.set_case(work, late, case, CaseStatus.FAILED, "late"),
        lambda: recording.set_block(work, late, block, CaseStatus.FAILED, "late"),
        lambda: recording.log(work, late, LogLevel.INFO, "late"),
    ):
        with pytest.raises(FencedError):
            write()
    assert read.trials(work, owner, run_hold.run_id, None, None, PageRequest()).items == []
    assert case.status == block.status == CaseStatus.PENDING


def test_what_happens_is_announced(
    work: Work, owner: Principal, run_hold: RunHold, place: TrialOrigin
) -> None:
    runs = RunRepository(work.session, owner.organization_id)
    case, block = runs.all_cases(run_hold.run_id)[0], runs.blocks(run_hold.run_id)[0]
    recording.set_block(work, run_hold, block, CaseStatus.RUNNING)
    recording.set_case(work, run_hold, case, CaseStatus.RUNNING)
    recording.store_trial(work, run_hold, place, REPORT)
    recording.log(work, run_hold, LogLevel.WARNING, "busy\x00\udcff")
    recording.set_case(work, run_hold, case, CaseStatus.SUCCEEDED)
    recording.set_block(work, run_hold, block, CaseStatus.SUCCEEDED)
    events, _ = read.events_after(work, owner.organization_id, run_hold.run_id, 1)
    assert [event.type for event in events] == ["block", "case", "trial", "log", "case", "block"]
    assert block.started_at is not None
    assert block.ended_at is not None
    (line,) = read.log(work, owner, run_hold.run_id, PageRequest()).items
    assert (line.level, line.message) == (LogLevel.WARNING, "busy\ufffd\ufffd")
