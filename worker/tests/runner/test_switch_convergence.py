"""What a run that switches kube-proxy's mode tells of the switch itself."""

import uuid

import pytest

from podmeter.domain.errors import LabError
from podmeter.domain.run import Outcome, Reopening
from podmeter.domain.trial import TrialStatus

from ..bench import SPEC, SWITCHING, Bench

pytestmark = pytest.mark.services

#: What a difference of two times loses on a machine that is up for long.
CLOCK = 1e-9
ROLLED = {**SPEC, "axes": {**SPEC["axes"], "kube_proxy_mode": ["iptables"]}}


def told(bench: Bench, run_id: uuid.UUID) -> list[dict[str, float]]:
    return [bench.measured(trial) for trial in bench.set_ups(run_id)]


def test_each_block_s_set_up_is_a_trial_before_all_others(bench: Bench) -> None:
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    set_ups = bench.set_ups(run_id)
    assert [one.status for one in set_ups] == [TrialStatus.COUNTED] * 2
    assert [one.block_id for one in set_ups] == [block.id for block in bench.blocks(run_id)]
    for one in set_ups:
        others = [trial.id for trial in bench.trials(run_id) if trial.block_id == one.block_id]
        assert one.id < min(others)
        assert not one.warnings
        assert len(one.facts) == 3 if one.facts["mode_stood"] == "false" else 2
        assert one.overhead_seconds is not None
    assert bench.cluster.now()["watched"] == 0


def test_a_switch_is_told_apart_from_a_mode_that_stood(bench: Bench) -> None:
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    rolled, switched = told(bench, run_id)
    assert set(rolled) == {"roll_seconds", "roll_outage", "switch_resolution"}
    assert set(switched) == {
        "switch_convergence",
        "switch_outage",
        "switch_seconds",
        "switch_resolution",
    }
    # The slowest node's, with the look that found it well again.
    assert 0.4 - CLOCK <= switched["switch_outage"] < 0.5
    assert switched["switch_convergence"] > switched["switch_outage"]
    assert switched["switch_seconds"] >= 0


def test_a_node_that_does_not_tell_leaves_no_number_and_a_reason(bench: Bench) -> None:
    run_id = bench.new_run(SWITCHING)
    with bench.cluster.change() as state:
        state["deaf"] = ["n2"]
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert [set(one) for one in told(bench, run_id)] == [{"roll_seconds"}, {"switch_seconds"}]
    for one in bench.set_ups(run_id):
        (warning,) = one.warnings
        assert "n2 does not report it: the pod is gone" in warning


def test_nothing_is_watched_where_kube_proxy_is_not_switched(bench: Bench) -> None:
    for spec in (SPEC, {**SPEC, "axes": {**SPEC["axes"], "encapsulation": ["vxlan"]}}):
        run_id = bench.new_run(spec)
        bench.lead(run_id)
        assert bench.run(run_id).outcome is Outcome.SUCCEEDED
        assert bench.set_ups(run_id) == []
    assert "watched" not in bench.cluster.now()


@pytest.mark.parametrize("at", ["patched", "rolling", "switched"])
def test_a_cancel_in_the_middle_of_a_switch_ends_the_watch(bench: Bench, at: str) -> None:
    def cancel(step: str) -> None:
        if step == at:
            assert bench.cluster.now()["watched"] == 1
            bench.cancel(run_id)
            assert bench.stop.wait(60)

    bench.steps = cancel
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.CANCELLED
    assert bench.cluster.now()["watched"] == 0
    assert bench.cluster.is_clean


def test_a_block_whose_mode_did_not_last_leaves_no_switch_either(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "trial" and bench.cluster.now()["modes"]["kube_proxy_mode"] == "nftables":
            with bench.cluster.change() as state:
                state["modes"]["kube_proxy_mode"] = "iptables"
                state["touched"] += 1

    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert [one.status for one in bench.set_ups(run_id)] == [TrialStatus.COUNTED, TrialStatus.VOID]


def test_a_retry_does_not_tell_of_the_switch_once_more(bench: Bench) -> None:
    """What an earlier attempt told of it stands, though the mode is set up again."""
    broken: list[str] = []

    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == 4 and not broken:
            broken.append(step)
            raise LabError("the connection broke")

    bench.steps = steps
    run_id = bench.new_run(ROLLED)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.PARTIAL
    before = [one.id for one in bench.set_ups(run_id)]
    bench.take_up(run_id, Reopening.RETRY)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert [one.id for one in bench.set_ups(run_id)] == before
    assert bench.cluster.now()["set_up"] == ["iptables", "iptables"]
    assert bench.cluster.now()["watched"] == 0
