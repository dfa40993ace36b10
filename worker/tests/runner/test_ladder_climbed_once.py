"""A ladder that is climbed once: all rounds of a rung, until it is decided, before the next."""

from __future__ import annotations

from itertools import cycle, pairwise
from typing import TYPE_CHECKING, Any

import pytest

from podmeter.domain.errors import PreconditionError
from podmeter.domain.experiment import ResolvedSpec
from podmeter.domain.planning import LadderOrder
from podmeter.domain.ports import CommandOutput, ExecTarget
from podmeter.domain.run import CaseStatus, Outcome, Reopening, RunState
from podmeter.kinds.registry import KINDS
from podmeter.services.execution import interim_analysis, rungs
from podmeter.services.runs import lifecycle
from podmeter_worker.runner import interim_looks, run_lifecycle

from ..bench import Bench
from ..fake_link import FakeLink
from ..killed import Killed
from ..test_toy_kind import EchoingLab
from ..toy_kind.kind import ToyEcho

if TYPE_CHECKING:
    from collections.abc import Callable

    from podmeter_worker.runner.context import RunContext

pytestmark = pytest.mark.services

SIZES = [1, 100, 10_000]
LADDER: dict[str, Any] = {
    "name": "climbed once",
    "kind": "toy_echo",
    "axes": {
        "kube_proxy_mode": ["iptables", "nftables"],
        "path": ["pod-pod"],
        "language": ["en"],
        "size": SIZES,
    },
    "repetition": {
        "trials": 1,
        "seconds": 1,
        "warmup": 0,
        # Else the order of the modes is drawn, and what is measured may be decided by chance.
        "seed": 1,
        "until_decided": {"difference": 0.1, "most_minutes": 60},
    },
}
#: The same with a rung less, and its share of the time.
SHORTER: dict[str, Any] = {
    **LADDER,
    "axes": {**LADDER["axes"], "size": SIZES[:2]},
    "repetition": {
        **LADDER["repetition"],
        "until_decided": {"difference": 0.1, "most_minutes": 40},
    },
}
#: In each of its rounds a rung has a block of each mode.
A_RUNG = 6 * 2


class SteppingLab(EchoingLab):
    """Tells of each trial, as labs of the kinds do."""

    def execute(self, place: ExecTarget, argv: Any, *, timeout_seconds: float) -> CommandOutput:
        if argv[0] == "toyecho" and argv[1] != "version":
            self.link.steps("trial")
        return super().execute(place, argv, timeout_seconds=timeout_seconds)


class ClimbedOnce(ToyEcho):
    """Measures all rounds of a rung before the next rung."""

    def walk(self, spec: ResolvedSpec) -> LadderOrder:
        return LadderOrder.STEP_BY_STEP


@pytest.fixture(autouse=True)
def climbed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kind whose ladder is climbed once."""
    monkeypatch.setitem(KINDS, ToyEcho.name, ClimbedOnce())
    monkeypatch.setattr(FakeLink, "lab", lambda link, write: SteppingLab(link, write))
    monkeypatch.setattr(EchoingLab, "spread", cycle((-2, 1, 0, 2, -1, 3)))


def climbed(bench: Bench, run_id: Any) -> list[int]:
    """The rungs of the trials, in their order."""
    at = {case.id: int(case.point["size"]) for case in bench.cases(run_id)}
    return [at[trial.case_id] for trial in bench.trials(run_id)]


def test_each_rung_is_left_once_it_is_decided(bench: Bench) -> None:
    """What the fake cluster measures hardly varies, so six rounds show it to be the same."""
    run_id = bench.new_run(LADDER)
    assert bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert climbed(bench, run_id) == [size for size in SIZES for _ in range(A_RUNG)]
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.SUCCEEDED}
    for block in bench.blocks(run_id):
        assert (block.status is CaseStatus.SKIPPED) is (block.round > 6)
        assert block.round <= 6 or "all main cases were decided after 6 rounds" in block.reason
    looked = [line for line in bench.log(run_id) if "after 6 rounds 1 of 1" in line]
    assert len(looked) == len(SIZES)
    # Once a minute the log says how long the run still measures.
    assert any("min of measuring left" in line for line in bench.log(run_id))
    assert bench.cluster.is_clean


def test_taken_up_again_no_rung_that_was_left_is_climbed_to(bench: Bench) -> None:
    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == A_RUNG + 3:
            bench.stopping.set()
            assert bench.stop.wait(60)

    bench.steps = steps
    run_id = bench.new_run(SHORTER)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    bench.stopping.clear()
    bench.steps = lambda step: None
    bench.take_up(run_id, Reopening.RESUME)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert climbed(bench, run_id) == [size for size in SIZES[:2] for _ in range(A_RUNG)]


def test_a_worker_that_takes_it_while_it_waits_for_its_first_mode_climbs_no_more(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait_and_die(run: RunContext) -> None:
        run.database.write(lambda work: lifecycle.move(work, run.run_hold, RunState.WAITING))
        raise Killed

    run_id = bench.new_run(SHORTER)
    with monkeypatch.context() as patch:
        patch.setattr(run_lifecycle, "ask_back", wait_and_die)
        with pytest.raises(Killed):
            bench.lead(run_id)
    bench.give_up(run_id)
    assert bench.lead(run_id)
    run = bench.run(run_id)
    assert (run.outcome, run.reason) == (Outcome.SUCCEEDED, "")
    assert {case.status for case in bench.cases(run_id)} == {CaseStatus.SUCCEEDED}
    assert climbed(bench, run_id) == [size for size in SIZES[:2] for _ in range(A_RUNG)]
    assert bench.cluster.is_clean


def test_a_rung_is_left_undecided_where_its_share_of_the_time_is_used(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No round is begun that does not fit, once there are as many as can find a difference."""
    monkeypatch.setattr(EchoingLab, "spread", cycle((-90, 40, 200, 150, -30, 70, -160)))

    def spent(work: Any, run_hold: Any) -> dict[int, float]:
        # Each block takes so long that 24 of them fit.
        return dict.fromkeys(rungs_of_blocks(work, run_hold), 150.0)

    rungs_of_blocks = rungs.spent_seconds
    monkeypatch.setattr(interim_analysis, "spent_seconds", spent)
    run_id = bench.new_run(SHORTER)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.SUCCEEDED
    assert climbed(bench, run_id) == [size for size in SIZES[:2] for _ in range(8 * 2)]
    reasons = {block.reason for block in bench.blocks(run_id) if block.round > 8}
    assert all("the time limit of" in reason for reason in reasons), reasons


def test_taken_up_again_a_rung_is_not_continued_that_the_time_was_not_enough_for(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its share of the time may look greater than it did, by what was measured since."""
    monkeypatch.setattr(EchoingLab, "spread", cycle((-90, 40, 200, 150, -30, 70, -160)))
    blocks_over, seconds = rungs.spent_seconds, 150.0

    def spent(work: Any, run_hold: Any) -> dict[int, float]:
        return dict.fromkeys(blocks_over(work, run_hold), seconds)

    def steps(step: str) -> None:
        if step == "trial" and len(bench.trials(run_id)) == 8 * 2 + 3:
            bench.stopping.set()
            assert bench.stop.wait(60)

    monkeypatch.setattr(interim_analysis, "spent_seconds", spent)
    # Nothing but the time ends a rung.
    monkeypatch.setattr(interim_analysis, "HOPELESS", 0.0)
    bench.steps = steps
    run_id = bench.new_run(SHORTER)
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.INTERRUPTED
    bench.stopping.clear()
    bench.steps = lambda step: None
    seconds = 1.0
    bench.take_up(run_id, Reopening.RESUME)
    bench.lead(run_id)
    measured = climbed(bench, run_id)
    assert measured.count(SIZES[0]) == 8 * 2
    assert measured == sorted(measured)
    reasons = {
        block.reason
        for block in bench.blocks(run_id)
        if block.round > 8 and block.modes["size"] == SIZES[0]
    }
    assert all("concluded in an earlier attempt after 8 rounds" in reason for reason in reasons), (
        reasons
    )


def test_a_rung_that_no_time_is_left_for_is_not_begun(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = dict.fromkeys(range(A_RUNG), 400.0)
    monkeypatch.setattr(
        interim_looks,
        "spent_seconds",
        lambda work, run_hold: {
            index: taken[index] for index in rungs.spent_seconds(work, run_hold) if index in taken
        },
    )
    run_id = bench.new_run(LADDER)
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.PARTIAL
    assert "60 min" in run.reason
    assert climbed(bench, run_id) == [SIZES[0]] * A_RUNG
    status = {int(case.point["size"]): case.status for case in bench.cases(run_id)}
    assert status == {1: CaseStatus.SUCCEEDED, 100: CaseStatus.SKIPPED, 10_000: CaseStatus.SKIPPED}


def failing_in(bench: Bench, mode: str) -> Callable[[str], None]:
    """Steps at which no block of a mode can be prepared."""

    def steps(step: str) -> None:
        if step == "preparing" and bench.cluster.now()["modes"]["kube_proxy_mode"] == mode:
            raise PreconditionError("3 node ports are free, the experiment needs 10")

    return steps


TWO_ROUNDS = {"trials": 1, "seconds": 1, "warmup": 0, "rounds": 2, "seed": 2}


def test_two_rounds_of_a_rung_that_fail_in_the_only_mode_end_the_run(bench: Bench) -> None:
    bench.steps = failing_in(bench, "iptables")
    axes = {**LADDER["axes"], "kube_proxy_mode": ["iptables"]}
    run_id = bench.new_run({**LADDER, "axes": axes, "repetition": TWO_ROUNDS})
    bench.lead(run_id)
    assert bench.run(run_id).outcome is Outcome.FAILED
    assert bench.run(run_id).reason.startswith("two blocks in a row failed for the same reason")
    failed = [one for one in bench.blocks(run_id) if one.status is CaseStatus.FAILED]
    assert len(failed) == 2


def test_a_mode_that_fails_on_each_rung_does_not_end_the_others(bench: Bench) -> None:
    """Its last block of a rung and its first of the next one may follow each other."""
    bench.steps = failing_in(bench, "nftables")
    run_id = bench.new_run({**LADDER, "repetition": TWO_ROUNDS})
    bench.lead(run_id)
    blocks = bench.blocks(run_id)
    assert any(
        one.modes["kube_proxy_mode"] == other.modes["kube_proxy_mode"] == "nftables"
        and one.modes["size"] != other.modes["size"]
        for one, other in pairwise(blocks)
    )
    assert bench.run(run_id).outcome is Outcome.PARTIAL
    for one in blocks:
        assert (one.status is CaseStatus.FAILED) is (one.modes["kube_proxy_mode"] == "nftables")


@pytest.mark.parametrize(("rounds_before", "reached"), [(0, SIZES[0]), (1, SIZES[1])])
def test_a_run_that_fails_on_a_rung_says_up_to_which_it_has_results(
    bench: Bench, rounds_before: int, reached: int
) -> None:
    """Both modes fail alike on the second rung, at once or after a round with results."""

    def steps(step: str) -> None:
        if step == "preparing" and any(
            one.status is CaseStatus.RUNNING
            and one.modes["size"] == SIZES[1]
            and one.round > rounds_before
            for one in bench.blocks(run_id)
        ):
            raise PreconditionError("3 node ports are free, the experiment needs 10")

    bench.steps = steps
    run_id = bench.new_run({**LADDER, "repetition": TWO_ROUNDS})
    bench.lead(run_id)
    run = bench.run(run_id)
    assert run.outcome is Outcome.PARTIAL
    assert run.reason.startswith(f"the run has results up to size {reached}; two blocks in a row")
    assert "the last with size 100" in run.reason
    assert "3 node ports are free" in run.reason
    status = {int(case.point["size"]): case.status for case in bench.cases(run_id)}
    assert status == {1: CaseStatus.SUCCEEDED, 100: CaseStatus.FAILED, 10_000: CaseStatus.SKIPPED}
    assert bench.cluster.is_clean
