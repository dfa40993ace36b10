from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.domain.axes import AxisScope, ResolvedAxis
from podmeter.domain.experiment import Repetition
from podmeter.domain.planning import Case, plan_blocks, points


def axis(name, *, ladder=False, staged=False):
    return ResolvedAxis(name=name, scope=AxisScope.CASE, ladder=ladder, staged=staged, values=())


PATH, HEIGHT, STAGE = axis("path"), axis("height", ladder=True), axis("stage", staged=True)
MATRIX = {"encapsulation": ["host-gw", "vxlan"], "path": ["a", "b", "c"]}


def repetition(**changed):
    plan = {"trials": 5, "seconds": 5, "rounds": 1, "warmup": 1, "void_replacements": 3, "seed": 1}
    return Repetition(**(plan | changed))


def cases(matrix):
    return [Case.at(point) for point in points(matrix)]


def test_a_key_is_stable_and_does_not_depend_on_the_order_of_axes():
    assert Case.at({"path": "a", "height": 10}) == Case.at({"height": 10, "path": "a"})
    assert Case.at({"path": "a,b=c", "height": 10}).key == "height=10,path=a%2Cb%3Dc"


def test_rounds_repeat_the_modes_a_b_a_b():
    blocks = plan_blocks(cases(MATRIX), [PATH], repetition(rounds=3))
    modes = [dict(block.modes)["encapsulation"] for block in blocks]
    assert modes == ["host-gw", "vxlan"] * 3
    assert [block.round for block in blocks] == [1, 1, 2, 2, 3, 3]
    assert len({block.key for block in blocks}) == 6


def test_cases_of_a_block_share_its_modes():
    for block in plan_blocks(cases(MATRIX), [PATH], repetition()):
        assert {case.modes for case in block.cases} == {block.modes}


def test_without_a_mode_there_is_one_block_each_round():
    blocks = plan_blocks(cases({"path": ["a", "b"]}), [PATH], repetition(rounds=2))
    assert [block.key for block in blocks] == ["r1:as-is", "r2:as-is"]


@given(
    seed=st.integers(0, 1000),
    rounds=st.integers(1, 3),
    trials=st.integers(1, 6),
    warmup=st.integers(0, 2),
)
def test_every_case_gets_its_trials_in_every_round(seed, rounds, trials, warmup):
    plan = repetition(seed=seed, rounds=rounds, trials=trials, warmup=warmup)
    blocks = plan_blocks(cases(MATRIX), [PATH], plan)
    planned = [trial for block in blocks for trial in block.trials]
    counted = Counter((t.case.key, t.round) for t in planned if not t.warmup)
    assert set(counted.values()) == {trials}
    assert len(counted) == 6 * rounds
    assert len(planned) == 6 * rounds * (trials + warmup)
    assert len({trial.key for trial in planned}) == len(planned)


def test_trials_are_interleaved_one_of_each_case_at_a_time():
    (block,) = plan_blocks(cases({"path": ["a", "b", "c"]}), [PATH], repetition())
    order = [trial.case.text("path") for trial in block.trials]
    turns = [order[start : start + 3] for start in range(0, len(order), 3)]
    assert all(sorted(turn) == ["a", "b", "c"] for turn in turns)
    assert len({tuple(turn) for turn in turns}) > 1, "every turn has the same order"
    assert [trial.warmup for trial in block.trials] == [True] * 3 + [False] * 15


def test_the_seed_alone_decides_the_order():
    def order(seed):
        blocks = plan_blocks(cases(MATRIX), [PATH], repetition(seed=seed))
        return [trial.key for block in blocks for trial in block.trials]

    assert order(1) == order(1)
    assert order(1) != order(2)


def test_a_ladder_is_climbed_rung_by_rung():
    (block,) = plan_blocks(
        cases({"height": [1000, 10], "path": ["a", "b"]}), [HEIGHT, PATH], repetition()
    )
    heights = [trial.case.number("height") for trial in block.trials]
    assert heights == sorted(heights)


def test_stages_are_done_one_after_another_each_with_its_own_ladder():
    matrix = {"stage": ["y", "x"], "height": [10, 20]}
    (block,) = plan_blocks(cases(matrix), [STAGE, HEIGHT], repetition(trials=1, warmup=0))
    assert [(t.case.text("stage"), t.case.number("height")) for t in block.trials] == [
        ("y", 10),
        ("y", 20),
        ("x", 10),
        ("x", 20),
    ]


def test_what_happens_once_comes_first_on_its_rung_and_has_no_warmup():
    found = [Case.at({"height": h}, once=True) for h in (10, 20)]
    found += [Case.at({"height": h, "path": "a"}) for h in (10, 20)]
    (block,) = plan_blocks(found, [HEIGHT, PATH], repetition(trials=2))
    keys = [trial.key for trial in block.trials]
    assert keys[0] == "height=10#r1t1"
    assert keys.index("height=20#r1t1") == 4
    assert sum(trial.case.once for trial in block.trials) == 2


def test_two_cases_with_one_key_are_a_mistake():
    with pytest.raises(ValueError, match="path=a"):
        plan_blocks([Case.at({"path": "a"})] * 2, [PATH], repetition())
