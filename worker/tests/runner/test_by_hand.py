"""A run whose modes are switched by hand: it waits, detects the mode, and continues."""

import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from core.tests.sampling import sampled

from podmeter.db.base import now
from podmeter.db.models import Cluster
from podmeter.domain.by_hand import Waiting
from podmeter.domain.errors import LabError, PreconditionError, UnsafeClusterError
from podmeter.domain.messages import Message, say
from podmeter.domain.modes import KUBE_PROXY_MODE
from podmeter.domain.run import CaseStatus, Outcome, Reopening, RunState
from podmeter.jobs import AdvanceRun
from podmeter.services.execution import by_hand as stored
from podmeter.services.execution import recovery
from podmeter.stack.process import wait_until
from podmeter_worker.reaper import reap
from podmeter_worker.runner import by_hand, run_lifecycle
from podmeter_worker.runner.context import RunContext

from ..bench import SWITCHING, SWITCHING_TRIALS, Bench
from ..fake_cluster import MODES
from ..killed import Killed, die
from .test_failures import at_trial, fail

pytestmark = pytest.mark.services
CONNTRACK = say("stopped_conntrack", node="n1", value=95.0, limit=80.0, entries=95, size=100)
STATES = ["queued", "preflight", "running"]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_hand, "_LOOK_SECONDS", 0.02)


def of_hands(bench: Bench, *, minutes: int = 30, allowed: bool = False) -> uuid.UUID:
    """A cluster whose modes somebody switches."""
    cluster_id = bench.add_cluster()
    with bench.sessions.begin() as session:
        cluster = session.get_one(Cluster, cluster_id)
        cluster.allow_mode_switch = allowed
        cluster.allow_switch_by_hand, cluster.switch_by_hand_minutes = True, minutes
    return cluster_id


def leading(bench: Bench, run_id: uuid.UUID) -> threading.Thread:
    thread = threading.Thread(target=bench.lead, args=(run_id,), daemon=True)
    thread.start()
    return thread


def until(what: Callable[[], Any], seconds: float = 30) -> Any:
    found: Any = None

    def is_there() -> bool:
        nonlocal found
        found = what()
        return bool(found)

    assert wait_until(is_there, seconds)
    return found


def waiting(bench: Bench, run_id: uuid.UUID, mode: str) -> Waiting:
    """What it waits for, once that is this mode."""

    def asked() -> Waiting | None:
        run = bench.run(run_id)
        if run.state is not RunState.WAITING or run.waiting is None:
            return None
        found = Waiting.model_validate(run.waiting)
        return found if found.mode == mode else None

    found: Waiting = until(asked)
    return found


def set_mode(bench: Bench, mode: str) -> None:
    """What somebody does."""
    with bench.cluster.change() as state:
        state["modes"][KUBE_PROXY_MODE] = mode
        state["touched"] += 1


def lead_by_hand(bench: Bench, run_id: uuid.UUID) -> None:
    """A worker leads it to its end, beside somebody who sets each mode that it waits for."""
    thread = leading(bench, run_id)
    for mode in ("nftables", "iptables"):
        waiting(bench, run_id, mode)
        set_mode(bench, mode)
    thread.join(60)


def states(bench: Bench, run_id: uuid.UUID) -> list[str]:
    found: list[str] = []
    for event in bench.events(run_id):
        state = event.content.get("state")
        if state is not None and found[-1:] != [state]:
            found.append(state)
    return found


def is_as_before(bench: Bench) -> bool:
    # Nothing is written into a cluster that Podmeter may not switch.
    return bench.cluster.is_clean and bench.cluster.now()["set_up"] == []


def test_it_waits_at_each_mode_and_asks_for_the_first_one_at_its_end(bench: Bench) -> None:
    cluster_id = of_hands(bench)
    run_id = bench.start_run(cluster_id, SWITCHING)
    thread = leading(bench, run_id)
    asked = waiting(bench, run_id, "nftables")
    assert (asked.cluster, asked.axis, asked.original) == ("ours", KUBE_PROXY_MODE, False)
    assert asked.until - asked.since == timedelta(minutes=30)
    assert "kube-proxy's configuration" in asked.how
    run = bench.run(run_id)
    assert getattr(run.reason, "code", "") == "waits_for_mode"
    # The cluster is the run's all the while.
    assert bench.cluster.now()["lease"] is not None
    before = len(bench.trials(run_id))
    set_mode(bench, "nftables, half-way")
    until(lambda: Waiting.model_validate(bench.run(run_id).waiting).seen == "nftables, half-way")
    assert len(bench.trials(run_id)) == before
    set_mode(bench, "nftables")
    back = waiting(bench, run_id, "iptables")
    assert back.original
    assert len(bench.trials(run_id)) == SWITCHING_TRIALS
    set_mode(bench, "iptables")
    thread.join(60)
    run = bench.run(run_id)
    assert (run.outcome, run.reason, run.waiting) == (Outcome.SUCCEEDED, "", None)
    assert states(bench, run_id) == [
        *STATES,
        *("waiting", "running", "waiting", "running"),
        *("cleaning", "finished"),
    ]
    assert is_as_before(bench)
    assert all(saved.restored_at for saved in bench.saved_modes(run_id))
    assert not bench.registered(cluster_id).needs_restore


def test_what_no_switcher_can_set_is_switched_by_hand_though_podmeter_may_switch(
    bench: Bench,
) -> None:
    cluster_id = of_hands(bench, allowed=True)
    with bench.cluster.change() as state:
        state["fixed"] = True
    run_id = bench.start_run(cluster_id, SWITCHING)
    thread = leading(bench, run_id)
    assert "--kube-proxy-arg=proxy-mode=nftables" in waiting(bench, run_id, "nftables").how
    set_mode(bench, "nftables")
    waiting(bench, run_id, "iptables")
    set_mode(bench, "iptables")
    thread.join(60)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED


def test_what_another_podmeter_has_switched_is_not_taken_for_the_original(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took the cluster between two blocks, and wrote its note."""

    def switched(run: RunContext, identity: Any) -> list[Any]:
        with bench.cluster.change() as state:
            state["notes"][KUBE_PROXY_MODE] = {
                "axis": KUBE_PROXY_MODE,
                "component": "kube-proxy",
                "saved": {"mode": "ipvs"},
                "holder": "theirs",
                "since": "2026-11-22T00:00:00Z",
            }
        return []

    monkeypatch.setattr(by_hand, "_switched", switched)
    run_id = bench.start_run(of_hands(bench), SWITCHING)
    assert bench.lead(run_id)
    assert bench.saved_modes(run_id) == []
    assert bench.run(run_id).outcome is Outcome.FAILED
    assert "recorded the original values mode: ipvs" in bench.run(run_id).reason


def test_where_podmeter_can_switch_and_may_it_does(bench: Bench) -> None:
    run_id = bench.start_run(of_hands(bench, allowed=True), SWITCHING)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert "waiting" not in states(bench, run_id)


def test_a_switch_that_never_comes_ends_the_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster_id = of_hands(bench, minutes=1)
    run_id = bench.start_run(cluster_id, SWITCHING)
    # A clock that goes: on a busy machine the run begins to wait more than a second later.
    monkeypatch.setattr(by_hand, "now", lambda: now() + timedelta(seconds=61))
    bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.state, run.outcome) == (RunState.FINISHED, Outcome.PARTIAL)
    assert "nobody switched kube_proxy_mode of ours to nftables within 1 min" in run.reason
    # Earlier results are kept; no mode has to be restored.
    assert len(bench.trials(run_id)) == SWITCHING_TRIALS // 2
    assert is_as_before(bench)
    assert all(saved.restored_at for saved in bench.saved_modes(run_id))
    assert not bench.registered(cluster_id).needs_restore
    monkeypatch.undo()
    monkeypatch.setattr(by_hand, "_LOOK_SECONDS", 0.02)
    bench.take_up(run_id, Reopening.RETRY)
    lead_by_hand(bench, run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert len(bench.trials(run_id)) == SWITCHING_TRIALS


def test_a_cancel_while_it_waits_leaves_nothing(bench: Bench) -> None:
    cluster_id = of_hands(bench)
    run_id = bench.start_run(cluster_id, SWITCHING)
    thread = leading(bench, run_id)
    waiting(bench, run_id, "nftables")
    bench.cancel(run_id)
    thread.join(60)
    run = bench.run(run_id)
    assert (run.state, run.outcome, run.waiting) == (RunState.FINISHED, Outcome.CANCELLED, None)
    assert run.reason == "cancelled by its owner"
    assert is_as_before(bench)
    assert not bench.registered(cluster_id).needs_restore
    assert {case.status for case in bench.cases(run_id)} == {
        CaseStatus.SUCCEEDED,
        CaseStatus.SKIPPED,
    }


def test_a_cluster_left_in_another_mode_takes_no_run_until_it_is_back(bench: Bench) -> None:
    cluster_id = of_hands(bench)
    run_id = bench.start_run(cluster_id, SWITCHING)
    thread = leading(bench, run_id)
    waiting(bench, run_id, "nftables")
    set_mode(bench, "nftables")
    waiting(bench, run_id, "iptables")
    bench.cancel(run_id)
    thread.join(60)
    run = bench.run(run_id)
    assert run.outcome is Outcome.CANCELLED
    assert (
        "kube_proxy_mode was iptables before the run and has not been switched back" in run.reason
    )
    assert "current: nftables" in run.reason
    state = bench.cluster.now()
    assert (state["objects"], state["lease"]) == ({}, None)
    assert bench.registered(cluster_id).needs_restore

    here = bench.here()
    reap(here)
    flagged = bench.registered(cluster_id)
    assert flagged.needs_restore
    assert "was iptables before the run" in flagged.needs_restore_reason
    set_mode(bench, "iptables")
    with bench.sessions.begin() as session:
        session.get_one(Cluster, cluster_id).restore_after = None
    reap(here)
    assert not bench.registered(cluster_id).needs_restore
    assert bench.cluster.now()["modes"] == MODES
    assert all(saved.restored_at for saved in bench.saved_modes(run_id))


def test_a_worker_that_is_killed_while_it_waits_is_followed_by_another(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = bench.start_run(of_hands(bench), SWITCHING)
    with monkeypatch.context() as patch:
        patch.setattr(stored, "see", die)
        with pytest.raises(Killed):
            bench.lead(run_id)
    bench.give_up(run_id)
    run = bench.run(run_id)
    assert run.state is RunState.WAITING
    first = Waiting.model_validate(run.waiting)
    measured = [trial.id for trial in bench.trials(run_id)]

    # It is no run that was interrupted: it is called again.
    assert bench.database.write(recovery.abandoned) == []
    bench.queue.sent.clear()
    bench.database.write(recovery.call_next)
    organization = bench.owner.organization_id
    assert bench.queue.sent == [AdvanceRun(organization_id=organization, run_id=run_id)]

    thread = leading(bench, run_id)
    until(lambda: Waiting.model_validate(bench.run(run_id).waiting).seen == "iptables")
    again = waiting(bench, run_id, "nftables")
    assert (again.since, again.until) == (first.since, first.until)
    set_mode(bench, "nftables")
    waiting(bench, run_id, "iptables")
    set_mode(bench, "iptables")
    thread.join(60)
    run = bench.run(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    after = [trial.id for trial in bench.trials(run_id)]
    assert (after[: len(measured)], len(after)) == (measured, SWITCHING_TRIALS)
    assert "preflight" not in states(bench, run_id)[2:]
    assert is_as_before(bench)


def test_one_that_is_switched_while_no_worker_looks_goes_on_at_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = bench.start_run(of_hands(bench), SWITCHING)
    thread = leading(bench, run_id)
    waiting(bench, run_id, "nftables")
    # A worker that is shut down lets go of it, and leaves it waiting.
    bench.stopping.set()
    thread.join(60)
    run = bench.run(run_id)
    assert (run.state, run.outcome, run.holder) == (RunState.WAITING, None, None)
    assert bench.queue.sent[-1] == AdvanceRun(
        organization_id=bench.owner.organization_id, run_id=run_id
    )
    bench.stopping.clear()
    set_mode(bench, "nftables")
    thread = leading(bench, run_id)
    waiting(bench, run_id, "iptables")
    assert len(bench.trials(run_id)) == SWITCHING_TRIALS
    set_mode(bench, "iptables")
    thread.join(60)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED


def unsafe(bench: Bench) -> None:
    """The cluster becomes unsafe in the second block."""
    at_trial(bench, SWITCHING_TRIALS // 2 + 2, fail(UnsafeClusterError(CONNTRACK)))


def unfit(bench: Bench) -> None:
    """The cluster takes no pods, in no block."""

    def steps(step: str) -> None:
        if step == "preparing":
            raise PreconditionError("the cluster takes no measuring pod")

    bench.steps = steps


#: What ends a run of so many rounds early, and what the run says of it.
ENDS = [
    (unsafe, 2, Outcome.PARTIAL, "stopped_conntrack"),
    (unsafe, 1, Outcome.PARTIAL, "stopped_conntrack"),
    (unfit, 1, Outcome.FAILED, "blocks_fail_alike"),
]


@pytest.mark.parametrize(("end", "rounds", "outcome", "code"), sampled(ENDS, 1))
def test_one_that_ended_early_measures_no_more_once_another_worker_has_it(
    bench: Bench, end: Callable[[Bench], None], rounds: int, outcome: Outcome, code: str
) -> None:
    end(bench)
    spec = {**SWITCHING, "repetition": {**SWITCHING["repetition"], "rounds": rounds}}
    run_id = bench.start_run(of_hands(bench), spec)
    thread = leading(bench, run_id)
    waiting(bench, run_id, "nftables")
    set_mode(bench, "nftables")
    assert waiting(bench, run_id, "iptables").original
    measured = len(bench.trials(run_id))
    for block in bench.blocks(run_id)[2:]:
        assert (block.status, Message.of(block.reason).code) == (CaseStatus.SKIPPED, code)
    bench.stopping.set()
    thread.join(60)
    assert bench.run(run_id).state is RunState.WAITING
    bench.stopping.clear()
    thread = leading(bench, run_id)
    until(lambda: bench.run(run_id).holder)
    assert waiting(bench, run_id, "iptables").original
    set_mode(bench, "iptables")
    thread.join(60)
    run = bench.run(run_id)
    assert (run.state, run.outcome) == (RunState.FINISHED, outcome)
    assert Message.of(run.reason).code == code
    assert len(bench.trials(run_id)) == measured
    assert is_as_before(bench)


def test_one_that_ended_early_repeats_no_failed_trials_once_another_worker_has_it(
    bench: Bench,
) -> None:
    of_nftables = iter(range(1, 1000))

    def steps(step: str) -> None:
        """A trial fails in each block of nftables; in the retry the cluster becomes unsafe."""
        if step != "trial" or bench.cluster.now()["modes"][KUBE_PROXY_MODE] != "nftables":
            return
        number = next(of_nftables)
        if number in (4, SWITCHING_TRIALS // 2 + 4):
            raise LabError("the connection broke")
        if number == SWITCHING_TRIALS + 1:
            raise UnsafeClusterError(CONNTRACK)

    bench.steps = steps
    spec = {**SWITCHING, "repetition": {**SWITCHING["repetition"], "rounds": 2}}
    run_id = bench.start_run(of_hands(bench), spec)
    thread = leading(bench, run_id)
    while bench.run(run_id).state is not RunState.FINISHED:
        asked = until(lambda: bench.run(run_id).waiting or bench.run(run_id).outcome)
        if isinstance(asked, dict):
            set_mode(bench, asked["mode"])
    thread.join(60)
    assert {block.status for block in bench.blocks(run_id)} == {CaseStatus.SUCCEEDED}

    bench.take_up(run_id, Reopening.RETRY)
    thread = leading(bench, run_id)
    waiting(bench, run_id, "nftables")
    set_mode(bench, "nftables")
    assert waiting(bench, run_id, "iptables").original
    measured = len(bench.trials(run_id))
    bench.stopping.set()
    thread.join(60)
    bench.stopping.clear()
    thread = leading(bench, run_id)
    until(lambda: bench.run(run_id).holder)
    set_mode(bench, "iptables")
    thread.join(60)
    run = bench.run(run_id)
    assert (run.state, Message.of(run.reason).code) == (RunState.FINISHED, "stopped_conntrack")
    assert len(bench.trials(run_id)) == measured


def test_one_that_ended_early_is_measured_to_its_end_by_a_retry(bench: Bench) -> None:
    unsafe(bench)
    run_id = bench.start_run(of_hands(bench), SWITCHING)
    for _ in range(2):
        lead_by_hand(bench, run_id)
        if bench.run(run_id).outcome is Outcome.PARTIAL:
            bench.take_up(run_id, Reopening.RETRY)
    assert (bench.run(run_id).outcome, bench.run(run_id).attempt) == (Outcome.SUCCEEDED, 2)


def test_why_it_ended_early_is_kept_where_its_cluster_is_lost_meanwhile(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_trial(bench, 4, fail(UnsafeClusterError(CONNTRACK)))

    def lose(run: RunContext) -> None:
        raise LabError("the connection broke")

    monkeypatch.setattr(run_lifecycle, "ask_back", lose)
    run_id = bench.start_run(of_hands(bench), SWITCHING)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.outcome, Message.of(run.reason).code) == (Outcome.PARTIAL, "stopped_conntrack")


def test_one_that_nobody_attends_is_cancelled_by_the_next_worker(bench: Bench) -> None:
    run_id = bench.start_run(of_hands(bench), SWITCHING)
    thread = leading(bench, run_id)
    waiting(bench, run_id, "nftables")
    bench.stopping.set()
    thread.join(60)
    bench.stopping.clear()
    bench.cancel(run_id)
    assert bench.run(run_id).state is RunState.WAITING
    bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.state, run.outcome) == (RunState.FINISHED, Outcome.CANCELLED)
    assert is_as_before(bench)
