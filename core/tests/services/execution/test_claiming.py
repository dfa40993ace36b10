"""Taking runs: who may, and what is then to be done."""

import uuid
from datetime import timedelta

import pytest
from sqlalchemy import select

from podmeter.db.base import now
from podmeter.db.models import Cluster, Run, RunLogLine
from podmeter.db.repositories.leases import LeaseRepository
from podmeter.domain.messages import say
from podmeter.domain.real_cluster import RealCluster
from podmeter.domain.run import Outcome, RunState
from podmeter.services.accounts.principal import Principal
from podmeter.services.errors import FencedError
from podmeter.services.execution import claiming, ending, modes, recovery
from podmeter.services.runs import lifecycle
from podmeter.services.runs.start import start
from podmeter.services.work import Work

from ...db.builders import pass_grace
from ..builders import make_principal, queue_run

pytestmark = pytest.mark.services
LEASE, OVER = timedelta(minutes=1), timedelta(seconds=-1)


def take(
    work: Work, owner: Principal, run: uuid.UUID, lease: timedelta = LEASE
) -> claiming.ClaimedRun:
    taken = claiming.claim(work, owner.organization_id, run, "a worker", lease)
    assert taken is not None
    return taken


def begin(
    work: Work, owner: Principal, run: uuid.UUID, lease: timedelta = LEASE
) -> claiming.ClaimedRun:
    """Take a queued run, and begin with it."""
    taken = take(work, owner, run, lease)
    lifecycle.move(work, taken.run_hold, RunState.PREFLIGHT)
    return taken


def test_a_queued_run_is_taken_in_the_queue(work: Work, owner: Principal) -> None:
    taken = take(work, owner, queue_run(work, owner))
    assert (taken.state, taken.taken_over) == (RunState.QUEUED, False)


def test_one_that_must_wait_is_put_back_with_the_reason_and_frees_its_clusters(
    work: Work, owner: Principal
) -> None:
    run_id = queue_run(work, owner, "u")
    taken = take(work, owner, run_id)
    claim = LeaseRepository(work.session).claim_on(RealCluster("u"))
    assert claim is not None
    assert claim.run_id == run_id
    lifecycle.requeue_run(work, taken.run_hold, say("waits_for_cluster", cluster="c", why="w"))
    run = work.session.get_one(Run, run_id)
    assert (run.state, run.holder, run.reason) == (RunState.QUEUED, None, "waiting for c: w")
    assert LeaseRepository(work.session).claim_on(RealCluster("u")) is None
    with pytest.raises(FencedError):
        lifecycle.requeue_run(work, taken.run_hold, "again")
    begin(work, owner, run_id)
    assert work.session.get_one(Run, run_id).reason == ""


def test_one_whose_worker_went_before_it_began_is_called_and_taken_again(
    work: Work, owner: Principal
) -> None:
    run_id = queue_run(work, owner)
    first = take(work, owner, run_id, OVER)
    pass_grace(work.session)
    assert recovery.abandoned(work) == []
    work.jobs.clear()
    recovery.call_next(work)
    assert [job.run_id for job in work.jobs] == [run_id]  # type: ignore[attr-defined]
    second = take(work, owner, run_id)
    assert (second.state, second.taken_over) == (RunState.QUEUED, False)
    with pytest.raises(FencedError):
        lifecycle.lock_run(work, first.run_hold)


def test_a_queued_run_whose_owner_cancelled_goes_to_cleaning(work: Work, owner: Principal) -> None:
    run_id = queue_run(work, owner)
    work.session.get_one(Run, run_id).cancel_requested_at = now()
    work.session.flush()
    assert take(work, owner, run_id).state is RunState.CLEANING
    assert work.session.get_one(Run, run_id).outcome is Outcome.CANCELLED


def test_nobody_takes_what_another_one_holds(work: Work, owner: Principal) -> None:
    run_id = queue_run(work, owner)
    take(work, owner, run_id)
    assert claiming.claim(work, owner.organization_id, run_id, "another", LEASE) is None


def test_nobody_takes_a_run_that_is_not_there(work: Work, owner: Principal) -> None:
    assert claiming.claim(work, owner.organization_id, uuid.uuid4(), "a worker", LEASE) is None


@pytest.mark.parametrize("state", [RunState.PREFLIGHT, RunState.RUNNING])
def test_a_run_whose_worker_is_gone_is_interrupted(
    work: Work, owner: Principal, state: RunState
) -> None:
    run_id = queue_run(work, owner)
    first = begin(work, owner, run_id, OVER)
    pass_grace(work.session)
    if state is RunState.RUNNING:
        lifecycle.move(work, first.run_hold, RunState.RUNNING)
    assert [one.run_id for one in recovery.abandoned(work)] == [run_id]
    second = take(work, owner, run_id)
    run = work.session.get_one(Run, run_id)
    assert (second.state, second.taken_over) == (RunState.CLEANING, True)
    assert run.outcome is Outcome.INTERRUPTED
    assert f"while the run was in state {state}" in run.reason
    assert second.run_hold.token > first.run_hold.token
    with pytest.raises(FencedError):
        lifecycle.lock_run(work, first.run_hold)
    assert recovery.abandoned(work) == []


def test_a_run_that_was_being_cleaned_keeps_its_outcome(work: Work, owner: Principal) -> None:
    run_id = queue_run(work, owner)
    first = begin(work, owner, run_id, OVER)
    pass_grace(work.session)
    lifecycle.move(work, first.run_hold, RunState.RUNNING)
    lifecycle.move(work, first.run_hold, RunState.CLEANING, Outcome.PARTIAL, "one case failed")
    assert take(work, owner, run_id).state is RunState.CLEANING
    run = work.session.get_one(Run, run_id)
    assert (run.outcome, run.reason) == (Outcome.PARTIAL, "one case failed")


def test_a_cluster_that_needs_restore_takes_no_run_until_it_is(
    work: Work, owner: Principal
) -> None:
    run_id = queue_run(work, owner, "u")
    cluster = work.session.scalars(select(Cluster.id)).one()
    modes.flag(work, owner.organization_id, cluster, "kube_proxy_mode is nftables still")
    assert claiming.claim(work, owner.organization_id, run_id, "a worker", LEASE) is None
    work.jobs.clear()
    recovery.call_next(work)
    assert work.jobs == []
    (flagged,) = recovery.flagged(work)
    assert flagged.cluster_uid == "u"
    modes.flag(work, owner.organization_id, cluster, "")
    recovery.call_next(work)
    assert [job.run_id for job in work.jobs] == [run_id]  # type: ignore[attr-defined]
    take(work, owner, run_id)


def test_what_stood_before_the_first_switch_is_what_is_restored(
    work: Work, owner: Principal
) -> None:
    run_hold = take(work, owner, queue_run(work, owner, "u")).run_hold
    cluster = work.session.scalars(select(Cluster.id)).one()
    for mode in ("iptables", "nftables"):
        modes.keep(work, run_hold, cluster, "u", "kube_proxy_mode", {"mode": mode})
    (kept,) = modes.to_restore(work, owner.organization_id, cluster, "u")
    assert kept.content == {"mode": "iptables"}
    modes.strike(work, owner.organization_id, kept.id)
    assert modes.to_restore(work, owner.organization_id, cluster, "u") == []
    modes.keep(work, run_hold, cluster, "u", "kube_proxy_mode", {"mode": "ipvs"})
    assert len(modes.to_restore(work, owner.organization_id, cluster, "u")) == 1


@pytest.mark.parametrize(
    "switched", [("kube_proxy_mode", "encapsulation"), ("encapsulation", "kube_proxy_mode")]
)
def test_kube_proxy_is_restored_before_the_pod_network(
    work: Work, owner: Principal, switched: tuple[str, str]
) -> None:
    run_hold = take(work, owner, queue_run(work, owner, "u")).run_hold
    cluster = work.session.scalars(select(Cluster.id)).one()
    for axis in switched:
        modes.keep(work, run_hold, cluster, "u", axis, {"mode": "x"})
    kept = modes.to_restore(work, owner.organization_id, cluster, "u")
    assert [one.axis for one in kept] == ["kube_proxy_mode", "encapsulation"]


def test_what_will_be_put_back_is_told_in_words(work: Work, owner: Principal) -> None:
    run_hold = take(work, owner, queue_run(work, owner, "u")).run_hold
    cluster = work.session.scalars(select(Cluster.id)).one()
    stood = {"component": "kube-proxy", "saved": {"mode": ""}}
    modes.keep(work, run_hold, cluster, "u", "kube_proxy_mode", stood)
    (line,) = work.session.scalars(select(RunLogLine))
    assert line.message == 'kube_proxy_mode will be restored to kube-proxy (mode: "") at the end'


def take_next(work: Work, owner: Principal, named: uuid.UUID) -> uuid.UUID | None:
    """The run that a message which names one makes a worker take."""
    taken = claiming.claim_next(work, owner.organization_id, named, "a worker", LEASE)
    return taken.run_hold.run_id if taken else None


def test_a_message_makes_a_worker_take_whichever_run_comes_next(
    work: Work, owner: Principal
) -> None:
    stranger = make_principal(work.session, "theirs")
    ours = [queue_run(work, owner, f"ours-{number}") for number in range(3)]
    theirs = queue_run(work, stranger, "theirs-1")
    assert take_next(work, owner, ours[2]) == ours[0]
    assert take_next(work, owner, ours[2]) == theirs
    # A message of a deleted run triggers the same work as any other.
    assert take_next(work, stranger, uuid.uuid4()) == ours[1]
    assert take_next(work, owner, ours[0]) == ours[2]
    assert take_next(work, owner, ours[2]) is None


def test_one_that_was_begun_or_cancelled_is_taken_itself(work: Work, owner: Principal) -> None:
    left, waiting, cancelled = (queue_run(work, owner, uid) for uid in "abc")
    begin(work, owner, left, OVER)
    pass_grace(work.session)
    work.session.get_one(Run, cancelled).cancel_requested_at = now()
    work.session.flush()
    assert take_next(work, owner, left) == left
    assert take_next(work, owner, cancelled) == cancelled
    # It is in progress: the message triggers the same work as any other.
    assert take_next(work, owner, left) == waiting
    assert take_next(work, owner, left) is None


def test_the_end_of_a_run_calls_those_on_its_clusters_alone(work: Work, owner: Principal) -> None:
    first, elsewhere = queue_run(work, owner, "u"), queue_run(work, owner, "v")
    cluster = work.session.scalars(select(Cluster).where(Cluster.cluster_uid == "u")).one()
    experiment = work.session.get_one(Run, first).experiment_id
    assert experiment is not None
    second = start(work, owner, experiment, cluster.id).id
    run_hold = begin(work, owner, first).run_hold
    lifecycle.move(work, run_hold, RunState.CLEANING, Outcome.CANCELLED, "said")
    work.jobs.clear()
    assert ending.finish(work, run_hold, []) is Outcome.CANCELLED
    assert [job.run_id for job in work.jobs] == [second]  # type: ignore[attr-defined]
    work.jobs.clear()
    recovery.call_next(work)
    assert [job.run_id for job in work.jobs] == [elsewhere, second]  # type: ignore[attr-defined]
