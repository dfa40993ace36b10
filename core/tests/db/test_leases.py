import uuid
from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from podmeter.db.base import now
from podmeter.db.models import ClusterClaim, Organization, Run
from podmeter.db.repositories.leases import PUT_BACK_FOR, LeaseRepository
from podmeter.db.repositories.runs import RunRepository
from podmeter.domain.messages import say
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import Outcome, RunState, RunStatus

from .builders import add_run, pass_grace

pytestmark = pytest.mark.services
MINUTE = timedelta(minutes=1)
OVER = timedelta(seconds=-1)


@pytest.fixture
def leases(session: Session) -> LeaseRepository:
    return LeaseRepository(session)


def test_one_worker_has_a_run(
    session: Session, organization: Organization, leases: LeaseRepository
) -> None:
    run = add_run(session, organization, "u")
    assert leases.take(run, "first", MINUTE)
    assert leases.take(run, "second", MINUTE) is None
    assert run.holder == "first"


def test_an_expired_lease_is_taken_over_with_a_higher_token(
    session: Session, organization: Organization, leases: LeaseRepository
) -> None:
    run = add_run(session, organization, "u")
    first = leases.take(run, "first", OVER)
    pass_grace(session)
    second = leases.take(run, "second", MINUTE)
    assert first
    assert second
    assert second > first
    assert not leases.renew(run.id, first, MINUTE)
    assert leases.renew(run.id, second, MINUTE)
    assert not leases.release(run, first)
    assert leases.release(run, second)


def test_a_worker_may_prolong_a_lease_that_is_found_to_have_run_out(
    session: Session, organization: Organization, leases: LeaseRepository
) -> None:
    """Nobody can prolong one while the database is away: its worker lives all the same."""
    run = add_run(session, organization, "u")
    first = leases.take(run, "first", OVER)
    assert first
    leases.note_expired()
    assert leases.take(run, "second", MINUTE) is None
    assert leases.renew(run.id, first, OVER)
    # It runs out once more, and the time it is given begins again.
    leases.note_expired()
    assert leases.take(run, "second", MINUTE) is None
    pass_grace(session)
    assert leases.take(run, "second", MINUTE)


def test_a_note_from_before_another_outage_counts_no_more(
    session: Session, organization: Organization, leases: LeaseRepository
) -> None:
    run = add_run(session, organization, "u")
    leases.take(run, "first", OVER)
    pass_grace(session, MINUTE)
    assert leases.take(run, "second", MINUTE) is None
    leases.note_expired()
    assert leases.take(run, "second", MINUTE) is None
    pass_grace(session)
    assert leases.take(run, "second", MINUTE)


def test_a_worker_that_lost_its_lease_changes_nothing(
    session: Session, organization: Organization, leases: LeaseRepository
) -> None:
    run = add_run(session, organization, "u")
    runs = RunRepository(session, organization.id)
    first = leases.take(run, "first", OVER)
    pass_grace(session)
    second = leases.take(run, "second", MINUTE)
    assert not runs.change_status(run, RunStatus(RunState.PREFLIGHT), fencing_token=first)
    assert run.state == "queued"
    assert runs.change_status(run, RunStatus(RunState.PREFLIGHT), fencing_token=second)
    assert run.state == "preflight"


def test_a_change_from_a_state_that_is_past_is_refused(
    session: Session, organization: Organization
) -> None:
    run = add_run(session, organization, "u")
    runs = RunRepository(session, organization.id)
    session.execute(
        update(Run)
        .where(Run.id == run.id)
        .values(state=RunState.PREFLIGHT)
        .execution_options(synchronize_session=False)
    )
    cancelled = RunStatus(RunState.CLEANING, Outcome.CANCELLED, "asked")
    assert not runs.change_status(run, cancelled, fencing_token=None)
    assert run.state is RunState.PREFLIGHT


def test_a_real_cluster_has_one_run_across_organizations(
    session: Session,
    organization: Organization,
    stranger: Organization,
    leases: LeaseRepository,
) -> None:
    ours = add_run(session, organization, "shared", "own")
    theirs = add_run(session, stranger, "other", "shared")
    assert leases.claim_clusters(ours, leases.real_clusters(ours.id))
    assert leases.claim_clusters(ours, leases.real_clusters(ours.id))
    assert not leases.claim_clusters(theirs, leases.real_clusters(theirs.id))
    claimed = session.scalars(select(ClusterClaim.cluster_uid)).all()
    assert sorted(claimed) == ["own", "shared"]


def test_clusters_are_free_once_the_run_has_finished(
    session: Session, organization: Organization, leases: LeaseRepository
) -> None:
    run = add_run(session, organization, "u")
    waiting = add_run(session, organization, "u")
    token = leases.take(run, "worker", MINUTE)
    assert token
    assert leases.claim_clusters(run, [RealCluster("u")])
    assert leases.release(run, token)
    assert not leases.claim_clusters(waiting, [RealCluster("u")])
    token = leases.take(run, "worker", MINUTE)
    assert token
    run.state, run.outcome, run.reason = RunState.FINISHED, Outcome.FAILED, "said"
    session.flush()
    assert leases.release(run, token)
    assert leases.claim_clusters(waiting, [RealCluster("u")])


def test_the_queue_is_counted_per_real_cluster(
    session: Session,
    organization: Organization,
    stranger: Organization,
    leases: LeaseRepository,
) -> None:
    first = add_run(session, organization, "shared")
    add_run(session, organization, "elsewhere")
    second = add_run(session, stranger, "shared")
    third = add_run(session, organization, "shared", "elsewhere")
    assert not leases.waits_its_turn(first)
    assert leases.waits_its_turn(second)
    assert leases.waits_its_turn(third)
    assert [one for _, one in leases.waiting_runs()].count("turn") == 2
    assert leases.positions([first.id, second.id, third.id]) == {
        first.id: 1,
        second.id: 2,
        third.id: 4,
    }
    first.state, first.outcome = RunState.FINISHED, Outcome.SUCCEEDED
    session.flush()
    assert not leases.waits_its_turn(second)
    assert leases.waits_its_turn(third)


def test_what_workers_left_is_found(
    session: Session, organization: Organization, leases: LeaseRepository
) -> None:
    left = add_run(session, organization, "a")
    held = add_run(session, organization, "b")
    queued = add_run(session, organization, "c")
    dropped = add_run(session, organization, "d")
    leases.take(left, "dead", OVER)
    leases.take(held, "alive", MINUTE)
    leases.take(dropped, "dead too", OVER)
    left.state = RunState.PREFLIGHT
    session.flush()
    assert leases.abandoned() == []
    # Those who watch over workers see it all the same.
    assert [run.id for run in leases.expired()] == [left.id]
    assert {run.id for run in leases.ready()} == {queued.id}
    pass_grace(session)
    assert [run.id for run in leases.abandoned()] == [left.id]
    # One that was taken and not begun is in the queue still.
    assert {run.id for run in leases.ready()} == {queued.id, dropped.id}


def test_runs_that_wait_behind_others_hide_none_whose_turn_it_is(
    session: Session,
    organization: Organization,
    stranger: Organization,
    leases: LeaseRepository,
) -> None:
    """However many were queued before it on another cluster."""
    first = add_run(session, organization, "crowded")
    for _ in range(150):
        add_run(session, organization, "crowded")
    last = add_run(session, stranger, "empty")
    assert [run.id for run in leases.ready()] == [first.id, last.id]
    assert [run.id for run in leases.ready(after=last.id)] == [last.id]


def test_what_was_put_back_just_now_is_taken_only_where_it_is_named(
    session: Session, organization: Organization, leases: LeaseRepository
) -> None:
    busy = add_run(session, organization, "a")
    late = add_run(session, organization, "b")
    token = leases.take(busy, "worker", MINUTE)
    assert token
    busy.reason = say("waits_for_cluster", cluster="a", why="w")
    session.flush()
    assert leases.requeue(busy, token)
    assert [run.id for run in leases.ready()] == [busy.id, late.id]
    assert leases.fairest(late.id) is late
    assert leases.fairest(busy.id) is busy
    late.state = RunState.PREFLIGHT
    session.flush()
    assert leases.fairest(late.id) is None
    assert [why for _, why in leases.waiting_runs()] == ["cluster"]
    moment = update(Run).where(Run.id == busy.id).values(lease_expires_at=now() - 2 * PUT_BACK_FOR)
    session.execute(moment)
    assert leases.fairest(late.id) is busy


def test_the_organization_with_fewest_runs_under_way_is_next(
    session: Session,
    organization: Organization,
    stranger: Organization,
    leases: LeaseRepository,
) -> None:
    many = [add_run(session, organization, f"ours-{number}") for number in range(5)]
    few = [add_run(session, stranger, f"theirs-{number}") for number in range(2)]
    order = []
    while (run := leases.fairest(many[-1].id)) is not None:
        assert leases.take(run, "worker", MINUTE)
        order.append(run)
    assert order == [many[0], few[0], many[1], few[1], *many[2:]]


def test_with_fewer_places_than_organizations_each_has_its_turn(
    session: Session,
    organization: Organization,
    stranger: Organization,
    leases: LeaseRepository,
) -> None:
    """One place: anyone who queued first does not get it again and again."""
    third = Organization(name="third")
    session.add(third)
    session.flush()
    owners = [organization, stranger, third]
    for owner in owners:
        for number in range(3):
            add_run(session, owner, f"{owner.name}-{number}")
    order = []
    while (run := leases.fairest(uuid.UUID(int=0))) is not None:
        assert leases.take(run, "worker", MINUTE)
        run.state, run.outcome, run.reason = RunState.FINISHED, Outcome.FAILED, "said"
        session.flush()
        order.append(run.organization_id)
    assert order == [owner.id for owner in owners] * 3
