import uuid
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from podmeter.db.base import now
from podmeter.db.models import ClusterClaim, SavedMode
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.errors import TransitionError
from podmeter.domain.run import CaseStatus, Outcome, Reopening, RunState
from podmeter.jobs import AdvanceRun
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import ConflictError, FencedError, NotFoundError
from podmeter.services.runs import lifecycle, read, run_control
from podmeter.services.runs.lifecycle import RunHold
from podmeter.services.work import Work

from ..db.builders import pass_grace
from .builders import make_principal, queue_run

pytestmark = pytest.mark.services
LEASE = timedelta(minutes=1)
OVER = timedelta(seconds=-1)


def take(work: Work, owner: Principal, run_id: uuid.UUID, lease: timedelta = LEASE) -> RunHold:
    run_hold = lifecycle.take(work, owner.organization_id, run_id, "a worker", lease)
    assert run_hold is not None
    return run_hold


def finish(work: Work, run_hold: RunHold, outcome: Outcome, reason: str = "said") -> None:
    if lifecycle.lock_run(work, run_hold).state is not RunState.CLEANING:
        lifecycle.move(work, run_hold, RunState.CLEANING, outcome, reason)
    lifecycle.move(work, run_hold, RunState.FINISHED)
    lifecycle.release_run(work, run_hold)


def place(work: Work, who: Principal, run_id: uuid.UUID) -> int | None:
    return read.get(work, who, run_id).queue_position


def claims(work: Work) -> int:
    return work.session.scalar(select(func.count()).select_from(ClusterClaim)) or 0


def test_a_run_goes_through_its_life(work: Work, owner: Principal) -> None:
    run_id = queue_run(work, owner)
    run_hold = take(work, owner, run_id)
    for state in (RunState.PREFLIGHT, RunState.RUNNING):
        lifecycle.move(work, run_hold, state)
    finish(work, run_hold, Outcome.SUCCEEDED, "")
    run = read.get(work, owner, run_id).run
    assert run.started_at is not None
    assert run.finished_at is not None
    assert run.holder is None
    assert claims(work) == 0
    events, over = read.events_after(work, owner.organization_id, run_id, 0)
    states = [event.content["state"] for event in events]
    assert states == ["queued", "preflight", "running", "cleaning", "finished"]
    assert [event.number for event in events] == [1, 2, 3, 4, 5]
    assert over


def test_the_next_run_waits_for_the_cluster(work: Work, owner: Principal) -> None:
    first, second = queue_run(work, owner), queue_run(work, owner)
    assert lifecycle.take(work, owner.organization_id, second, "w", LEASE) is None
    assert place(work, owner, second) == 2
    run_hold = take(work, owner, first)
    lifecycle.move(work, run_hold, RunState.PREFLIGHT)
    assert lifecycle.take(work, owner.organization_id, second, "w", LEASE) is None
    finish(work, run_hold, Outcome.FAILED)
    assert place(work, owner, second) == 1
    take(work, owner, second)


def test_the_place_in_the_queue_is_among_those_who_wait(work: Work, owner: Principal) -> None:
    stranger = make_principal(work.session, "theirs")
    measured = queue_run(work, owner)
    theirs = queue_run(work, stranger)
    elsewhere = queue_run(work, owner, "another")
    mine = queue_run(work, owner)
    assert [place(work, owner, one) for one in (measured, elsewhere, mine)] == [1, 1, 3]
    assert place(work, stranger, theirs) == 2
    run_hold = take(work, owner, measured)
    lifecycle.move(work, run_hold, RunState.PREFLIGHT)
    # What is measured waits no more: who is behind it is next.
    assert place(work, owner, measured) is None
    assert place(work, stranger, theirs) == 1
    assert place(work, owner, mine) == 2
    run_control.cancel(work, stranger, theirs)
    assert place(work, owner, mine) == 1


def test_a_run_of_two_clusters_counts_each_before_it_once(work: Work, owner: Principal) -> None:
    queue_run(work, owner, "one")
    queue_run(work, owner, "another")
    both = queue_run(work, owner, "one", "another")
    behind = queue_run(work, owner, "another", "one")
    assert place(work, owner, both) == 3
    assert place(work, owner, behind) == 4


def test_runs_of_other_clusters_do_not_wait(work: Work, owner: Principal) -> None:
    take(work, owner, queue_run(work, owner, "one"))
    take(work, owner, queue_run(work, owner, "another"))


def test_a_crashed_run_keeps_its_cluster_until_it_is_cleaned(work: Work, owner: Principal) -> None:
    first, second = queue_run(work, owner), queue_run(work, owner)
    crashed = take(work, owner, first, OVER)
    lifecycle.move(work, crashed, RunState.PREFLIGHT)
    lifecycle.move(work, crashed, RunState.RUNNING)
    assert lifecycle.take(work, owner.organization_id, second, "w", LEASE) is None
    pass_grace(work.session)
    taken = take(work, owner, first)
    with pytest.raises(FencedError):
        lifecycle.beat(work, crashed, LEASE)
    with pytest.raises(FencedError):
        lifecycle.move(work, crashed, RunState.CLEANING, Outcome.FAILED, "late")
    with pytest.raises(FencedError):
        lifecycle.release_run(work, crashed)
    assert not lifecycle.beat(work, taken, LEASE).cancel_requested
    finish(work, taken, Outcome.INTERRUPTED)
    take(work, owner, second)


def test_a_task_delivered_twice_finds_the_run_held(work: Work, owner: Principal) -> None:
    run_id = queue_run(work, owner)
    take(work, owner, run_id)
    assert lifecycle.take(work, owner.organization_id, run_id, "again", LEASE) is None


def test_cancelling_in_the_queue_ends_at_once(work: Work, owner: Principal) -> None:
    run_id = queue_run(work, owner)
    run = run_control.cancel(work, owner, run_id)
    assert (run.state, run.outcome) == (RunState.FINISHED, Outcome.CANCELLED)
    assert owner.email in run.reason
    assert run.finished_at is not None
    assert lifecycle.take(work, owner.organization_id, run_id, "late", LEASE) is None


@pytest.mark.parametrize("reached", [RunState.QUEUED, RunState.PREFLIGHT, RunState.RUNNING])
def test_cancelling_what_a_worker_has_asks_the_worker(
    work: Work, owner: Principal, reached: RunState
) -> None:
    run_id = queue_run(work, owner)
    run_hold = take(work, owner, run_id)
    for state in (RunState.PREFLIGHT, RunState.RUNNING):
        if reached is not RunState.QUEUED:
            lifecycle.move(work, run_hold, state)
        if state is reached:
            break
    work.jobs.clear()
    run = run_control.cancel(work, owner, run_id)
    assert run.state is reached
    assert work.jobs == [AdvanceRun(organization_id=owner.organization_id, run_id=run_id)]
    assert lifecycle.beat(work, run_hold, LEASE).cancel_requested
    before = read.events_after(work, owner.organization_id, run_id, 0)[0]
    run_control.cancel(work, owner, run_id)
    assert read.events_after(work, owner.organization_id, run_id, 0)[0] == before
    finish(work, run_hold, Outcome.CANCELLED)
    with pytest.raises(TransitionError, match="has finished"):
        run_control.cancel(work, owner, run_id)


def test_retrying_keeps_what_succeeded(work: Work, owner: Principal) -> None:
    run_id = queue_run(work, owner)
    runs = RunRepository(work.session, owner.organization_id)
    good, bad = runs.all_cases(run_id)
    run_hold = take(work, owner, run_id)
    good.status, bad.status, bad.reason = CaseStatus.SUCCEEDED, CaseStatus.FAILED, "lab"
    work.session.flush()
    lifecycle.move(work, run_hold, RunState.PREFLIGHT)
    finish(work, run_hold, Outcome.PARTIAL)
    with pytest.raises(TransitionError):
        run_control.take_up(work, owner, run_id, Reopening.RESUME)
    work.jobs.clear()
    run = run_control.take_up(work, owner, run_id, Reopening.RETRY)
    work.session.expire_all()
    assert (run.state, run.attempt, run.outcome) == (RunState.QUEUED, 2, None)
    assert [case.status for case in runs.all_cases(run_id)] == ["succeeded", "pending"]
    assert len(work.jobs) == 1
    assert take(work, owner, run_id).token > run_hold.token
    with pytest.raises(TransitionError):
        run_control.take_up(work, owner, run_id, Reopening.RETRY)


def test_each_attempt_has_its_own_start(
    work: Work, owner: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = queue_run(work, owner)
    first = now()
    for attempt, later in ((1, timedelta(minutes=1)), (2, timedelta(hours=2))):
        begun, ended = first + later, first + later + timedelta(minutes=5)
        run_hold = take(work, owner, run_id)
        monkeypatch.setattr(lifecycle, "now", lambda moment=begun: moment)
        lifecycle.move(work, run_hold, RunState.PREFLIGHT)
        monkeypatch.setattr(lifecycle, "now", lambda moment=ended: moment)
        finish(work, run_hold, Outcome.FAILED)
        monkeypatch.undo()
        run = RunRepository(work.session, owner.organization_id).get(run_id)
        assert run is not None
        assert (run.attempt, run.started_at, run.finished_at) == (attempt, begun, ended)
        if attempt == 1:
            assert run_control.take_up(work, owner, run_id, Reopening.RETRY).finished_at is None


def test_resuming_goes_on_after_a_cancel(work: Work, owner: Principal) -> None:
    run_id = queue_run(work, owner)
    run_control.cancel(work, owner, run_id)
    run = run_control.take_up(work, owner, run_id, Reopening.RESUME)
    assert (run.state, run.attempt, run.cancel_requested_at) == (RunState.QUEUED, 2, None)
    run_hold = take(work, owner, run_id)
    assert not lifecycle.beat(work, run_hold, LEASE).cancel_requested


def test_only_what_has_finished_and_is_restored_can_be_deleted(
    work: Work, owner: Principal
) -> None:
    run_id = queue_run(work, owner)
    with pytest.raises(TransitionError, match="not finished"):
        run_control.delete(work, owner, run_id)
    run_control.cancel(work, owner, run_id)
    view = read.get(work, owner, run_id)
    saved = SavedMode(
        organization_id=owner.organization_id,
        cluster_id=view.clusters[0].cluster_id,
        cluster_uid="u",
        run_id=run_id,
        axis="kube_proxy_mode",
        content={"mode": "iptables"},
    )
    work.session.add(saved)
    work.session.flush()
    with pytest.raises(ConflictError, match="has not been restored"):
        run_control.delete(work, owner, run_id)
    saved.restored_at = now()
    work.session.flush()
    run_control.delete(work, owner, run_id)
    with pytest.raises(NotFoundError):
        read.get(work, owner, run_id)


def test_another_organization_steers_nothing(work: Work, owner: Principal) -> None:
    run_id = queue_run(work, owner)
    stranger = make_principal(work.session, "theirs")
    with pytest.raises(NotFoundError):
        run_control.cancel(work, stranger, run_id)
    with pytest.raises(NotFoundError):
        run_control.take_up(work, stranger, run_id, Reopening.RETRY)
    with pytest.raises(NotFoundError):
        run_control.delete(work, stranger, run_id)
    assert lifecycle.take(work, stranger.organization_id, run_id, "w", LEASE) is None
