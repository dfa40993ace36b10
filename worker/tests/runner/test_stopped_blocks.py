"""Trials count only if their modes were seen again, also where the run did not get that far."""

import pytest

from podmeter.db.models import CaseRecord, Trial
from podmeter.domain.errors import LabError, PreconditionError
from podmeter.domain.messages import Message
from podmeter.domain.run import CaseStatus, Outcome, Reopening
from podmeter.domain.trial import TrialStatus

from ..bench import SWITCHING, SWITCHING_TRIALS, Bench
from ..killed import Killed, die

pytestmark = pytest.mark.services

#: In the middle of the second block, which is in nftables mode.
MIDDLE = SWITCHING_TRIALS // 2 + 5


def at_middle(bench: Bench, act) -> None:  # type: ignore[no-untyped-def]
    at_trials(bench, {MIDDLE: act})


def at_trials(bench: Bench, acts) -> None:  # type: ignore[no-untyped-def]
    count = iter(range(1, 1000))

    def steps(step: str) -> None:
        if step == "trial" and (act := acts.get(next(count))):
            act()

    bench.steps = steps


def revert(bench: Bench) -> None:
    with bench.cluster.change() as state:
        state["modes"]["kube_proxy_mode"] = "iptables"


def by_block(bench: Bench, run_id) -> tuple[list[Trial], list[Trial]]:  # type: ignore[no-untyped-def]
    first, second = bench.blocks(run_id)
    trials = bench.trials(run_id)
    return (
        [trial for trial in trials if trial.block_id == first.id],
        [trial for trial in trials if trial.block_id == second.id],
    )


@pytest.mark.parametrize("reverted", [True, False])
def test_a_cancelled_block_counts_only_if_its_modes_still_stand(
    bench: Bench, reverted: bool
) -> None:
    def cancel() -> None:
        if reverted:
            revert(bench)
        bench.cancel(run_id)
        assert bench.stop.wait(60)

    at_middle(bench, cancel)
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.CANCELLED
    before, stopped = by_block(bench, run_id)
    assert TrialStatus.VOID not in {trial.status for trial in before}
    assert len(stopped) == MIDDLE - 7
    _, block = bench.blocks(run_id)
    assert block.status is CaseStatus.FAILED
    assert "the run was stopped during this block" in block.reason
    if reverted:
        assert {(one.status, one.failure_code) for one in stopped} == {
            (TrialStatus.VOID, "mode_reverted")
        }
        assert "was nftables and is now iptables" in block.reason
        short = [one for one in bench.cases(run_id) if one.status is not CaseStatus.SUCCEEDED]
        assert len(short) == 2
        assert any("was nftables and is now iptables" in case.reason for case in short)
    else:
        assert {one.status for one in stopped} == {TrialStatus.COUNTED, TrialStatus.WARMUP}
    assert bench.cluster.is_clean


@pytest.mark.parametrize("reverted", [True, False])
def test_a_killed_worker_s_block_counts_only_if_its_modes_still_stand(
    bench: Bench, reverted: bool
) -> None:
    at_middle(bench, die)
    run_id = bench.new_run(SWITCHING)
    with pytest.raises(Killed):
        bench.lead(run_id)
    bench.steps = lambda step: None
    if reverted:
        revert(bench)
    bench.give_up(run_id)
    assert bench.lead(run_id, holder="another")
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    _, stopped = by_block(bench, run_id)
    assert {one.status for one in stopped} == (
        {TrialStatus.VOID} if reverted else {TrialStatus.COUNTED, TrialStatus.WARMUP}
    )
    assert CaseStatus.RUNNING not in {block.status for block in bench.blocks(run_id)}
    assert bench.cluster.is_clean
    bench.take_up(run_id, Reopening.RESUME)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED


def cases_after_a_kill(bench: Bench, mode: str) -> list[CaseRecord]:
    """Those of a mode, once another worker has ended the run of one that was killed."""
    run_id = bench.new_run(SWITCHING)
    with pytest.raises(Killed):
        bench.lead(run_id)
    bench.steps = lambda step: None
    revert(bench)
    bench.give_up(run_id)
    assert bench.lead(run_id, holder="another")
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    return [one for one in bench.cases(run_id) if one.point["kube_proxy_mode"] == mode]


def test_cases_of_a_void_block_count_their_trials_alike(bench: Bench) -> None:
    """One of them had all its trials when the worker was killed in the block's last one."""
    at_trials(bench, {SWITCHING_TRIALS: die})
    cases = cases_after_a_kill(bench, "nftables")
    assert [case.status for case in cases] == [CaseStatus.FAILED] * 2
    (reason,) = {case.reason for case in cases}
    assert Message.of(reason).code == "counted_short"
    assert "was nftables and is now iptables" in reason


def test_cases_of_a_block_that_was_void_before_a_kill_count_their_trials_too(bench: Bench) -> None:
    def switch_away() -> None:
        with bench.cluster.change() as state:
            state["modes"]["kube_proxy_mode"] = "nftables"

    half = SWITCHING_TRIALS // 2
    at_trials(bench, {half: switch_away, half + 2: die})
    cases = cases_after_a_kill(bench, "iptables")
    assert [case.status for case in cases] == [CaseStatus.FAILED] * 2
    (reason,) = {case.reason for case in cases}
    assert Message.of(reason).code == "counted_short"
    assert "was iptables and is now nftables" in reason


def test_another_worker_says_why_an_earlier_block_failed(bench: Bench) -> None:
    prepared = iter((True, False))

    def steps(step: str) -> None:
        if step == "preparing" and next(prepared):
            raise PreconditionError("the cluster takes no measuring pod")
        if step == "trial":
            raise Killed

    bench.steps = steps
    cases = cases_after_a_kill(bench, "iptables")
    assert [case.status for case in cases] == [CaseStatus.FAILED] * 2
    assert all("the cluster takes no measuring pod" in case.reason for case in cases)


def test_modes_that_cannot_be_seen_any_more_void_a_stopped_block(bench: Bench) -> None:
    at_middle(bench, die)
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id, SWITCHING)
    with pytest.raises(Killed):
        bench.lead(run_id)
    with bench.cluster.change() as state:
        state["away"] = True
    bench.give_up(run_id)
    bench.lead(run_id, holder="another")
    _, stopped = by_block(bench, run_id)
    assert {one.status for one in stopped} == {TrialStatus.VOID}
    assert "could not be checked after the block" in (stopped[0].failure_message or "")
    assert bench.registered(cluster_id).needs_restore


def test_a_block_that_had_to_be_given_up_is_looked_at_too(bench: Bench) -> None:
    def break_and_revert() -> None:
        revert(bench)
        with bench.cluster.change() as state:
            state["objects"].clear()
        raise LabError("the pods are gone")

    prepared = []

    def steps(step: str) -> None:
        if step == "preparing":
            prepared.append(step)
            if len(prepared) == 3:
                raise PreconditionError("the cluster takes no measuring pod")
        elif step == "trial":
            counting(step)

    at_middle(bench, break_and_revert)
    counting = bench.steps
    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    _, given_up = by_block(bench, run_id)
    assert TrialStatus.COUNTED not in {one.status for one in given_up}
    assert "was nftables and is now iptables" in bench.blocks(run_id)[1].reason


def test_a_bug_of_ours_is_no_success_of_its_block(bench: Bench) -> None:
    def fail() -> None:
        raise KeyError("oops")

    at_middle(bench, fail)
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert bench.blocks(run_id)[1].status is CaseStatus.FAILED


@pytest.mark.parametrize("reverted", [True, False])
def test_results_of_a_stopped_block_that_are_void_make_no_partial_run(
    bench: Bench, reverted: bool
) -> None:
    def steps(step: str) -> None:
        # In the middle of the first block, which is in iptables mode.
        if step == "trial" and len(bench.trials(run_id)) == MIDDLE - SWITCHING_TRIALS // 2:
            if reverted:
                with bench.cluster.change() as state:
                    state["modes"]["kube_proxy_mode"] = "nftables"
            raise KeyError("oops")

    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is (Outcome.FAILED if reverted else Outcome.PARTIAL)
    assert run.reason.startswith("internal error: KeyError")
    counted = [one for one in bench.trials(run_id) if one.status is TrialStatus.COUNTED]
    assert bool(counted) is not reverted
