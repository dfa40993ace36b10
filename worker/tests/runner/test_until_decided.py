"""A run until decided ends once it is decided, and so does a resumed one."""

from typing import Any

import pytest

from podmeter.domain.run import CaseStatus, Outcome, Reopening

from ..bench import SWITCHING, Bench

pytestmark = pytest.mark.services

UNTIL: dict[str, Any] = {
    **SWITCHING,
    "repetition": {
        "trials": 1,
        "seconds": 1,
        "warmup": 0,
        "until_decided": {"difference": 0.1, "most_minutes": 60},
    },
}

#: As many rounds as eight minutes have room for.
NOTHING_COMPARED: dict[str, Any] = {
    **UNTIL,
    "axes": {**SWITCHING["axes"], "path": ["pod-pod"], "kube_proxy_mode": ["iptables"]},
    "repetition": {**UNTIL["repetition"], "until_decided": {"most_minutes": 8}},
}


def test_it_ends_once_every_case_is_decided(bench: Bench) -> None:
    """What the fake cluster measures never varies, so six rounds show it to be the same."""
    run_id = bench.new_run(UNTIL)
    assert bench.lead(run_id)
    run, blocks = bench.run(run_id), bench.blocks(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.SUCCEEDED}
    assert max(block.round for block in blocks) > 6
    for block in blocks:
        skipped = block.status is CaseStatus.SKIPPED
        assert skipped is (block.round > 6)
        assert not skipped or block.reason == "all main cases were decided after 6 rounds"
    assert "after 6 rounds 1 of 1 main cases are decided" in bench.log(run_id)
    assert len(bench.trials(run_id)) == 6 * 4
    assert bench.cluster.is_clean


def test_taken_up_again_it_looks_at_all_that_is_there(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == 9:
            bench.stopping.set()
            assert bench.stop.wait(60)

    bench.steps = steps
    run_id = bench.new_run(UNTIL)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    bench.stopping.clear()
    bench.steps = lambda step: None
    bench.take_up(run_id, Reopening.RESUME)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert len(bench.trials(run_id)) == 6 * 4


def test_asked_to_conclude_it_ends_with_its_next_look(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == 5:
            bench.conclude(run_id)

    bench.steps = steps
    run_id = bench.new_run(NOTHING_COMPARED)
    bench.lead(run_id)
    run, blocks = bench.run(run_id), bench.blocks(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert max(block.round for block in blocks) > 6
    for block in blocks:
        assert (block.status is CaseStatus.SKIPPED) is (block.round > 6)
        if block.round > 6:
            assert block.reason.startswith("concluded on request after 6 rounds")
    assert bench.cluster.is_clean


def test_where_nothing_is_compared_all_rounds_are_measured(bench: Bench) -> None:
    run_id = bench.new_run(NOTHING_COMPARED)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert {block.status for block in bench.blocks(run_id)} == {CaseStatus.SUCCEEDED}
