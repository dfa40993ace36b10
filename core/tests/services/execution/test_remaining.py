"""What is left of a plan, given what was kept."""

from podmeter.domain.experiment import Repetition
from podmeter.domain.planning import Block, Case, PlannedTrial, plan_blocks
from podmeter.services.execution.remaining import TrialKey, left_to_run

PLAN = Repetition(trials=2, seconds=1, rounds=2, warmup=1, void_replacements=3, seed=1)
BLOCKS = plan_blocks([Case.at({"size": n}) for n in (1, 2)], [], PLAN)


def kept(*trials: PlannedTrial) -> set[TrialKey]:
    return {(one.case.key, one.round, one.warmup, one.number) for one in trials}


def names(blocks: tuple[Block, ...]) -> list[list[str]]:
    return [[trial.key for trial in block.trials] for block in blocks]


def test_everything_is_left_of_a_new_run() -> None:
    assert left_to_run(BLOCKS, set()) == BLOCKS


def test_nothing_is_left_where_every_trial_is_kept() -> None:
    assert left_to_run(BLOCKS, kept(*(t for block in BLOCKS for t in block.trials))) == ()


def test_warm_ups_alone_are_no_reason_to_run_a_block() -> None:
    counted = [t for block in BLOCKS for t in block.trials if not t.warmup]
    assert left_to_run(BLOCKS, kept(*counted)) == ()


def test_only_the_missing_trials_are_left_in_their_order() -> None:
    first, second = BLOCKS
    one, two = (t for t in first.trials if t.case.key == "size=1" and not t.warmup)
    done = kept(*(t for t in (*first.trials, *second.trials) if t.key != two.key))
    (left,) = left_to_run(BLOCKS, done)
    assert left.index == first.index
    assert [case.key for case in left.cases] == ["size=1"]
    # Its pods are recreated, so it is warmed up again under the next number.
    assert names((left,)) == [["size=1#r1w2", two.key]]
    assert one.key not in names((left,))[0]


def test_a_third_attempt_counts_warm_ups_on() -> None:
    first, _ = BLOCKS
    two = next(t for t in first.trials if t.key == "size=1#r1t2")
    done = kept(*(t for block in BLOCKS for t in block.trials if t is not two))
    done.add(("size=1", 1, True, 2))
    (left,) = left_to_run(BLOCKS, done)
    assert names((left,)) == [["size=1#r1w3", "size=1#r1t2"]]
