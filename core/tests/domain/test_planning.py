from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podmeter.domain.axes import AxisScope, ResolvedAxis
from podmeter.domain.experiment import Repetition
from podmeter.domain.planning import Case, LadderOrder, plan_blocks, points


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


def modes_of(blocks, axis="encapsulation"):
    return [dict(block.modes)[axis] for block in blocks]


@pytest.mark.parametrize("seed", range(8))
def test_every_round_has_each_mode_once(seed):
    blocks = plan_blocks(cases(MATRIX), [PATH], repetition(rounds=6, seed=seed))
    assert [block.round for block in blocks] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert len({block.key for block in blocks}) == 12
    modes = modes_of(blocks)
    assert all(sorted(modes[at : at + 2]) == ["host-gw", "vxlan"] for at in range(0, 12, 2))


@pytest.mark.parametrize("names", [["host-gw", "vxlan"], ["host-gw", "vxlan", "ipip", "none"]])
def test_no_mode_is_mostly_before_another_so_a_drift_favours_none(names):
    matrix = {"encapsulation": names, "path": ["a"]}
    for seed in range(20):
        modes = modes_of(plan_blocks(cases(matrix), [PATH], repetition(rounds=12, seed=seed)))
        rounds = [modes[at : at + len(names)] for at in range(0, len(modes), len(names))]
        for one, two in combinations(names, 2):
            for six in (rounds[:6], rounds[6:]):
                assert 2 <= sum(order.index(one) < order.index(two) for order in six) <= 4


def test_hardly_any_order_of_the_rounds_is_left_out():
    """What comes and goes with every second block meets each mode by chance (fault 11)."""
    found = Counter(
        tuple(modes_of(plan_blocks(cases(MATRIX), [PATH], repetition(rounds=6, seed=seed)))[::2])
        for seed in range(3000)
    )
    assert len(found) == 50, "those of the 64 in which each mode is first in two rounds at least"
    assert max(found.values()) < 3 * min(found.values())


def test_many_modes_are_planned_quickly_and_each_once_a_round():
    found = [Case.at(point) for point in points({"encapsulation": [str(n) for n in range(40)]})]
    blocks = plan_blocks(found, [], repetition(rounds=20))
    assert {len(set(modes_of(blocks)[at : at + 40])) for at in range(0, 800, 40)} == {40}


def test_a_started_run_keeps_the_order_it_was_given():
    plan = repetition(rounds=3)
    given = [
        (round_, (("encapsulation", mode),))
        for round_ in (1, 2, 3)
        for mode in ("host-gw", "vxlan")
    ]
    blocks = plan_blocks(cases(MATRIX), [PATH], plan, given)
    assert [(block.round, block.modes) for block in blocks] == given
    assert [block.index for block in blocks] == list(range(6))


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


def test_a_ladder_is_measured_on_the_way_down_in_every_second_round():
    found = [Case.at({"height": h}, once=True) for h in (10, 1000, 2000)]
    found += [Case.at({"height": h, "path": p}) for h in (10, 1000, 2000) for p in "ab"]
    up, down = plan_blocks(found, [HEIGHT, PATH], repetition(trials=2, rounds=2))
    # The climb itself is the way up in both, and a rung that stands above cannot be climbed to.
    assert [t.case.number("height") for t in down.trials if t.case.once] == [10, 1000, 2000]
    assert all(trial.case.once for trial in down.trials[:3])
    heights = [
        [t.case.number("height") for t in block.trials if not t.case.once] for block in (up, down)
    ]
    assert heights[0] == sorted(heights[0])
    assert heights[1] == heights[0][::-1]


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


def ends(block):
    heights = [trial.case.number("height") for trial in block.trials]
    assert heights in (sorted(heights), sorted(heights, reverse=True))
    return heights[0], heights[-1]


def test_rung_by_rung_every_mode_is_measured_on_one_before_the_next():
    found = cases({"kube_proxy_mode": "abc", "height": [1000, 10, 100], "path": "pq"})
    for seed in range(4):
        plan = repetition(trials=2, rounds=6, seed=seed)
        blocks = plan_blocks(found, [HEIGHT, PATH], plan, walk=LadderOrder.STEP_BY_STEP)
        # The ladder is climbed once: six rounds of three modes on each rung.
        climbed = [(height, round_) for height in (10, 100, 1000) for round_ in range(1, 7)]
        assert [(dict(block.modes)["height"], block.round) for block in blocks] == [
            place for place in climbed for _ in range(3)
        ]
        assert len({block.key for block in blocks}) == len(blocks) == 54
        for block in blocks:
            assert {block.modes} == {
                tuple(item for item in case.point if item[0] != "path") for case in block.cases
            }
            assert Counter(trial.case.get("path") for trial in block.trials) == {"p": 3, "q": 3}
        # What drifts is taken for no mode's effect, on any rung: of two modes each is first in two
        # to four of six rounds.
        at = {
            (b.round, dict(b.modes)["height"], dict(b.modes)["kube_proxy_mode"]): b.index
            for b in blocks
        }
        for height in (10, 100, 1000):
            for one, two in ("ab", "ac", "bc"):
                ahead = sum(at[r, height, one] < at[r, height, two] for r in range(1, 7))
                assert 2 <= ahead <= 4
        turns = [(block.round, block.modes) for block in blocks]
        assert plan_blocks(found, [HEIGHT, PATH], plan, turns, LadderOrder.STEP_BY_STEP) == blocks


def test_rung_by_rung_clusters_are_on_the_same_rung():
    found = [Case.at({"cluster": one, "height": h}) for one in "xy" for h in (10, 1000)]
    blocks = plan_blocks(found, [HEIGHT], repetition(rounds=2), walk=LadderOrder.STEP_BY_STEP)
    for cluster in "xy":
        walked = [ends(block) for block in blocks if dict(block.modes)["cluster"] == cluster]
        assert walked == [(10, 10), (10, 10), (1000, 1000), (1000, 1000)]


def test_what_happens_once_comes_first_in_each_block_of_a_rung():
    found = [Case.at({"height": h}, once=True) for h in (10, 20)]
    found += [Case.at({"height": h, "path": "a"}) for h in (10, 20)]
    blocks = plan_blocks(found, [HEIGHT], repetition(rounds=2), walk=LadderOrder.STEP_BY_STEP)
    assert [ends(block) for block in blocks] == [(10, 10), (10, 10), (20, 20), (20, 20)]
    assert all([trial.case.once for trial in block.trials].index(True) == 0 for block in blocks)
