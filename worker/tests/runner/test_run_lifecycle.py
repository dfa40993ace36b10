"""A run that goes well, or that its preflight refuses."""

from typing import Any

import pytest

from podmeter.domain.planning import Block
from podmeter.domain.run import CaseStatus, Outcome, RunState
from podmeter.domain.trial import TrialStatus
from podmeter_worker.runner import run_lifecycle
from podmeter_worker.runner.block import run_block
from podmeter_worker.runner.context import RunContext

from ..bench import SPEC, SWITCHING, SWITCHING_TRIALS, TRIALS, Bench

pytestmark = pytest.mark.services


def test_a_run_goes_through_its_states_to_success(bench: Bench) -> None:
    run_id = bench.new_run()
    assert bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.state, run.outcome, run.reason) == (RunState.FINISHED, Outcome.SUCCEEDED, "")
    assert (run.holder, run.lease_expires_at) == (None, None)
    states = [event.content["state"] for event in bench.events(run_id) if event.type == "state"]
    assert states == ["queued", "preflight", "running", "cleaning", "finished"]
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.SUCCEEDED}
    assert bench.cluster.is_clean


def test_every_trial_is_stored_with_its_overhead(bench: Bench) -> None:
    run_id = bench.new_run()
    bench.lead(run_id)
    trials = bench.trials(run_id)
    assert len(trials) == TRIALS
    assert [trial.status for trial in trials].count(TrialStatus.WARMUP) == 2
    for trial in trials:
        assert trial.seconds is not None
        assert trial.tool_seconds is not None
        assert trial.overhead_seconds is not None
        assert trial.overhead_seconds > 0
        assert trial.overhead_seconds >= trial.seconds - trial.tool_seconds
    assert any(line.startswith("overhead: median") for line in bench.log(run_id))


def test_environment_fingerprints_and_placements_are_kept(bench: Bench) -> None:
    run_id = bench.new_run()
    bench.lead(run_id)
    environment = bench.run(run_id).environment
    assert environment is not None
    (frozen,) = environment["clusters"].values()
    assert frozen["fingerprint"]["cni"]["name"] == "flannel"
    (block,) = bench.blocks(run_id)
    assert block.fingerprint_id is not None
    assert block.preparing_seconds is not None
    assert block.cleaning_seconds is not None
    assert block.switching_seconds is None
    for case in bench.cases(run_id):
        assert case.fingerprint_id == block.fingerprint_id
        assert case.placement == {"client_node": "n1", "server_node": "n2", "nic": "v0"}


def test_modes_are_switched_between_blocks_and_put_back(bench: Bench) -> None:
    seen = []
    bench.steps = lambda step: seen.append((step, bench.cluster.now()["modes"]["kube_proxy_mode"]))
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert len(bench.trials(run_id)) == SWITCHING_TRIALS
    measured = [mode for step, mode in seen if step == "trial"]
    assert measured == ["iptables"] * 6 + ["nftables"] * 6
    first, second = bench.blocks(run_id)
    assert second.switching_seconds is not None
    assert first.fingerprint_id != second.fingerprint_id
    (saved,) = bench.saved_modes(run_id)
    assert saved.content == {"value": "iptables"}
    assert saved.restored_at is not None
    assert bench.cluster.is_clean


def test_what_stood_is_in_the_database_before_anything_is_changed(bench: Bench) -> None:
    saved: list[int] = []

    def at(step: str) -> None:
        if step == "saved":
            saved.append(len(bench.saved_modes(run_id)))
            assert bench.cluster.now()["modes"]["kube_proxy_mode"] == "iptables"

    bench.steps = at
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert saved == [1]


def test_every_block_sets_its_mode_up_anew_also_where_it_stands(bench: Bench) -> None:
    """Nothing but the mode may tell two blocks apart; an order may have two of one in a row."""
    run_id = bench.new_run({**SWITCHING, "repetition": {**SWITCHING["repetition"], "rounds": 2}})
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert bench.cluster.now()["set_up"] == ["iptables", "nftables", "nftables", "iptables"]
    assert all(block.switching_seconds is not None for block in bench.blocks(run_id))
    assert bench.cluster.is_clean


def test_arms_are_alike_and_each_block_of_them_is_set_up_anew(bench: Bench) -> None:
    axes = {**SPEC["axes"], "kube_proxy_mode": ["nftables"], "arm": ["a", "b"]}
    repetition = {**SPEC["repetition"], "rounds": 2}
    run_id = bench.new_run({**SPEC, "axes": axes, "repetition": repetition})
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert bench.cluster.now()["set_up"] == ["nftables"] * 4
    arms = [block.modes["arm"] for block in bench.blocks(run_id)]
    assert [sorted(arms[:2]), sorted(arms[2:])] == [["a", "b"]] * 2
    assert len({block.fingerprint_id for block in bench.blocks(run_id)}) == 1
    assert bench.cluster.is_clean


def test_arms_alone_switch_nothing(bench: Bench) -> None:
    run_id = bench.new_run({**SPEC, "axes": {**SPEC["axes"], "arm": ["a", "b"]}})
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert len(bench.trials(run_id)) == 2 * TRIALS
    assert bench.saved_modes(run_id) == []
    assert all(block.switching_seconds is None for block in bench.blocks(run_id))


def test_blocks_run_on_several_clusters(bench: Bench) -> None:
    bench.add_cluster("one", "uid-1")
    bench.add_cluster("two", "uid-2")
    spec = {**SPEC, "axes": {**SPEC["axes"], "cluster": ["one", "two"]}}
    run_id = bench.start_run(None, spec)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    for uid in ("uid-1", "uid-2"):
        assert bench.clusters[uid].is_clean
        assert bench.clusters[uid].now()["n"] == 1


def test_a_mode_that_cannot_be_had_refuses_the_run_before_anything_is_made(bench: Bench) -> None:
    run_id = bench.new_run({**SPEC, "axes": {**SPEC["axes"], "kube_proxy_mode": ["ipvs"]}})
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.FAILED
    assert "kube_proxy_mode cannot be switched to ipvs: the kernel has no ip_vs" in run.reason
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.SKIPPED}
    assert bench.cluster.now()["n"] == 0
    assert bench.cluster.is_clean


def test_another_cluster_behind_the_same_registration_refuses_the_run(bench: Bench) -> None:
    run_id = bench.new_run()
    bench.cluster.uid, bench.clusters["real-cluster"] = "another", bench.cluster
    bench.cluster.__post_init__()
    bench.lead(run_id)
    assert "this is not the registered cluster" in bench.run(run_id).reason
    assert bench.cluster.is_clean


def test_a_cluster_that_is_away_refuses_the_run_and_is_not_marked(bench: Bench) -> None:
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id)
    with bench.cluster.change() as state:
        state["away"] = True
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.FAILED
    assert "the API server could not be reached" in bench.run(run_id).reason
    assert not bench.registered(cluster_id).needs_restore


def test_another_podmeter_on_the_cluster_is_waited_for_and_left_alone(bench: Bench) -> None:
    run_id = bench.new_run()
    with bench.cluster.change() as state:
        state["lease"] = "somebody"
    bench.lead(run_id)
    assert "run somebody holds the Lease of this cluster since" in bench.run(run_id).reason
    assert bench.cluster.now()["lease"] == "somebody"


def test_the_next_run_is_called_when_one_ends(bench: Bench) -> None:
    first, second = bench.new_run(), bench.new_run()
    assert not bench.lead(second)
    bench.queue.sent.clear()
    bench.lead(first)
    assert [job.run_id for job in bench.queue.sent] == [second]  # type: ignore[attr-defined]
    assert bench.lead(second)
    assert bench.run(second).outcome is Outcome.SUCCEEDED


def test_a_block_knows_whether_another_follows_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed = []

    def noted(run: RunContext, link: Any, identity: Any, block: Block) -> None:
        followed.append(block.followed)
        run_block(run, link, identity, block)

    monkeypatch.setattr(run_lifecycle, "run_block", noted)
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert followed == [True, False]
