"""A run waits for a cluster that another Podmeter has, or that somebody looks at."""

import threading
import uuid
from functools import partial

import pytest

from podmeter.domain.run import Outcome, RunState
from podmeter.jobs import AdvanceRun
from podmeter.services.clusters import registry
from podmeter.services.execution import preflights, recovery
from podmeter.services.work import work_with
from podmeter.stack.process import wait_until
from podmeter_worker.runner import context, waiting
from podmeter_worker.runner.lease_keeper import LeaseKeeper

from ..bench import SPEC, TRIALS, Bench
from ..killed import Killed, die

pytestmark = pytest.mark.services


def hold(bench: Bench, holder: str | None) -> None:
    with bench.cluster.change() as state:
        state["lease"] = holder


@pytest.mark.parametrize(
    ("holder", "said"), [("look-12ab", "a preflight (look-12ab)"), ("77f0/9", "run 77f0")]
)
def test_it_stays_in_the_queue_with_the_holder_s_name(bench: Bench, holder: str, said: str) -> None:
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id)
    hold(bench, holder)
    for _ in range(3):
        bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.state, run.holder, run.started_at) == (RunState.QUEUED, None, None)
    assert getattr(run.reason, "code", "") == "waits_for_cluster"
    assert (
        f"ours: {said} holds the Lease of this cluster since 2026-11-22 00:00:00 UTC" in run.reason
    )
    # Told once, not as often as it was looked for.
    assert [event.content["state"] for event in bench.events(run_id)] == ["queued", "queued"]
    assert bench.events(run_id)[-1].content["reason"]["code"] == "waits_for_cluster"

    # A preflight beside it finds nobody who measures.
    organization = bench.owner.organization_id
    with work_with(bench.sessions, bench.queue) as work:
        registry.request_preflight(work, bench.owner, cluster_id)
    asked = bench.database.write(lambda w: preflights.begin(w, organization, cluster_id))
    assert asked is not None
    assert asked.measured is None

    hold(bench, None)
    bench.queue.sent.clear()
    bench.database.write(recovery.call_next)
    assert bench.queue.sent == [AdvanceRun(organization_id=organization, run_id=run_id)]
    bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert len(bench.trials(run_id)) == TRIALS
    assert bench.cluster.is_clean


def test_one_that_waits_is_cancelled_at_once(bench: Bench) -> None:
    run_id = bench.new_run()
    hold(bench, "77f0/9")
    bench.lead(run_id)
    bench.cancel(run_id)
    run = bench.run(run_id)
    assert (run.state, run.outcome) == (RunState.FINISHED, Outcome.CANCELLED)
    assert bench.cluster.now()["lease"] == "77f0/9"


def test_a_run_whose_worker_died_before_it_began_is_called_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = bench.new_run()
    monkeypatch.setattr(Bench, "connect", die)
    with pytest.raises(Killed):
        bench.lead(run_id)
    monkeypatch.undo()
    assert bench.run(run_id).state is RunState.QUEUED
    bench.give_up(run_id)
    assert bench.database.write(recovery.abandoned) == []
    bench.queue.sent.clear()
    bench.database.write(recovery.call_next)
    assert [job.run_id for job in bench.queue.sent] == [run_id]  # type: ignore[attr-defined]
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED


def taint(bench: Bench, *nodes: str) -> None:
    with bench.cluster.change() as state:
        state["tainted"] = nodes


def seen_waiting(bench: Bench, run_id: uuid.UUID, what: str) -> None:
    """Wait until the run says that it waits."""
    assert wait_until(lambda: what in bench.run(run_id).reason, 60)


@pytest.mark.parametrize("cancelled", [False, True])
def test_one_that_begins_while_all_nodes_are_tainted_waits_for_them(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, cancelled: bool
) -> None:
    """As they are for a while after an outage of the API server."""
    monkeypatch.setattr(waiting, "_LOOK_SECONDS", 0.02)
    run_id = bench.new_run(SPEC)
    taint(bench, "n1", "n2")
    leading = threading.Thread(target=bench.lead, args=(run_id,))
    leading.start()
    seen_waiting(bench, run_id, "n2: the node has the taint node.kubernetes.io/unreachable")
    run = bench.run(run_id)
    assert run.state is RunState.PREFLIGHT
    assert getattr(run.reason, "code", "") == "waits_for_cluster"
    assert bench.events(run_id)[-1].content["reason"]["code"] == "waits_for_cluster"
    if cancelled:
        bench.cancel(run_id)
    else:
        # The second is waited for too: there is traffic between nodes to be measured.
        taint(bench, "n2")
        seen_waiting(bench, run_id, "have not recovered yet (n2")
        taint(bench)
    leading.join(60)
    assert not leading.is_alive()
    run = bench.run(run_id)
    assert run.outcome is (Outcome.CANCELLED if cancelled else Outcome.SUCCEEDED)
    assert cancelled or (run.reason == "" and len(bench.trials(run_id)) == TRIALS)


def test_it_waits_for_nodes_no_longer_than_so_long(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_LOOK_SECONDS", 0.02)
    monkeypatch.setattr(waiting, "_NODES_SECONDS", 0.1)
    run_id = bench.new_run(SPEC)
    taint(bench, "n1", "n2")
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.FAILED
    assert "no node can run measuring pods" in run.reason


def test_a_dead_node_among_others_is_waited_for_by_nobody(bench: Bench) -> None:
    run_id = bench.new_run(SPEC)
    taint(bench, "n2")
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    said = [event.content.get("reason") for event in bench.events(run_id)]
    assert not any(one and one["code"] == "waits_for_cluster" for one in said)


@pytest.mark.parametrize("cancelled", [False, True])
def test_one_that_has_begun_waits_where_it_is(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, cancelled: bool
) -> None:
    """Somebody takes the cluster between two looks of the run at it."""
    monkeypatch.setattr(context, "_BUSY_SECONDS", 0.05)
    run_id = bench.new_run(SPEC)

    def steps(step: str) -> None:
        if step == "looking":
            hold(bench, "77f0/9")

    bench.steps = steps
    leading = threading.Thread(target=bench.lead, args=(run_id,))
    leading.start()
    said = "waiting: run 77f0"
    assert wait_until(lambda: any(said in line for line in bench.log(run_id)), 60)
    assert bench.run(run_id).state is RunState.PREFLIGHT
    if cancelled:
        bench.cancel(run_id)
    else:
        hold(bench, None)
    leading.join(60)
    assert not leading.is_alive()
    waited = [line for line in bench.log(run_id) if "waiting: " in line]
    assert len(waited) == 1
    run = bench.run(run_id)
    assert run.outcome is (Outcome.CANCELLED if cancelled else Outcome.SUCCEEDED)
    assert bench.cluster.now()["lease"] == ("77f0/9" if cancelled else None)


@pytest.mark.parametrize("holder", ["77f0/9", None])
def test_a_run_whose_lease_in_the_cluster_is_lost_ends_and_never_takes_another_one_s(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, holder: str | None
) -> None:
    monkeypatch.setattr(context, "LeaseKeeper", partial(LeaseKeeper, seconds=0.05))

    def steps(step: str) -> None:
        if step == "trial":
            hold(bench, holder)
            assert bench.stop.wait(60)

    bench.steps = steps
    cluster_id = bench.add_cluster()
    run_id = bench.start_run(cluster_id)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.INTERRUPTED
    assert "Lease of a cluster was taken over or deleted" in run.reason
    assert bench.trials(run_id) == []
    assert bench.cluster.now()["lease"] == holder
    # Leftovers are removed by the next holder once the cluster is free.
    assert bench.registered(cluster_id).needs_restore is (holder is not None)
    assert bench.cluster.is_clean is (holder is None)
