"""A mode that was changed and changed back: trials in between were measured in another one."""

from collections.abc import Callable

import pytest

from podmeter.domain.run import CaseStatus, Outcome
from podmeter.domain.trial import TrialStatus

from ..bench import SWITCHING, SWITCHING_TRIALS, Bench
from ..killed import Killed
from .test_stopped_blocks import MIDDLE, by_block

pytestmark = pytest.mark.services

HALF = SWITCHING_TRIALS // 2


def set_mode(bench: Bench, mode: str) -> None:
    """As somebody with kubectl does: the configuration, then new pods."""
    with bench.cluster.change() as state:
        state["modes"]["kube_proxy_mode"] = mode
        state["touched"] += 1


def at_trials(bench: Bench, acts: dict[int, Callable[[], None]]) -> None:
    count = iter(range(1, 1000))

    def steps(step: str) -> None:
        if step == "trial" and (act := acts.get(next(count))):
            act()

    bench.steps = steps


def test_a_block_in_which_a_mode_was_changed_and_changed_back_is_void(bench: Bench) -> None:
    at_trials(
        bench,
        {
            HALF + 2: lambda: set_mode(bench, "iptables"),
            SWITCHING_TRIALS: lambda: set_mode(bench, "nftables"),
        },
    )
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    before, touched = by_block(bench, run_id)
    assert {one.status for one in before} == {TrialStatus.COUNTED, TrialStatus.WARMUP}
    assert {(one.status, one.failure_code) for one in touched} == {
        (TrialStatus.VOID, "mode_reverted")
    }
    _, block = bench.blocks(run_id)
    assert block.status is CaseStatus.FAILED
    assert "kube_proxy_mode is still nftables, but" in block.reason
    assert bench.run(run_id).outcome is Outcome.PARTIAL
    assert bench.cluster.now()["modes"]["kube_proxy_mode"] == "iptables"


def test_it_is_found_by_whoever_ends_a_killed_worker_s_block_too(bench: Bench) -> None:
    def touch_and_kill() -> None:
        set_mode(bench, "iptables")
        set_mode(bench, "nftables")
        raise Killed

    at_trials(bench, {MIDDLE: touch_and_kill})
    run_id = bench.new_run(SWITCHING)
    with pytest.raises(Killed):
        bench.lead(run_id)
    bench.steps = lambda step: None
    bench.give_up(run_id)
    assert bench.lead(run_id, holder="another")
    _, stopped = by_block(bench, run_id)
    assert {one.status for one in stopped} == {TrialStatus.VOID}
    assert "its pods were replaced" in bench.blocks(run_id)[1].reason


def test_a_mode_that_is_touched_while_it_is_brought_about_is_seen_in_the_end(bench: Bench) -> None:
    """Set back right after the switch, before anything is measured: the switch failed."""

    def steps(step: str) -> None:
        if step == "switched":
            set_mode(bench, "iptables")

    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    before, after = by_block(bench, run_id)
    assert len(before) == HALF
    assert after == []
    assert "was nftables and is now iptables" in bench.blocks(run_id)[1].reason
