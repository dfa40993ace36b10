"""Comparisons by rounds: rounds are the evidence, and trials cannot make up for them."""

import numpy as np
import pytest

from podmeter.statistics import (
    Comparison,
    Direction,
    Level,
    NoiseThreshold,
    Pairing,
    Reason,
    Sample,
    Verdict,
    WarningCode,
    compare_all,
    corrected,
    look_p,
)
from podmeter.statistics.comparison import Method

THREE_PERCENT = NoiseThreshold(0.03)
DIFFERENT = (Verdict.BETTER, Verdict.WORSE)


def judged(
    baseline: Sample,
    contender: Sample,
    level: Level = Level.BLOCK,
    direction: Direction = Direction.HIGHER,
    threshold: NoiseThreshold = THREE_PERCENT,
) -> Comparison:
    (found,) = compare_all([Pairing(baseline, contender, direction, threshold, level)])
    return found


def rounds(centres: list[float], trials: int = 3) -> Sample:
    return Sample.of(*[[centre * (1 + 0.001 * n) for n in range(trials)] for centre in centres])


STEADY = rounds([100, 103, 98, 101, 99, 102])
SLOWER = rounds([80, 82, 79, 80.5, 81, 83])


def test_six_rounds_that_agree_are_a_verdict() -> None:
    found = judged(STEADY, SLOWER)
    assert (found.verdict, found.reason) == (Verdict.WORSE, Reason.CLEAR_EFFECT)
    assert found.level is Level.BLOCK
    assert found.rounds == len(found.round_shifts) == 6
    assert found.agreement_p == found.least_p == 2 / 64
    assert found.p is not None
    assert found.p < 1e-4
    assert found.ratio is not None
    assert found.ratio.interval is not None
    assert found.ratio.interval.contains(0.8)
    assert judged(STEADY, SLOWER, direction=Direction.LOWER).verdict is Verdict.BETTER


@pytest.mark.parametrize("trials", [1, 5, 500])
def test_one_block_an_arm_decides_nothing_however_many_trials_it_has(trials: int) -> None:
    found = judged(rounds([100], trials), rounds([50], trials))
    assert (found.verdict, found.reason) == (Verdict.UNDECIDED, Reason.ONE_BLOCK)
    assert found.p is None
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(0.5)
    assert found.ratio.interval is None


@pytest.mark.parametrize("count", [2, 3, 5])
def test_too_few_rounds_decide_nothing_and_say_how_many_it_takes(count: int) -> None:
    found = judged(rounds([100.0] * count), rounds([50.0 + n for n in range(count)]))
    assert (found.verdict, found.reason) == (Verdict.UNDECIDED, Reason.TOO_FEW_ROUNDS)
    (said,) = [one for one in found.warnings if one.code is WarningCode.TOO_FEW_ROUNDS]
    assert (said.needed, said.found) == (6, count)
    # Not even that they are the same.
    assert judged(STEADY_OF[count], STEADY_OF[count]).reason is Reason.TOO_FEW_ROUNDS


STEADY_OF = {count: rounds([100.0] * count) for count in (2, 3, 5)}


def test_a_round_against_the_others_forbids_a_verdict_of_six() -> None:
    found = judged(STEADY, rounds([80, 82, 79, 80.5, 81, 102.5]))
    assert found.verdict is Verdict.UNDECIDED
    assert found.agreement_p is not None
    assert found.agreement_p > 0.05


def test_rounds_are_paired() -> None:
    """A machine that halves its speed from round to round is slow for both sides."""
    falling = [100 * 0.5**n for n in range(6)]
    found = judged(rounds(falling), rounds([one * 0.9 for one in falling]))
    assert found.verdict is Verdict.UNDECIDED or found.verdict is Verdict.WORSE
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(0.9)
    assert found.ratio.interval is not None
    assert found.ratio.interval.high < 0.91


def test_same_needs_the_whole_interval_of_the_rounds_inside() -> None:
    near = judged(STEADY, rounds([100.2, 103.1, 98.3, 100.8, 99.1, 102.2]))
    assert (near.verdict, near.reason) == (Verdict.SAME, Reason.WITHIN_THRESHOLD)
    wide = judged(STEADY, rounds([90, 113, 90, 109, 92, 109]))
    assert (wide.verdict, wide.reason) == (Verdict.UNDECIDED, Reason.INTERVAL_TOO_WIDE)


def test_two_rounds_worlds_apart_have_no_interval_that_ends() -> None:
    found = judged(rounds([1e-30, 1e30]), rounds([1e30, 1e-30]))
    assert found.reason is Reason.TOO_FEW_ROUNDS
    assert found.ratio is not None
    assert found.ratio.interval is None


def test_between_runs_nothing_is_called_different() -> None:
    found = judged(STEADY, SLOWER, Level.RUN)
    assert (found.verdict, found.reason) == (Verdict.UNDECIDED, Reason.NOISE_FLOOR_UNKNOWN)
    assert found.ratio is not None
    assert found.ratio.interval is not None
    assert found.ratio.interval.contains(0.8)
    assert found.round_shifts == ()
    more = judged(STEADY, rounds([80.0, 81.0]), Level.RUN)
    assert more.reason is Reason.NOISE_FLOOR_UNKNOWN
    single = judged(rounds([100]), rounds([80]), Level.RUN)
    assert single.reason is Reason.NOISE_FLOOR_UNKNOWN
    assert single.p is None


@pytest.mark.parametrize("level", [Level.BLOCK, Level.RUN])
def test_nothing_to_compare_is_defined(level: Level) -> None:
    assert judged(Sample.of([]), STEADY, level).reason is Reason.NO_TRIALS
    assert judged(Sample.of(), Sample.of(), level).reason is Reason.NO_TRIALS
    alone = judged(Sample.of([1], []), Sample.of([], [1]))
    assert alone.reason is Reason.NO_COMMON_ROUND


def test_zeros_have_no_ratio_and_constant_figures_are_defined() -> None:
    zero = Sample.of(*[[0.0, 0.0]] * 6)
    same = judged(zero, zero)
    assert (same.verdict, same.ratio) == (Verdict.SAME, None)
    more = judged(zero, Sample.of(*[[5.0, 6.0 + n] for n in range(6)]), direction=Direction.LOWER)
    assert more.verdict is Verdict.WORSE
    counts = judged(Sample.of(*[[7.0, 7.0]] * 6), Sample.of(*[[9.0, 9.0]] * 6))
    assert counts.verdict is Verdict.BETTER


def test_mixed_shapes_keep_their_places() -> None:
    pairings = [
        Pairing(STEADY, SLOWER, Direction.HIGHER, THREE_PERCENT, level)
        for level in (Level.RUN, Level.BLOCK)
    ]
    short = Pairing(STEADY, rounds([80.0, 81.0]), Direction.HIGHER, THREE_PERCENT)
    back = Pairing(SLOWER, STEADY, Direction.HIGHER, THREE_PERCENT)
    found = compare_all([*pairings, short, back])
    assert [one.level for one in found] == [Level.RUN, *[Level.BLOCK] * 3]
    assert [one.verdict for one in found[1:]] == [
        Verdict.WORSE,
        Verdict.UNDECIDED,
        Verdict.BETTER,
    ]


def test_blocks_that_vary_are_rarely_called_different() -> None:
    rng = np.random.default_rng(5)
    pairings = []
    for _ in range(1000):
        one, two = (
            Sample.of(*(np.exp(rng.normal(0, 0.1, (6, 1)) + rng.normal(0, 0.01, (6, 2)))).tolist())
            for _ in range(2)
        )
        pairings.append(Pairing(one, two, Direction.HIGHER, THREE_PERCENT, Level.BLOCK))
    wrong = sum(one.verdict in DIFFERENT for one in compare_all(pairings))
    assert wrong <= 50


def test_what_is_clear_alone_may_not_be_among_many() -> None:
    rng = np.random.default_rng(6)

    def sample(centre: float) -> Sample:
        return rounds((centre * np.exp(rng.normal(0, 0.03, 6))).tolist())

    lone = judged(STEADY, rounds([94, 90, 91, 97, 90, 97]))
    assert lone.verdict is Verdict.WORSE
    assert corrected([lone], alpha=0.05) == (lone,)
    # Of ten contenders with one case each it is one of ten verdicts.
    (shared,) = corrected([lone], alpha=0.05, families=20)
    assert shared.reason is Reason.MANY_COMPARISONS
    assert shared.looked_at == 20
    others = [judged(sample(100), sample(100)) for _ in range(19)]
    first, *rest = corrected([lone, *others], alpha=0.05)
    assert (first.verdict, first.reason) == (Verdict.UNDECIDED, Reason.MANY_COMPARISONS)
    assert first.p == lone.p
    assert lone.p is not None
    assert first.adjusted_p is not None
    assert first.adjusted_p > lone.p
    assert {one.looked_at for one in (first, *rest)} == {20}
    # A large one is clear among as many.
    large, *_ = corrected([judged(STEADY, SLOWER), *others], alpha=0.05)
    assert large.verdict is Verdict.WORSE


@pytest.mark.parametrize("seed", range(20))
def test_no_verdict_depends_on_parts_that_are_tested_later(seed: int) -> None:
    """As rung after rung of a ladder is judged: the family is all of them from the first on.

    By Holm, what is clear later would move the intervals of earlier ones, and so their verdicts.
    """
    rng = np.random.default_rng(seed)

    def one() -> Comparison:
        effect = rng.choice([0, 0, 0.03, 0.08, 0.15])
        factors = np.exp(rng.normal(-effect, 0.03, 6))
        return judged(STEADY, rounds((np.array(STEADY.medians) * factors).tolist()))

    rungs = [[one() for _ in range(3)] for _ in range(5)]
    before: tuple[Comparison, ...] = ()
    for count in range(1, len(rungs) + 1):
        tested = [found for rung in rungs[:count] for found in rung]
        seen = corrected(tested, alpha=0.05, planned=15)
        assert {found.looked_at for found in seen} == {15}
        assert seen[: len(before)] == before
        before = seen


def test_what_was_not_tested_is_not_counted() -> None:
    nothing = judged(Sample.of([]), STEADY)
    found = corrected([nothing, judged(STEADY, SLOWER), judged(STEADY, STEADY)], alpha=0.05)
    assert found[0] == nothing
    assert [one.looked_at for one in found[1:]] == [2, 2]


def test_path_luck_inside_a_block_is_no_evidence() -> None:
    """Pods are set up once a block and path, so what trials share is of the block (fault 1)."""
    rng = np.random.default_rng(7)
    pairings, several = [], []
    for _ in range(300):
        luck = np.exp(rng.normal(0, 0.05, (2, 6, 1)) + rng.normal(0, 0.01, (2, 6, 10)))
        one, two = (Sample.of(*side) for side in (100 * luck).tolist())
        several.append(Pairing(one, two, Direction.HIGHER, THREE_PERCENT))
        alone = Sample.of(one.rounds[0]), Sample.of(two.rounds[0])
        pairings.append(Pairing(*alone, Direction.HIGHER, THREE_PERCENT))
    assert {one.reason for one in compare_all(pairings)} == {Reason.ONE_BLOCK}
    found = compare_all(several)
    assert sum(one.verdict in DIFFERENT for one in found) <= 24
    covered = [one.ratio.interval.contains(1) for one in found if one.ratio and one.ratio.interval]
    assert sum(covered) / len(covered) >= 0.92


def test_power_inside_a_block_grows_with_the_rounds() -> None:
    """No single round vetoes what the others agree on (fault 2)."""
    rng, shares = np.random.default_rng(8), []
    for count in (6, 12, 20):
        pairings = []
        for _ in range(300):
            logs = rng.normal(0, 0.12, (2, count, 2)) + np.log([[[1.0]], [[0.9]]])
            one, two = (Sample.of(*side) for side in np.exp(logs).tolist())
            pairings.append(Pairing(one, two, Direction.HIGHER, THREE_PERCENT))
        found = [one.verdict is Verdict.WORSE for one in compare_all(pairings)]
        shares.append(sum(found) / len(found))
    assert shares[0] < shares[1] < shares[2]
    assert shares[2] > 0.85


def test_a_machine_that_is_slower_in_every_block_is_no_effect() -> None:
    """What the control shows as well is not the mode's (fault 8)."""
    rng = np.random.default_rng(9)
    noise = np.exp(rng.normal(0, 0.01, (4, 12)))
    machine = np.exp(rng.normal(np.log(0.9), 0.02, 12))
    control = (rounds((100 * noise[0]).tolist()), rounds((100 * machine * noise[1]).tolist()))
    arms = (rounds((80 * noise[2]).tolist()), rounds((80 * machine * noise[3]).tolist()))
    uncontrolled = judged(*arms)
    assert uncontrolled.verdict is Verdict.WORSE
    pairing = Pairing(*arms, Direction.HIGHER, THREE_PERCENT, control=control)
    (found,) = compare_all([pairing])
    assert found.verdict not in DIFFERENT
    assert found.method is Method.COVARIATE_T
    assert found.correlation is not None
    assert found.correlation > 0.6
    # A mode's own effect beside such a machine is found.
    slower = rounds((60 * machine * noise[3]).tolist())
    pairing = Pairing(arms[0], slower, Direction.HIGHER, THREE_PERCENT, control=control)
    (found,) = compare_all([pairing])
    assert found.verdict is Verdict.WORSE
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(0.75, rel=0.1)


def test_rounds_without_their_control_are_left_out() -> None:
    control = (Sample.of([1.0], [2.0], [], [1.5], [1.0], [1.1], [1.2]),) * 2
    one, two = (rounds([centre] * 7) for centre in (100.0, 90.0))
    pairing = Pairing(one, two, Direction.HIGHER, THREE_PERCENT, control=control)
    (found,) = compare_all([pairing])
    assert found.rounds == 6
    few = (Sample.of([1.0], [2.0], []),) * 2
    (found,) = compare_all([Pairing(one, two, Direction.HIGHER, THREE_PERCENT, control=few)])
    assert (found.rounds, found.correlation) == (7, None)


def test_intervals_of_a_family_hold_together_the_largest_effects_too() -> None:
    """The largest effect is picked for its size, so its own interval would miss (fault 9)."""
    rng, held = np.random.default_rng(10), 0
    for _ in range(200):
        arms = np.exp(rng.normal(0, 0.05, (14, 2, 12, 1)) + np.log([[[1.0]], [[1.1]]]))
        pairings = [
            Pairing(Sample.of(*one), Sample.of(*two), Direction.HIGHER, THREE_PERCENT)
            for one, two in arms.tolist()
        ]
        found = corrected(compare_all(pairings), alpha=0.05)
        lead = max(found, key=lambda one: one.ratio.value if one.ratio else 0)
        assert lead.ratio is not None
        assert lead.ratio.interval is not None
        held += lead.ratio.interval.contains(1.1)
    assert held / 200 >= 0.93


def test_what_is_clear_has_an_interval_on_its_side_of_none() -> None:
    rng = np.random.default_rng(11)
    arms = np.exp(rng.normal(0, 0.06, (300, 2, 12, 1)) + np.log([[[1.0]], [[1.06]]]))
    pairings = [
        Pairing(Sample.of(*one), Sample.of(*two), Direction.HIGHER, THREE_PERCENT)
        for one, two in arms.tolist()
    ]
    for start in range(0, 300, 3):
        for one in corrected(compare_all(pairings[start : start + 3]), alpha=0.05):
            assert one.ratio is not None
            assert one.ratio.interval is not None
            if one.verdict in DIFFERENT:
                assert one.ratio.interval.low >= 1 or one.ratio.interval.high <= 1


def test_a_difference_that_is_certain_and_small_is_said_to_be_small() -> None:
    """`same`, and that it differs: 0.976 [0.973, 0.979] is not no difference (fault 5)."""
    found = judged(STEADY, rounds([97.6, 100.5, 95.7, 98.5, 96.7, 99.5]))
    assert (found.verdict, found.reason) == (Verdict.SAME, Reason.SMALL_EFFECT)


def test_the_difference_that_matters_decides_what_is_the_same() -> None:
    near = rounds([95, 99.5, 92.5, 97.5, 94, 98.5])
    assert judged(STEADY, near).verdict is not Verdict.SAME
    pairing = Pairing(STEADY, near, Direction.HIGHER, THREE_PERCENT, difference=0.1)
    (found,) = compare_all([pairing])
    assert found.verdict is Verdict.SAME


def test_the_round_that_is_worst_is_named() -> None:
    """Better, and terrible in one round (fault 12)."""
    found = judged(rounds([100.0] * 9), rounds([110, 111, 112, 110, 60, 111, 112, 109, 110]))
    (said,) = [one for one in found.warnings if one.code is WarningCode.ROUNDS_DISAGREE]
    assert said.found == 5


def test_looks_take_a_smaller_p() -> None:
    found = judged(STEADY, rounds([94, 102.5, 91, 99, 93.5, 99]))
    assert found.verdict is Verdict.WORSE
    pairing = Pairing(
        STEADY,
        rounds([94, 102.5, 91, 99, 93.5, 99]),
        Direction.HIGHER,
        THREE_PERCENT,
        most_rounds=20,
    )
    (looked,) = compare_all([pairing])
    assert looked.verdict is Verdict.UNDECIDED
    assert look_p(0.05, 20) == pytest.approx(0.0103, abs=0.0005)
    assert look_p(0.05, None) == 0.05
    assert (
        look_p(0.05 / 2, 28) < look_p(0.05, 28) < look_p(0.05, 6) == pytest.approx(0.05, rel=0.01)
    )
