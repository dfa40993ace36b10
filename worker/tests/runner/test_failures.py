"""What goes wrong in trials, blocks and cleaning, and that the rest continues."""

import threading
from collections.abc import Callable
from itertools import pairwise

import pytest

from podmeter.db.models import Block
from podmeter.domain.errors import ConvergenceError, LabError, PreconditionError, VoidTrialError
from podmeter.domain.run import CaseStatus, Outcome, Reopening, RunState
from podmeter.domain.trial import TrialStatus
from podmeter.services.execution import recovery
from podmeter_worker.restoring import restore_cluster

from ..bench import SPEC, SWITCHING, TRIALS, Bench

pytestmark = pytest.mark.services


def at_trial(bench: Bench, number: int, act: Callable[[], object]) -> None:
    """Do something during the n-th trial."""
    count = iter(range(1, 1000))

    def steps(step: str) -> None:
        if step == "trial" and next(count) == number:
            act()

    bench.steps = steps


def fail(error: Exception) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


def test_a_trial_that_fails_for_now_is_failed_and_the_others_go_on(bench: Bench) -> None:
    at_trial(bench, 4, fail(LabError("the connection broke")))
    run_id = bench.new_run()
    bench.lead(run_id)
    run, trials = bench.run(run_id), bench.trials(run_id)
    assert len(trials) == TRIALS
    (failed,) = [trial for trial in trials if trial.status is TrialStatus.FAILED]
    assert (failed.failure_code, failed.failure_message) == ("lab", "the connection broke")
    assert failed.failure_temporary
    assert run.outcome is Outcome.PARTIAL
    assert "1 of 2 cases did not succeed" in run.reason
    assert "1 of 2 trials counted; the connection broke" in run.reason
    # The pods stood still, so they were not made again.
    assert bench.cluster.now()["n"] == 1


FROM_OUTSIDE = {
    "name": "from outside",
    "kind": "request_latency",
    "axes": {"path": ["outside-nodeport"]},
    "repetition": {"trials": 1, "rounds": 1, "warmup": 0},
}


def test_a_run_from_outside_is_refused_where_no_worker_is(bench: Bench) -> None:
    run_id = bench.new_run(FROM_OUTSIDE)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.FAILED
    assert "no worker is declared as one (PODMETER_OUTSIDE_CLIENT)" in run.reason
    assert bench.cluster.now()["n"] == 0


def test_how_the_client_outside_stands_is_kept_with_the_run(bench: Bench) -> None:
    run_id = bench.new_run(FROM_OUTSIDE)
    with bench.cluster.change() as state:
        state["outside"] = [{"curl": "8.14.1"}, {"n1": "by eth0, MTU 1500"}]
    bench.lead(run_id)
    environment = bench.run(run_id).environment
    assert environment is not None
    (seen,) = environment["clusters"].values()
    ways = [{"node": "n1", "way": "by eth0, MTU 1500"}]
    assert seen["outside"] == {"tools": {"curl": "8.14.1"}, "ways": ways}


@pytest.mark.parametrize(("voids", "outcome"), [(2, Outcome.SUCCEEDED), (9, Outcome.FAILED)])
def test_a_void_trial_is_run_again_a_few_times(bench: Bench, voids: int, outcome: Outcome) -> None:
    left = [VoidTrialError("its Service moved in the chain")] * voids

    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) >= 2 and left:
            raise left.pop()

    bench.steps = steps
    plan = {"trials": 1, "seconds": 1, "rounds": 1, "warmup": 1, "void_replacements": 3}
    run_id = bench.new_run({**SPEC, "repetition": plan})
    bench.lead(run_id)
    statuses = [trial.status for trial in bench.trials(run_id)]
    # Each case's one trial is tried four times at most.
    assert statuses.count(TrialStatus.VOID) == min(voids, 8)
    assert bench.run(run_id).outcome is outcome
    assert bench.cluster.now()["n"] == 1


def test_a_deleted_pod_fails_its_trial_and_is_made_again(bench: Bench) -> None:
    def delete() -> None:
        with bench.cluster.change() as state:
            gone = next(name for name in state["objects"] if "client" in name)
            del state["objects"][gone]
            state["objects"].clear()

    at_trial(bench, 3, delete)
    run_id = bench.new_run()
    bench.lead(run_id)
    statuses = [trial.status for trial in bench.trials(run_id)]
    assert statuses.count(TrialStatus.FAILED) == 1
    assert len(statuses) == TRIALS
    assert bench.cluster.now()["n"] == 2
    assert any("preparing again" in line for line in bench.log(run_id))
    assert bench.cluster.is_clean


def test_pods_that_break_again_and_again_are_given_up(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "trial":
            with bench.cluster.change() as state:
                state["objects"].clear()

    bench.steps = steps
    run_id = bench.new_run({**SPEC, "repetition": {**SPEC["repetition"], "trials": 20}})
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.FAILED
    assert bench.cluster.now()["n"] == 3
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.FAILED}
    assert bench.cluster.is_clean


@pytest.mark.parametrize(("modes", "tried"), [(["iptables", "nftables"], 2), (["iptables"], 2)])
def test_a_run_whose_blocks_fail_alike_ends_after_two_of_them(
    bench: Bench, modes: list[str], tried: int
) -> None:
    def steps(step: str) -> None:
        if step == "preparing":
            raise PreconditionError("3 node ports are free, the experiment needs 10")

    bench.steps = steps
    axes = {**SWITCHING["axes"], "kube_proxy_mode": modes}
    repetition = {**SWITCHING["repetition"], "rounds": 6}
    run_id = bench.new_run({**SWITCHING, "axes": axes, "repetition": repetition})
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.FAILED
    assert run.reason.startswith("two blocks in a row failed for the same reason")
    assert "3 node ports are free" in run.reason
    failed = [one for one in bench.blocks(run_id) if one.status is CaseStatus.FAILED]
    assert len(failed) == tried
    assert bench.cluster.is_clean


def test_a_mode_that_always_fails_does_not_end_the_others(bench: Bench) -> None:
    """Two of its blocks may follow each other, where rounds meet."""

    def steps(step: str) -> None:
        if step == "preparing" and running().modes["kube_proxy_mode"] == "nftables":
            raise PreconditionError("3 node ports are free, the experiment needs 10")

    def running() -> Block:
        return next(one for one in bench.blocks(run_id) if one.status is CaseStatus.RUNNING)

    bench.steps = steps
    repetition = {**SWITCHING["repetition"], "rounds": 4, "seed": 3}
    run_id = bench.new_run({**SWITCHING, "repetition": repetition})
    bench.lead(run_id)
    blocks = bench.blocks(run_id)
    modes = [one.modes["kube_proxy_mode"] for one in blocks]
    assert ("nftables", "nftables") in pairwise(modes)
    assert bench.run(run_id).outcome is Outcome.PARTIAL
    for one in blocks:
        assert (one.status is CaseStatus.FAILED) is (one.modes["kube_proxy_mode"] == "nftables")


def test_a_block_that_cannot_be_prepared_fails_and_the_next_one_runs(bench: Bench) -> None:
    seen = []

    def steps(step: str) -> None:
        if step == "preparing":
            seen.append(step)
            if len(seen) == 1:
                raise PreconditionError("3 node ports are free, the experiment needs 10")

    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.PARTIAL
    first, second = bench.blocks(run_id)
    assert (first.status, second.status) == (CaseStatus.FAILED, CaseStatus.SUCCEEDED)
    assert "3 node ports are free" in first.reason
    reasons = [case.reason for case in bench.cases(run_id) if case.status is CaseStatus.FAILED]
    assert len(reasons) == 2
    assert all("3 node ports are free" in reason for reason in reasons)


def test_a_mode_that_does_not_take_effect_fails_its_block_alone(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "rolling":
            raise ConvergenceError("after 60 s still not: kube-proxy is in nftables mode")

    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.PARTIAL
    assert bench.cluster.is_clean


@pytest.mark.parametrize("seen", ["iptables", "away"])
def test_a_mode_reverted_in_between_voids_the_block(bench: Bench, seen: str) -> None:
    def revert() -> None:
        with bench.cluster.change() as state:
            state["modes"]["kube_proxy_mode"] = "iptables"

    at_trial(bench, 12, revert)
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    _, second = bench.blocks(run_id)
    assert second.status is CaseStatus.FAILED
    assert "was nftables and is now iptables" in second.reason
    voided = [trial for trial in bench.trials(run_id) if trial.block_id == second.id]
    assert [(trial.status, trial.failure_code) for trial in voided] == [
        (TrialStatus.VOID, "mode_reverted")
    ] * 6
    assert bench.run(run_id).outcome is Outcome.PARTIAL
    bench.steps = lambda step: None
    bench.take_up(run_id, Reopening.RETRY)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED


@pytest.mark.parametrize(("trial", "outcome"), [(1, Outcome.FAILED), (5, Outcome.PARTIAL)])
def test_a_bug_of_ours_ends_the_run_cleanly_and_what_was_measured_stands(
    bench: Bench, trial: int, outcome: Outcome
) -> None:
    at_trial(bench, trial, fail(KeyError("oops")))
    run_id = bench.new_run()
    bench.lead(run_id)
    assert bench.run(run_id).outcome is outcome
    assert "internal error: KeyError" in bench.run(run_id).reason
    assert bench.cluster.is_clean


def test_a_mode_that_cannot_be_put_back_marks_the_cluster_until_it_can(bench: Bench) -> None:
    away = threading.Event()

    def steps(step: str) -> None:
        if step == "restoring" and not away.is_set():
            away.set()
            raise LabError("the API server could not be reached")

    bench.steps = steps
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id, SWITCHING)
    waiting = bench.start_run(cluster_id)
    bench.lead(run_id)
    run, cluster = bench.run(run_id), bench.registered(cluster_id)
    # What was measured stands, but a cluster that is not as it was is no full success.
    assert (run.state, run.outcome) == (RunState.FINISHED, Outcome.PARTIAL)
    assert "could not be cleaned up" in run.reason
    assert cluster.needs_restore
    assert str(run_id) in cluster.needs_restore_reason
    assert not bench.lead(waiting)
    assert bench.run(waiting).state is RunState.QUEUED

    (flagged,) = bench.database.write(recovery.flagged)
    bench.queue.sent.clear()
    restore_cluster(
        bench.database,
        lambda handle: bench.connect(bench.owner.organization_id, handle),
        flagged,
        threading.Event(),
    )
    assert bench.cluster.is_clean
    assert not bench.registered(cluster_id).needs_restore
    assert all(saved.restored_at for saved in bench.saved_modes(run_id))
    assert [job.run_id for job in bench.queue.sent] == [waiting]  # type: ignore[attr-defined]
    assert bench.lead(waiting)
    assert bench.run(waiting).outcome is Outcome.SUCCEEDED


def test_a_cluster_that_changes_between_rounds_is_a_warning(bench: Bench) -> None:
    def change() -> None:
        with bench.cluster.change() as state:
            state["modes"]["encapsulation"] = "host-gw"

    at_trial(bench, 6, change)
    run_id = bench.new_run({**SPEC, "repetition": {**SPEC["repetition"], "rounds": 2}})
    bench.lead(run_id)
    (warning,) = bench.run(run_id).warnings
    assert "has changed since the cases of block 1 were measured" in warning
    assert warning in bench.log(run_id)


def test_a_block_that_was_only_set_up_is_no_result(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "preparing":
            raise KeyError("oops")

    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert [trial.status for trial in bench.set_ups(run_id)] == [TrialStatus.COUNTED]
    assert bench.run(run_id).outcome is Outcome.FAILED
