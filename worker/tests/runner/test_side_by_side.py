"""Modes side by side: the runner has each node in its mode, proves it, and undoes all of it."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from core.tests.sampling import sampled

from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.planning import LadderOrder
from podmeter.domain.run import CaseStatus, Outcome, Reopening
from podmeter.domain.trial import TrialStatus
from podmeter.kinds.registry import KINDS

from ..bench import Bench
from ..fake_link import FakeLink
from ..killed import Killed, killed_at
from ..toy_kind.kind import ToyEcho
from .test_ladder_climbed_once import SteppingLab

pytestmark = pytest.mark.services

ROUNDS = 4
BESIDE: dict[str, Any] = {
    "name": "side by side",
    "kind": "toy_echo",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "path": ["pod-pod"],
        "language": ["en"],
        "size": [1],
    },
    "repetition": {"trials": 1, "seconds": 1, "warmup": 0, "rounds": ROUNDS, "seed": 1},
}


class Beside(ToyEcho):
    """Has each mode on nodes of its own, which swap after two rounds."""

    def walk(self, spec: ResolvedSpec) -> LadderOrder:
        return LadderOrder.SIDE_BY_SIDE

    def rounds_in_place(self, spec: ResolvedSpec, point: Any) -> int | None:
        return 2


@pytest.fixture(autouse=True)
def beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, ToyEcho.name, Beside())
    monkeypatch.setattr(FakeLink, "lab", lambda link, write: SteppingLab(link, write))


def assigned(bench: Bench) -> list[dict[str, str]]:
    """What the nodes were set to, in turn."""
    return [one for one in bench.cluster.now()["set_up"] if isinstance(one, dict)]


def test_nodes_are_switched_for_a_swap_alone(bench: Bench) -> None:
    run_id = bench.new_run(BESIDE)
    assert bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    first, second = assigned(bench)
    assert set(first.values()) == {"iptables", "nftables"}
    # Client and backend of a seat have one mode.
    assert (first["n1"], first["n2"]) == (first["n3"], first["n4"])
    assert second == {"n1": first["n2"], "n2": first["n1"], "n3": first["n2"], "n4": first["n1"]}
    assert len(bench.trials(run_id)) == 2 * ROUNDS
    # Only the first block of each seating took time for a switch, which plans go by.
    timed = [block.switching_seconds is not None for block in bench.blocks(run_id)]
    assert timed == [True, False, False, False] * 2
    log = bench.log(run_id)
    for node, mode in first.items():
        said = f"kube_proxy_mode is {mode} on {node}, beside other modes on other nodes"
        assert sum(said in line for line in log) == 1
    assert bench.cluster.is_clean


def test_what_stood_is_stored_before_anything_is_changed(bench: Bench) -> None:
    seen = []

    def steps(step: str) -> None:
        if step == "saved":
            state = bench.cluster.now()
            seen.append((state["notes"], state.get("assigned"), bench.saved_modes(run_id)))

    bench.steps = steps
    run_id = bench.new_run(BESIDE)
    assert bench.lead(run_id)
    notes, before, stored = seen[0]
    assert (list(notes), before) == (["kube_proxy_mode"], None)
    assert [one.axis for one in stored] == ["kube_proxy_mode"]


#: Steps of the first seating, and of the swap.
STEPS = list(product(["saved", "assigning", "assigned"], [1, 2]))


@pytest.mark.parametrize(("at", "which"), sampled(STEPS, 2))
def test_a_cancel_at_each_step_leaves_nothing(bench: Bench, at: str, which: int) -> None:
    met: list[str] = []

    def steps(step: str) -> None:
        if step == at:
            met.append(step)
            if len(met) == which:
                bench.cancel(run_id)
                assert bench.stop.wait(60)

    bench.steps = steps
    run_id = bench.new_run(BESIDE)
    bench.lead(run_id)
    assert len(met) == which
    assert bench.run(run_id).outcome is Outcome.CANCELLED
    assert bench.cluster.is_clean
    assert all(saved.restored_at for saved in bench.saved_modes(run_id))


@pytest.mark.parametrize("at", sampled(["saved", "assigning", "assigned", "trial"], 2))
def test_what_a_killed_worker_left_is_restored(bench: Bench, at: str) -> None:
    bench.steps = killed_at(at)
    run_id = bench.new_run(BESIDE)
    with pytest.raises(Killed):
        bench.lead(run_id)
    assert not bench.cluster.is_clean
    bench.steps = lambda step: None
    bench.give_up(run_id)
    assert bench.lead(run_id, holder="another")
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    assert bench.cluster.is_clean


def test_a_node_that_somebody_switched_meanwhile_voids_the_block(bench: Bench) -> None:
    """Whichever node it is: the other mode's kube-proxy may share the machine."""
    done: list[str] = []

    def steps(step: str) -> None:
        if step == "trial" and not done:
            done.append(step)
            with bench.cluster.change() as state:
                state["assigned"]["n2"] = "ipvs"

    bench.steps = steps
    run_id = bench.new_run(BESIDE)
    bench.lead(run_id)
    first, *others = bench.trials(run_id)
    assert (first.status, first.failure_code) == (TrialStatus.VOID, "mode_reverted")
    assert {trial.status for trial in others} == {TrialStatus.COUNTED}
    assert "n2: kube_proxy_mode was" in bench.blocks(run_id)[0].reason
    assert bench.cluster.is_clean


def test_too_few_nodes_fail_the_block_with_that(bench: Bench) -> None:
    run_id = bench.new_run(BESIDE)
    with bench.cluster.change() as state:
        state["seats"] = ["n1"]
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.FAILED
    assert "need 4 measured nodes that can be switched alone; there are 1" in run.reason
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.FAILED}
    assert bench.cluster.is_clean


def test_taken_up_again_it_goes_on_with_the_seating_of_its_round(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "assigned" and len(assigned(bench)) == 2:
            bench.stopping.set()
            assert bench.stop.wait(60)

    bench.steps = steps
    run_id = bench.new_run(BESIDE)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    bench.stopping.clear()
    bench.steps = lambda step: None
    bench.take_up(run_id, Reopening.RESUME)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    first, second, again = assigned(bench)
    assert again == second != first
    assert bench.cluster.is_clean
