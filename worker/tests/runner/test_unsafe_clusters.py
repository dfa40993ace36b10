"""A run stops by itself before it harms a cluster, through cleaning, and can be retried."""

from collections.abc import Callable
from typing import Any

import pytest
from core.tests.sampling import sampled

from podmeter.db.models import Cluster
from podmeter.domain.errors import UnsafeClusterError
from podmeter.domain.messages import Message, say
from podmeter.domain.run import CaseStatus, Outcome, Reopening, RunState
from podmeter.domain.trial import TrialStatus
from podmeter_worker.runner import cluster_guard

from ..bench import SPEC, SWITCHING, TRIALS, Bench
from .test_failures import at_trial, fail

pytestmark = pytest.mark.services


@pytest.fixture(autouse=True)
def looking_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_guard, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(cluster_guard, "NODES_A_SECOND", 1e9)
    monkeypatch.setattr(cluster_guard, "AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(cluster_guard, "STEADY_SECONDS", 0.05)
    monkeypatch.setattr(cluster_guard, "SWITCHING_SECONDS", 0.1)


def fault(bench: Bench, **state: Any) -> Callable[[], None]:
    """Something becomes wrong with the cluster."""

    def act() -> None:
        with bench.cluster.change() as content:
            content |= state

    return act


#: What a guard meets, and how the run says so.
MET = [
    ({"not_ready": ["n2"]}, "stopped_not_ready", {"node": "n2"}),
    (
        {"pressures": {"n1": ["DiskPressure"]}},
        "stopped_pressure",
        {"node": "n1", "condition": "DiskPressure"},
    ),
    (
        {"n1": {"conntrack": 80}},
        "stopped_conntrack",
        {"node": "n1", "value": 80.0, "limit": 80.0, "entries": 80, "size": 100},
    ),
    ({"n2": {"memory": 9}}, "stopped_memory", {"node": "n2", "value": 9.0, "limit": 10.0}),
    ({"n2": {"disk": 9}}, "stopped_disk", {"node": "n2", "value": 9.0, "limit": 10.0}),
]


@pytest.mark.parametrize(("state", "code", "params"), sampled(MET, 2))
def test_a_run_that_meets_a_guard_ends_partial_through_cleaning(
    bench: Bench, state: dict[str, Any], code: str, params: dict[str, Any]
) -> None:
    at_trial(bench, 4, fault(bench, **state))
    run_id = bench.new_run()
    bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.state, run.outcome) == (RunState.FINISHED, Outcome.PARTIAL)
    reason = Message.of(run.reason)
    assert (reason.code, reason.params) == (code, params)
    # The trial in which it happened was whole; no other one begins.
    assert len(bench.trials(run_id)) == 4
    states = {event.content["state"] for event in bench.events(run_id) if event.type == "state"}
    assert "cleaning" in states
    assert bench.cluster.is_clean
    (block,) = bench.blocks(run_id)
    assert block.status is CaseStatus.FAILED
    # What was not measured is not a number, and is measured by a retry.
    assert [case.status for case in bench.cases(run_id)].count(CaseStatus.FAILED) >= 1
    with bench.cluster.change() as content:
        for name in state:
            del content[name]
    bench.steps = lambda step: None
    bench.take_up(run_id, Reopening.RETRY)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED


@pytest.mark.parametrize(
    "state",
    [
        {"n1": {"conntrack": 79, "memory": 10, "disk": 10}},
        # Unready from the start: it is not the run's doing.
        {},
    ],
)
def test_up_to_the_limits_a_run_goes_on(bench: Bench, state: dict[str, Any]) -> None:
    at_trial(bench, 2, fault(bench, **state))
    run_id = bench.new_run()
    if not state:
        fault(bench, not_ready=["n2"])()
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert len(bench.trials(run_id)) == TRIALS


def test_what_passes_by_itself_is_waited_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    # It passes after a few looks, however long these take on a busy machine.
    monkeypatch.setattr(cluster_guard, "STEADY_SECONDS", 300.0)
    looks = iter(range(1000))

    def steps(step: str) -> None:
        if step == "trial" and next(looks) == 1:
            fault(bench, not_ready=["n2"])()
        if step == "guarding" and bench.cluster.now().get("not_ready") and next(looks) > 3:
            fault(bench, not_ready=[])()

    bench.steps = steps
    run_id = bench.new_run()
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert bench.cluster.now()["not_ready"] == []


def test_a_trial_in_which_the_guard_trips_is_kept_as_failed(bench: Bench) -> None:
    why = say("stopped_conntrack", node="n1", value=95.0, limit=80.0, entries=95, size=100)
    at_trial(bench, 5, fail(UnsafeClusterError(why)))
    run_id = bench.new_run()
    bench.lead(run_id)
    trials = bench.trials(run_id)
    assert len(trials) == 5
    last = trials[-1]
    assert (last.status, last.failure_code) == (TrialStatus.FAILED, "cluster_unsafe")
    assert Message.of(last.failure_message).code == "stopped_conntrack"
    assert bench.measured(last) == {}
    run = bench.run(run_id)
    assert (run.outcome, Message.of(run.reason).code) == (Outcome.PARTIAL, "stopped_conntrack")


def test_where_nothing_was_measured_the_run_has_failed(bench: Bench) -> None:
    run_id = bench.new_run()
    fault(bench, pressures={"n2": ["MemoryPressure"]})()
    bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.outcome, Message.of(run.reason).code) == (Outcome.FAILED, "stopped_pressure")
    assert bench.trials(run_id) == []
    assert bench.cluster.is_clean


def test_modes_are_restored_and_later_blocks_are_skipped_with_the_reason(bench: Bench) -> None:
    at_trial(bench, 2, fault(bench, not_ready=["n1"]))
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    first, second = bench.blocks(run_id)
    assert (first.status, second.status) == (CaseStatus.FAILED, CaseStatus.SKIPPED)
    assert "n1 was ready when the run started" in second.reason
    assert bench.cluster.is_clean
    assert all(saved.restored_at for saved in bench.saved_modes(run_id))


MET_IN_A_SWITCH = [
    ({"n1": {"conntrack": 80}}, "stopped_conntrack"),
    ({"n2": {"memory": 9}}, "stopped_memory"),
    ({"not_ready": ["n2"]}, "stopped_not_ready"),
]


@pytest.mark.parametrize(("state", "code"), sampled(MET_IN_A_SWITCH, 2))
def test_a_switch_that_waits_is_guarded(bench: Bench, state: dict[str, Any], code: str) -> None:
    """It would wait for ever."""

    def steps(step: str) -> None:
        if step == "rolling":
            fault(bench, waits="rolling", **state)()

    bench.steps = steps
    run_id = bench.new_run(SWITCHING)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.outcome, Message.of(run.reason).code) == (Outcome.PARTIAL, code)
    assert bench.cluster.is_clean
    assert all(saved.restored_at for saved in bench.saved_modes(run_id))


def test_a_limit_set_after_the_start_of_a_run_refuses_it(bench: Bench) -> None:
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id, SPEC)
    with bench.sessions.begin() as session:
        session.get_one(Cluster, cluster_id).max_bandwidth_bits_per_second = 10**9
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.FAILED
    assert "allows at most 1 Gbit/s" in run.reason
    assert bench.cluster.now()["n"] == 0
